/// @file
/// needs: cuda
/// The grid: every element × op × size × way to call, ours beside CUB and Thrust. One file of this folder for each
/// element, which says what its ops are; main.cu runs them and writes grid.json.
///
/// Ways to call:
/// - cold:   one call, enqueued behind a flushed L2 cache, between events
/// - hot:    one call, the data in L2 as far as it fits
/// - queue:  twenty calls enqueued one after the other, a twentieth
/// - graph:  twenty calls replayed from a graph, a twentieth
/// - value:  one call that returns a value to the host, by the host's clock
///
/// Values are random and results are compared with wf::seq before anything is timed: a wrong one is reported and has
/// no time. The contenders take turns. Times are medians.
#pragma once

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

#include "measure.hpp"

namespace grid {

namespace wf = warpfold;

/// One figure.
struct cell {
  std::string element, op, way, who;
  std::size_t n{}, bytes{};
  double seconds{}, spread{};
  bool right = true;
};

/// What is measured, and what was.
struct table {
  std::size_t most_bytes = std::size_t{4} << 30;
  std::string only_op;  ///< empty: all
  std::vector<cell> cells;
  bool wrong = false;
};

/// An element's file makes one of these, and main.cu finds it.
struct element {
  const char* name;
  void (*run)(table&);
  element* next;

