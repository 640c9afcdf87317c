/// @file
/// needs: cuda
/// Contenders of a benchmark: calls that compute the same. They are checked, and measured in turns.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <functional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <warpfold/runtime/buffer.hpp>

#include "measure.hpp"

namespace measure {

/// Memory that a contender writes.
struct output {
  void* data;
  std::size_t bytes;
};
template <class T>
output output_of(warpfold::device_buffer<T>& buffer) {
  return {buffer.data(), buffer.size() * sizeof(T)};
}

struct contender {
  std::string name;
  std::function<void()> call;
  output out;
  std::function<unsigned()> mistakes;  ///< the number of wrong results; null: not compared
  unsigned wrong = 0;
  double cold = 0, queue = 0, graph = 0;  // seconds; 0 if not measured
};

struct row {
  std::string work, size;
  std::size_t bytes = 0;              ///< read and written
  std::vector<contender> contenders;  ///< the first is warpfold's
  bool right = true;                  ///< no contender is wrong
};

inline void print(const row& r, double seconds) {
  std::fprintf(stderr, "%5.1f s  %s: %s\n", seconds, r.work.c_str(), r.size.c_str());
  for (const contender& c : r.contenders) {
    std::fprintf(stderr, "         %-24s %10.2f us", c.name.c_str(), c.cold * 1e6);
    if (c.queue > 0) std::fprintf(stderr, ", queue %10.2f", c.queue * 1e6);
    if (c.graph > 0) std::fprintf(stderr, ", graph %8.2f", c.graph * 1e6);
    if (&c != r.contenders.data()) {
      std::fprintf(stderr, "  x %.2f", c.cold / r.contenders[0].cold);
      if (c.queue > 0) std::fprintf(stderr, ", queue %.2f", c.queue / r.contenders[0].queue);
    }
    if (c.wrong != 0) std::fprintf(stderr, "  WRONG: %u results", c.wrong);
    std::fprintf(stderr, "\n");
  }
}

/// The seconds since the first call of this function.
inline double seconds_now() {
  static const auto start = std::chrono::steady_clock::now();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Runs each contender once and compares its result, then measures them in turns, and prints the
/// times to stderr.
inline void measure_contenders(row& r, bool only_cold = false) {
  constexpr int calls = 20;
  constexpr double too_slow = 4, most_in_graph = 3e-4;
  gpu& g = machine();
  for (contender& c : r.contenders) {
    if (c.out.bytes != 0) check(cudaMemsetAsync(c.out.data, 255, c.out.bytes, g.stream));
    c.call();
    check(cudaGetLastError());
    check(cudaStreamSynchronize(g.stream));
    if (c.mistakes) c.wrong = c.mistakes();
    r.right = r.right && c.wrong == 0;
  }
  std::vector<contender*> measured;
  double longest = 0;
  for (contender& c : r.contenders) {
    double once = g.cold(c.call);
    if (once < 1e-3) once = std::min(once, g.cold(c.call));  // no outlier
    c.cold = once;
    if (once > too_slow * r.contenders[0].cold) continue;
    measured.push_back(&c);
    longest = std::max(longest, once);
  }
  std::vector<std::vector<double>> cold(measured.size()), queue(measured.size());
  for (int turn = 0; turn < (longest > 2e-3 ? 3 : 9); ++turn) {
    for (std::size_t i = 0; i < measured.size(); ++i) {
      cold[i].push_back(g.cold(measured[i]->call));
    }
  }
  for (int turn = 0; !only_cold && turn < (longest > 1e-3 ? 1 : 3); ++turn) {
    for (std::size_t i = 0; i < measured.size(); ++i) {
      queue[i].push_back(g.between([&] {
        for (int k = 0; k < calls; ++k) measured[i]->call();
      }) / calls);
    }
  }
  for (std::size_t i = 0; i < measured.size(); ++i) {
    measured[i]->cold = median(cold[i]);
    if (!only_cold) measured[i]->queue = median(queue[i]);
  }
  const bool in_graph = !only_cold && r.contenders[0].cold < most_in_graph;
  for (contender* c : measured) {
    if (in_graph) c->graph = graph_time_of(c->call);
  }
  print(r, seconds_now());
}

/// The options of a benchmark: `--list`, and `--only TEXT` any number of times.
struct selection {
  bool list = false, valid = true;
  std::vector<std::string> only;

  /// After other arguments it is not valid, and the usage is printed.
  selection(int argc, char** argv) {
    for (int i = 1; i < argc && valid; ++i) {
      if (std::strcmp(argv[i], "--list") == 0) {
        list = true;
      } else if (std::strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
        only.push_back(argv[++i]);
      } else {
        std::fprintf(stderr, "usage: %s [--list] [--only TEXT]...\n", argv[0]);
        valid = false;
      }
    }
  }
  /// Erases the rows that contain none of the texts.
  template <class Row>
  void apply(std::vector<Row>& rows) const {
    if (only.empty()) return;
    std::erase_if(rows, [&](const Row& r) {
      const std::string text = r.work + ": " + r.size;
      return std::none_of(only.begin(), only.end(), [&](const std::string& part) {
        return text.find(part) != std::string::npos;
      });
    });
  }
};

template <class Row>
void print_list(const std::vector<Row>& rows) {
  for (const Row& r : rows) std::printf("%s: %s\n", r.work.c_str(), r.size.c_str());
}

/// Keeps the GPU busy until its clocks are those of a busy GPU.
inline void warm_up() {
  gpu& g = machine();
  for (int i = 0; i < 2000; ++i) {
    check(cudaMemsetAsync(g.flush.data(), 1, g.flush.size(), g.stream));
  }
}

/// Writes the contenders of a row as JSON.
inline void write_contenders(std::ostream& json, const row& r) {
  json << "\"bytes\": " << r.bytes << ", \"contenders\": [";
  for (const contender& c : r.contenders) {
    json << (&c == r.contenders.data() ? "" : ", ") << "{\"name\": \"" << c.name
         << "\", \"cold_us\": " << fixed(c.cold * 1e6, 2);
    if (c.queue > 0) json << ", \"queue_us\": " << fixed(c.queue * 1e6, 2);
    if (c.graph > 0) json << ", \"graph_us\": " << fixed(c.graph * 1e6, 2);
    if (c.wrong != 0) json << ", \"wrong\": " << c.wrong;
    json << "}";
  }
  json << "]";
}

// --- elements and comparisons --------------------------------------------------------------------

inline __host__ __device__ unsigned hash_of(std::size_t i) {
  auto h = static_cast<unsigned>(i * 2654435761u + (i >> 32) + 12345);
  h = (h ^ h >> 15) * 2246822519u;
  h = (h ^ h >> 13) * 3266489917u;
  return h ^ h >> 16;
}

template <class T, class F>
__global__ void fill(T* data, std::size_t n, F f) {
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) {
    data[i] = f(i);
  }
}
template <class T, class F>
warpfold::device_buffer<T> filled(std::size_t n, const F& f) {
  warpfold::device_buffer<T> buffer(n);
  fill<<<2048, 256, 0, machine().stream>>>(buffer.data(), n, f);
  check(cudaStreamSynchronize(machine().stream));
  return buffer;
}

template <class IsWrong>
__global__ void count_wrong(std::size_t n, IsWrong is_wrong, unsigned* count) {
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) {
    if (is_wrong(i)) atomicAdd(count, 1u);
  }
}
template <class IsWrong>
unsigned wrong_of(std::size_t n, const IsWrong& is_wrong) {
  static warpfold::device_buffer<unsigned> count(1);
  cudaStream_t const stream = machine().stream;
  check(cudaMemsetAsync(count.data(), 0, sizeof(unsigned), stream));
  count_wrong<<<2048, 256, 0, stream>>>(n, is_wrong, count.data());
  check(cudaGetLastError());
  check(cudaStreamSynchronize(stream));
  return count.to_host()[0];
}

/// Floats that differ from `want`, which are floats or integers.
template <class T>
struct differs {
  const float* got;
  const T* want;
  double relative, absolute;
  __device__ bool operator()(std::size_t i) const {
    const double x = got[i], y = static_cast<double>(want[i]);
    return !(fabs(x - y) <= absolute + relative * fabs(y));  // true for a NaN
  }
};

}  // namespace measure
