/// @file
/// needs: cuda
/// The grid: every element × op × size × way to call, beside CUB (the toolkit's version and, if
/// available, the newest) and Thrust. Each element has a file in this folder, which lists its ops;
/// main.cu runs them and writes grid.json.
///
/// Ways to call:
/// - cold:   one call with a cold L2 cache, timed by events
/// - hot:    one call; the data is in the L2 cache as far as it fits
/// - queue:  a twentieth of the time of twenty back-to-back calls
/// - graph:  a twentieth of the time of a replayed graph of twenty calls
/// - value:  one call that returns a value to the host, timed by the host's clock
///
/// Values are random. The grid compares results with wf::seq before it times anything; a wrong
/// result is reported and has no time. The contenders take turns. Cells with a large spread are
/// measured again. Times are medians.
///
/// wf::baseline::cub calls CUB. It keeps its scratch memory between calls, and queries the size on
/// every call, because each call may have another range. The host's time for the query is part of
/// `value`, and of `queue` if the host is slower than the GPU.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <warpfold/policy/cub.hpp>
#include <warpfold/policy/thrust.hpp>
#include <warpfold/reduce.hpp>

#include "grid/newest_cub/interface.hpp"
#include "grid/ops.hpp"
#include "measure.hpp"

namespace grid {

/// The figures of one contender for all sizes.
struct row {
  struct figure {
    std::size_t n;
    double seconds, spread;
  };
  std::string element, op, way, who;
  std::vector<figure> figures;
};

/// A wrong result.
struct mistake {
  std::string element, op, who;
  std::size_t n;
};

/// The options, and the results.
struct table {
  std::size_t max_bytes = std::size_t{4} << 30;
  std::string only_op;                                        ///< empty: all
  decltype(&grid_newest_cub_find) newest_cub_find = nullptr;  ///< null: no newest CUB
  std::vector<std::pair<std::string, std::size_t>> element_bytes;
  std::vector<row> rows;
  std::vector<mistake> wrong;
};

/// The row for a figure. The rows of the current column are the last ones.
inline row& row_of(table& t, std::string_view element, std::string_view op, std::string_view way,
                   std::string_view who) {
  for (auto r = t.rows.rbegin(); r != t.rows.rend() && r->element == element && r->op == op; ++r) {
    if (r->way == way && r->who == who) return *r;
  }
  return t.rows.emplace_back(
      row{std::string(element), std::string(op), std::string(way), std::string(who), {}});
}

/// The memory of all ranges, filled with repetitions of one block.
inline constexpr std::size_t block_bytes = std::size_t{32} << 20;
inline unsigned char* memory(std::size_t most) {
  static unsigned char* data = nullptr;
  if (data == nullptr) measure::check(cudaMalloc(&data, most));
  return data;
}

/// Random values: all integers, and quarters from -4 to 4 for floats. With `of_size_one`, values
/// whose products have the magnitude 1.
template <class T>
std::vector<T> values(bool of_size_one) {
  std::mt19937 random(2026);
  std::vector<T> all(block_bytes / sizeof(T));
  for (T& x : all) {
    if constexpr (std::is_integral_v<T>) {
      x = static_cast<T>(of_size_one ? 1 - 2 * static_cast<int>(random() % 2)
                                     : static_cast<long long>(random()) - (1ll << 31));
    } else if constexpr (wf::is_number_v<T>) {
      const int quarter = static_cast<int>(random() % 33) - 16;
      x = static_cast<T>(of_size_one ? (quarter < 0 ? -1.0f : 1.0f)
                                     : static_cast<float>(quarter) / 4);
    } else {
      float parts[sizeof(T) / sizeof(float)];
      for (float& p : parts) p = static_cast<float>(static_cast<int>(random() % 33) - 16) / 4;
      if (of_size_one) {  // a complex number: 1, -1, i or -i
        const unsigned which = random() % 4;
        parts[0] = which == 0 ? 1.0f : which == 1 ? -1.0f : 0.0f;
        parts[1] = which == 2 ? 1.0f : which == 3 ? -1.0f : 0.0f;
      }
      std::memcpy(static_cast<void*>(&x), parts, sizeof(T));
    }
  }
  return all;
}

/// Whether the parts of `a` and `b` differ by at most `error`. Integers must be equal.
template <class R>
bool close(const R& a, const R& b, double error) {
  if constexpr (std::is_integral_v<R>) {
    return a == b;
  } else if constexpr (wf::is_number_v<R>) {
    const double x = static_cast<double>(a), y = static_cast<double>(b);
    return std::abs(x - y) <= error;
  } else {
    float x[sizeof(R) / sizeof(float)], y[sizeof(R) / sizeof(float)];
    std::memcpy(x, &a, sizeof x);
    std::memcpy(y, &b, sizeof y);
    for (std::size_t i = 0; i < sizeof(R) / sizeof(float); ++i) {
      if (!(std::abs(static_cast<double>(x[i]) - static_cast<double>(y[i])) <= error)) return false;
    }
    return true;
  }
}

inline double host_seconds(const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class T, class Op>
void column(table& t, const char* element_name, const char* op_name, Op op, bool of_size_one) {
  if (!t.only_op.empty() && t.only_op != op_name) return;
  using measure::check;
  using R = decltype(wf::reduce(wf::seq, std::span<const T>(), op));
  measure::gpu& g = measure::machine();
  unsigned char* const data = memory(t.max_bytes);
  const std::vector<T> block = values<T>(of_size_one);
  const std::size_t step = block.size() * sizeof(T);
  check(cudaMemcpy(data, block.data(), step, cudaMemcpyHostToDevice));
  for (std::size_t at = step; at < t.max_bytes; at += step) {
    check(cudaMemcpy(data + at, data, std::min(step, t.max_bytes - at), cudaMemcpyDeviceToDevice));
  }
  static wf::device_buffer<unsigned char> results(256);
  R* const out = reinterpret_cast<R*>(results.data());
  const auto ours = wf::device.on(g.stream);
  const auto cub = wf::baseline::cub.on(g.stream);
  const auto thrust = wf::baseline::thrust.on(g.stream);
  const newest_cub_calls* const newest =
      t.newest_cub_find != nullptr ? t.newest_cub_find(element_name, op_name) : nullptr;
  if (t.element_bytes.empty() || t.element_bytes.back().first != element_name) {
    t.element_bytes.emplace_back(element_name, sizeof(T));
  }

  // Sums of floats may be added in another order, with a rounding error for each element. All other
  // results are exact.
  const double error_each = std::string_view(op_name) == "sum" ? 1e-6 : 0;
  const R whole = wf::reduce(wf::seq, block, op);
  const auto started = std::chrono::steady_clock::now();
  for (std::size_t n = 256; n * sizeof(T) <= t.max_bytes; n *= 2) {
    const std::size_t bytes = n * sizeof(T);
    const std::span<const T> v(reinterpret_cast<const T*>(data), n);

    // The expected result: that of the first n elements of the block, or of its repetitions.
    R want{};
    if (n <= block.size()) {
      want = wf::reduce(wf::seq, std::span<const T>(block.data(), n), op);
    } else {
      const std::vector<R> again(n / block.size(), whole);
      want = static_cast<R>(wf::reduce(wf::seq, again, op));
      if (n % block.size() != 0) {
        const std::span<const T> rest(block.data(), n % block.size());
        const std::vector<R> both = {want, static_cast<R>(wf::reduce(wf::seq, rest, op))};
        want = static_cast<R>(wf::reduce(wf::seq, both, op));
      }
    }
    struct contender {
      const char* name;
      std::function<void()> enqueue;  ///< null: the contender cannot be enqueued
      std::function<R()> value;
    };
    std::vector<contender> contenders = {{"warpfold", [&] { wf::reduce_async(ours, v, op, out); },
                                          [&] { return static_cast<R>(wf::reduce(ours, v, op)); }},
                                         {"CUB", [&] { wf::reduce_async(cub, v, op, out); },
                                          [&] { return static_cast<R>(wf::reduce(cub, v, op)); }}};
    if (newest != nullptr) {
      contenders.push_back({"CUB newest", [&] { newest->enqueue(data, n, out, g.stream); },
                            [&] {
                              R result;
                              newest->value(data, n, &result, g.stream);
                              return result;
                            }});
    }
    const std::size_t enqueued = contenders.size();  // these contenders can be enqueued
    contenders.push_back(
        {"Thrust", nullptr, [&] { return static_cast<R>(wf::reduce(thrust, v, op)); }});

    bool right = true;
    for (const contender& c : contenders) {
      if (close(c.value(), want, error_each * static_cast<double>(n))) continue;
      t.wrong.push_back({element_name, op_name, c.name, n});
      std::printf("  %-8s %-8s %zu elements: wrong result of %s\n", element_name, op_name, n,
                  c.name);
      right = false;
    }
    if (!right) continue;

    const auto take_turns = [&](const char* way, int rounds, std::size_t who, const auto& time) {
      std::vector<std::vector<double>> seconds;
      // Disturbances of the machine last some milliseconds and affect all contenders. If the spread
      // is large, measures all of them again.
      bool steady = false;
      for (int tries = 0; !steady && tries < 3; ++tries) {
        seconds.assign(who, {});
        for (int r = 0; r < rounds; ++r) {
          for (std::size_t c = 0; c < who; ++c) seconds[c].push_back(time(contenders[c]));
        }
        steady = std::all_of(seconds.begin(), seconds.end(), [](const std::vector<double>& s) {
          return measure::quartiles(s) < measure::median(s) / 5;
        });
      }
      for (std::size_t c = 0; c < who; ++c) {
        row_of(t, element_name, op_name, way, contenders[c].name)
            .figures.push_back({n, measure::median(seconds[c]), measure::quartiles(seconds[c])});
      }
    };
    constexpr std::size_t MB = std::size_t{1} << 20;
    take_turns("cold",
               bytes >= 1024 * MB ? 7
               : bytes >= 64 * MB ? 11
                                  : 21,
               enqueued, [&](const contender& c) { return g.cold(c.enqueue); });
    take_turns("value", bytes >= 64 * MB ? 5 : 15, contenders.size(),
               [&](const contender& c) { return host_seconds([&] { (void)c.value(); }); });
    if (bytes > 128 * MB) continue;  // too large for the cache
    take_turns("hot", 21, enqueued, [&](const contender& c) {
      c.enqueue();
      return g.between(c.enqueue);
    });
    take_turns("queue", 7, enqueued, [&](const contender& c) {
      return g.between([&] {
        for (int i = 0; i < 20; ++i) c.enqueue();
      }) / 20;
    });
    std::vector<cudaGraphExec_t> graphs;
    for (std::size_t c = 0; c < enqueued; ++c) graphs.push_back(g.graph_of(contenders[c].enqueue));
    take_turns("graph", 7, enqueued, [&](const contender& c) {
      const cudaGraphExec_t graph = graphs[static_cast<std::size_t>(&c - contenders.data())];
      return g.between([&] { check(cudaGraphLaunch(graph, g.stream)); }) / 20;
    });
    for (cudaGraphExec_t graph : graphs) check(cudaGraphExecDestroy(graph));
  }
  std::printf("  %-8s %-8s %5.1f s\n", element_name, op_name,
              std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count());
  std::fflush(stdout);
}

}  // namespace grid