  element(const char* element_name, void (*f)(table&)) : name(element_name), run(f), next(first()) {
    first() = this;
  }
  static element*& first() {
    static element* e = nullptr;
    return e;
  }
};

/// The memory that all ranges lie in, filled again and again with the same block.
inline constexpr std::size_t block_bytes = std::size_t{32} << 20;
inline unsigned char* memory(std::size_t most) {
  static unsigned char* data = nullptr;
  if (data == nullptr) measure::check(cudaMalloc(&data, most));
  return data;
}

/// Random values: any bits of integers, quarters from -4 to 4 of floats; or such that a product stays what it is.
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

/// Whether `a` is what `b` says: no part of theirs is more than `error` apart. Integers are the same.
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

/// Every size of one element and op.
template <class T, class Op>
void column(table& t, const char* element_name, const char* op_name, Op op,
            bool of_size_one = false) {
  if (!t.only_op.empty() && t.only_op != op_name) return;
  using measure::check;
  using R = decltype(wf::reduce(wf::seq, std::span<const T>(), op));
  measure::gpu& g = measure::machine();
  unsigned char* const data = memory(t.most_bytes);
  const std::vector<T> block = values<T>(of_size_one);
  const std::size_t step = block.size() * sizeof(T);
  check(cudaMemcpy(data, block.data(), step, cudaMemcpyHostToDevice));
  for (std::size_t at = step; at < t.most_bytes; at += step) {
    check(cudaMemcpy(data + at, data, std::min(step, t.most_bytes - at), cudaMemcpyDeviceToDevice));
  }
  static wf::device_buffer<unsigned char> results(256);
  R* const out = reinterpret_cast<R*>(results.data());
  const auto ours = wf::device.on(g.stream);
  const auto cub = wf::baseline::cub.on(g.stream);
  const auto thrust = wf::baseline::thrust.on(g.stream);

  // Sums of floats may be added in another order: a rounding error for each element. All else has one result.
  const double error_each = std::string_view(op_name) == "sum" ? 1e-6 : 0;
  const R whole = wf::reduce(wf::seq, block, op);
  const auto started = std::chrono::steady_clock::now();
  for (std::size_t n = 256; n * sizeof(T) <= t.most_bytes; n *= 2) {
    const std::size_t bytes = n * sizeof(T);
    const std::span<const T> v(reinterpret_cast<const T*>(data), n);
    const auto record = [&](const char* way, const char* who, const std::vector<double>& seconds) {
      t.cells.push_back({element_name, op_name, way, who, n, bytes, measure::median(seconds),
                         measure::quartiles(seconds), true});
    };

    // The oracle: what the first n of the block make, or all of it again and again.
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
    const struct {
      const char* name;
      std::function<void()> enqueue;
      std::function<R()> value;
    } contenders[] = {
        {"warpfold", [&] { wf::reduce_async(ours, v, op, out); },
         [&] { return static_cast<R>(wf::reduce(ours, v, op)); }},
        {"CUB", [&] { wf::reduce_async(cub, v, op, out); },
         [&] { return static_cast<R>(wf::reduce(cub, v, op)); }},
        {"Thrust", nullptr, [&] { return static_cast<R>(wf::reduce(thrust, v, op)); }},
    };
    bool right = true;
    for (const auto& c : contenders) {
      const R got = c.value();
      if (close(got, want, error_each * static_cast<double>(n))) continue;
      t.cells.push_back({element_name, op_name, "value", c.name, n, bytes, 0, 0, false});
      right = false;
    }
    if (!right) {
      t.wrong = true;
      std::printf("  %-8s %-8s %zu elements: a wrong result\n", element_name, op_name, n);
      continue;
    }

    std::vector<double> seconds[3];
    const auto take_turns = [&](const char* way, int rounds, int who, const auto& time) {
      for (auto& s : seconds) s.clear();
      for (int r = 0; r < rounds; ++r) {
        for (int c = 0; c < who; ++c) seconds[c].push_back(time(c));
      }
      for (int c = 0; c < who; ++c) record(way, contenders[c].name, seconds[c]);
    };
    constexpr std::size_t MB = std::size_t{1} << 20;
    take_turns("cold",
               bytes >= 1024 * MB ? 7
               : bytes >= 64 * MB ? 11
                                  : 21,
               2, [&](int c) { return g.cold(contenders[c].enqueue); });
    take_turns("value", bytes >= 64 * MB ? 5 : 15, 3,
               [&](int c) { return host_seconds([&] { (void)contenders[c].value(); }); });
    if (bytes > 128 * MB) continue;  // nothing is left of it in the cache
    take_turns("hot", 21, 2, [&](int c) {
      contenders[c].enqueue();
      return g.between(contenders[c].enqueue);
    });
    take_turns("queue", 7, 2, [&](int c) {
      return g.between([&] {
        for (int i = 0; i < 20; ++i) contenders[c].enqueue();
      }) / 20;
    });
    cudaGraphExec_t graphs[2] = {g.graph_of(contenders[0].enqueue),
                                 g.graph_of(contenders[1].enqueue)};
    take_turns("graph", 7, 2, [&](int c) {
      return g.between([&] { check(cudaGraphLaunch(graphs[c], g.stream)); }) / 20;
    });
    for (cudaGraphExec_t& graph : graphs) check(cudaGraphExecDestroy(graph));
  }
  std::printf("  %-8s %-8s %5.1f s\n", element_name, op_name,
              std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count());
  std::fflush(stdout);
}

/// The ops of a number.
template <class T>
void number(table& t, const char* name) {
  column<T>(t, name, "sum", wf::plus{});
  column<T>(t, name, "min", wf::minimum{});
  column<T>(t, name, "max", wf::maximum{});
  column<T>(t, name, "product", wf::multiplies{}, true);
  // The larger, as a user might say it.
  column<T>(t, name, "lambda", [] __host__ __device__(const T& a, const T& b) {
    if constexpr (wf::is_half_v<T>) {
      return static_cast<float>(a) < static_cast<float>(b) ? b : a;
    } else {
      return a < b ? b : a;
    }
  });
}

/// So many floats side by side: 12, 20, 28 bytes.
template <int N>
struct floats {
  float x[N];
};
struct sum_of_parts {
  template <int N>
  __host__ __device__ floats<N> operator()(const floats<N>& a, const floats<N>& b) const {
    floats<N> s;
    for (int i = 0; i < N; ++i) s.x[i] = a.x[i] + b.x[i];
    return s;
  }
};
struct max_of_parts {
  template <int N>
  __host__ __device__ floats<N> operator()(const floats<N>& a, const floats<N>& b) const {
    floats<N> s;
    for (int i = 0; i < N; ++i) s.x[i] = a.x[i] < b.x[i] ? b.x[i] : a.x[i];
    return s;
  }
};
template <int N>
void structure(table& t, const char* name) {
  column<floats<N>>(t, name, "sum", sum_of_parts{});
  column<floats<N>>(t, name, "max", max_of_parts{});
}

}  // namespace grid
