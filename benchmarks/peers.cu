// Work as programs do it, beside the way that others do the same work: Thrust, CUB, and kernels
// written by hand. Functions that compute, records, text, classes, short calls, lists of ranges,
// rows of matrices, sizes that lie on the GPU; and the calls of drop_in::thrust and drop_in::cub
// beside the calls that they stand for.
//
// A row is one piece of work. All contenders write a result that the benchmark compares before it
// times anything. Contenders take turns within one run. A call that enqueues is timed with a cold
// cache and 20 times in a row (with a warm cache); a call that returns a value is timed by the
// host, with a cold cache. Times are medians.
//
// Writes benchmarks/results/<gpu>/peers.json and peers.md in the current directory, or under
// WARPFOLD_RESULTS.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <cuda/std/mdspan>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/device/device_transform.cuh>

#include <warpfold/drop_in/cub.hpp>
#include <warpfold/drop_in/thrust.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/reduce_by_class.hpp>
#include <warpfold/reduce_many.hpp>
#include <warpfold/transform.hpp>
#include <warpfold/transform_axis.hpp>
#include <warpfold/view/broadcast.hpp>
#include <warpfold/view/counted.hpp>
#include <warpfold/view/counting.hpp>
#include <warpfold/view/where.hpp>
#include <warpfold/view/zip.hpp>

#include "measure.hpp"
#include "plain_classes.hpp"

namespace wf = warpfold;

namespace {

using namespace measure;
using matrix = cuda::std::mdspan<const float, cuda::std::dextents<int, 2>>;

// --- rows ----------------------------------------------------------------------------------------

/// One way to do the work. `result` reads back a number that all contenders agree on.
struct contender {
  std::string name;
  std::function<void()> call;
  std::function<double()> result;
  double cold = 0, warm = 0;  // seconds
  double got = 0;
};

struct row {
  std::string work, size;
  std::size_t bytes;                  ///< read and written; 0 if the work only computes
  bool waits;                         ///< the call returns a value
  double tolerance;                   ///< relative, between results
  std::vector<contender> contenders;  ///< the first is warpfold's

  bool agrees(const contender& c) const {
    const double want = contenders.back().got;
    return std::abs(c.got - want) <= tolerance * std::max(1.0, std::abs(want));
  }
  bool is_right() const {
    return std::all_of(contenders.begin(), contenders.end(),
                       [&](const contender& c) { return agrees(c); });
  }
};
std::vector<row> rows;

double seconds_of(const std::function<void()>& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double cold_of(const row& r, const contender& c) {
  gpu& g = machine();
  if (!r.waits) return g.cold(c.call);
  check(cudaMemsetAsync(g.flush.data(), 1, g.flush.size(), g.stream));
  check(cudaDeviceSynchronize());
  return seconds_of(c.call);
}

double warm_of(const row& r, const contender& c) {
  gpu& g = machine();
  if (r.waits) return seconds_of(c.call);
  constexpr int calls = 20;
  return g.between([&] {
    for (int i = 0; i < calls; ++i) c.call();
  }) / calls;
}

void print(const row& r) {
  std::printf("%-34s %-18s", r.work.c_str(), r.size.c_str());
  for (const contender& c : r.contenders) {
    std::printf("  %s %.2f/%.2f", c.name.c_str(), c.cold * 1e6, c.warm * 1e6);
    if (&c != r.contenders.data()) {
      std::printf(" (%.2f, %.2f times)", c.cold / r.contenders[0].cold,
                  c.warm / r.contenders[0].warm);
    }
    if (!r.agrees(c)) std::printf(" WRONG: %.9g", c.got);
  }
  std::printf("\n");
  std::fflush(stdout);
}

/// Measures a row and keeps it. Each contender runs once before, for its result.
void measure_row(row r) {
  for (contender& c : r.contenders) {
    c.call();
    check(cudaDeviceSynchronize());
    c.got = c.result();
  }
  const double once = cold_of(r, r.contenders[0]);
  const int turns = once > 5e-3 ? 3 : once > 5e-4 ? 7 : 25;
  std::vector<std::vector<double>> cold(r.contenders.size()), warm(r.contenders.size());
  for (int turn = 0; turn < turns; ++turn) {
    for (std::size_t i = 0; i < r.contenders.size(); ++i) {
      cold[i].push_back(cold_of(r, r.contenders[i]));
    }
    if (turn % 4 != 0) continue;
    for (std::size_t i = 0; i < r.contenders.size(); ++i) {
      warm[i].push_back(warm_of(r, r.contenders[i]));
    }
  }
  for (std::size_t i = 0; i < r.contenders.size(); ++i) {
    r.contenders[i].cold = median(cold[i]);
    r.contenders[i].warm = median(warm[i]);
  }
  print(r);
  rows.push_back(std::move(r));
}

template <class T>
T from_gpu(const T* p) {
  T value;
  check(cudaMemcpy(&value, p, sizeof(T), cudaMemcpyDeviceToHost));
  return value;
}

/// A number that differs if any of the elements differs much.
template <class T>
double checksum(const T* p, std::size_t n) {
  std::vector<T> v(n);
  check(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i)
    sum += static_cast<double>(v[i]) * static_cast<double>(1 + i % 7);
  return sum;
}

template <class T>
wf::device_buffer<T> random_numbers(std::size_t n, unsigned most, unsigned seed = 1) {
  std::vector<T> v(n);
  std::uint32_t bits = seed;
  for (T& x : v) {
    bits = bits * 1664525u + 1013904223u;
    x = static_cast<T>((bits >> 8) % most);
  }
  return wf::device_buffer<T>(v);
}

/// CUB's two calls: the scratch memory is found once.
template <class Call>
contender of_cub(const char* name, Call call, std::function<double()> result) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes));
  auto scratch = std::make_shared<wf::device_buffer<unsigned char>>(bytes + 1);
  return {name,
          [=] {
            std::size_t size = bytes;
            check(call(static_cast<void*>(scratch->data()), size));
          },
          std::move(result)};
}

/// A call that returns a value: `call` returns it as a number.
contender that_waits(const char* name, std::function<double()> call) {
  auto value = std::make_shared<double>(0);
  return {name, [=] { *value = call(); }, [=] { return *value; }};
}

auto here() { return wf::device.on(machine().stream); }
auto thrust_here() { return thrust::cuda::par_nosync.on(machine().stream); }

// --- functions that compute ----------------------------------------------------------------------

/// The points of `steps` random pairs that lie in the quarter of the unit circle.
struct points_inside {
  unsigned steps;
  WARPFOLD_HD float operator()(unsigned seed) const {
    std::uint32_t state = seed * 2654435761u + 12345u;
    float inside = 0;
    for (unsigned i = 0; i < steps; ++i) {
      state = state * 1664525u + 1013904223u;
      const float x = static_cast<float>(state >> 8) * 0x1p-24f;
      state = state * 1664525u + 1013904223u;
      const float y = static_cast<float>(state >> 8) * 0x1p-24f;
      if (x * x + y * y <= 1) inside += 1;
    }
    return inside / static_cast<float>(steps);
  }
};

/// The sum of `f` of each element, beside CUB's, which reads the elements from `first` on.
template <class T, class Range, class Iterator, class F>
void sum_of_function(std::string work, std::string size, std::size_t bytes, double tolerance,
                     const Range& range, Iterator first, std::int64_t n, F f) {
  gpu& g = machine();
  T* const out = g.result<T>();
  const auto result = [=] { return static_cast<double>(from_gpu(out)); };
  measure_row(
      {std::move(work),
       std::move(size),
       bytes,
       false,
       tolerance,
       {{"ours", [=] { wf::reduce_async(here(), wf::project(range, f), wf::plus{}, out); }, result},
        of_cub(
            "CUB",
            [=, &g](void* scratch, std::size_t& bytes) {
              return cub::DeviceReduce::TransformReduce(scratch, bytes, first, out, n,
                                                        cuda::std::plus<>{}, f, T{}, g.stream);
            },
            result)}});
}

void monte_carlo(unsigned n, unsigned steps) {
  sum_of_function<float>("points in a circle, " + std::to_string(steps) + " steps",
                         std::to_string(n) + " seeds", 0, 1e-4, wf::counting(0u, n),
                         thrust::counting_iterator<unsigned>(0), n, points_inside{steps});
}

struct points_of_float {
  points_inside of;
  WARPFOLD_HD float operator()(float x) const { return of(static_cast<unsigned>(x)); }
};

/// The same of floats in memory: how many elements a thread takes matters.
void function_of_floats(std::size_t n, unsigned steps) {
  static wf::device_buffer<float> v;
  v = random_numbers<float>(n, 1000);
  const float* const p = v.data();
  sum_of_function<float>("function of floats, " + std::to_string(steps) + " steps",
                         std::to_string(n) + " floats", 4 * n, 1e-4, std::span(p, n), p,
                         static_cast<std::int64_t>(n), points_of_float{{steps}});
}

void monte_carlo_value(unsigned n, unsigned steps) {
  const points_inside f{steps};
  const thrust::counting_iterator<unsigned> first(0);
  measure_row({"points in a circle, a value",
               std::to_string(n) + " seeds",
               0,
               true,
               1e-4,
               {that_waits("ours",
                           [=] {
                             return static_cast<double>(wf::reduce(
                                 here(), wf::project(wf::counting(0u, n), f), wf::plus{}));
                           }),
                that_waits("Thrust", [=] {
                  return static_cast<double>(thrust::transform_reduce(
                      thrust_here(), first, first + n, f, 0.0f, thrust::plus<float>()));
                })}});
}

struct term_of_pi {
  double width;
  WARPFOLD_HD double operator()(unsigned i) const {
    const double x = (i + 0.5) * width;
    return 4 / (1 + x * x) * width;
  }
};

void pi(unsigned n) {
  sum_of_function<double>("pi by doubles", std::to_string(n) + " terms", 0, 1e-9,
                          wf::counting(0u, n), thrust::counting_iterator<unsigned>(0), n,
                          term_of_pi{1.0 / n});
}

/// The moments of Thrust's example, as its users write them.
struct summary {
  float n, least, greatest, mean, m2, m3;
};
struct summary_of_one {
  WARPFOLD_HD summary operator()(float x) const { return {1, x, x, x, 0, 0}; }
};
struct summary_of_both {
  WARPFOLD_HD summary operator()(const summary& x, const summary& y) const {
    const float n = x.n + y.n, d = y.mean - x.mean, step = d / n;
    return {n,
            x.least < y.least ? x.least : y.least,
            x.greatest > y.greatest ? x.greatest : y.greatest,
            x.mean + step * y.n,
            x.m2 + y.m2 + d * step * x.n * y.n,
            x.m3 + y.m3 + d * step * step * x.n * y.n * (x.n - y.n) +
                3 * step * (x.n * y.m2 - y.n * x.m2)};
  }
};

void summaries(std::size_t n) {
  gpu& g = machine();
  static wf::device_buffer<float> v;
  v = random_numbers<float>(n, 1000);
  const std::span<const float> all(v.data(), n);
  summary* const out = g.result<summary>();
  const auto result = [=] { return static_cast<double>(from_gpu(out).mean); };
  const float* const first = v.data();
  const summary init = summary_of_one{}(0);
  measure_row({"summary of six floats, a struct",
               std::to_string(n) + " floats",
               n * 4,
               false,
               1e-3,
               {{"ours",
                 [=] {
                   wf::reduce_async(here(), wf::project(all, summary_of_one{}), init,
                                    summary_of_both{}, out);
                 },
                 result},
                of_cub(
                    "CUB",
                    [=, &g](void* scratch, std::size_t& bytes) {
                      return cub::DeviceReduce::TransformReduce(
                          scratch, bytes, first, out, static_cast<std::int64_t>(n),
                          summary_of_both{}, summary_of_one{}, init, g.stream);
                    },
                    result)}});
  measure_row({"summary of six floats, a value",
               std::to_string(n) + " floats",
               n * 4,
               true,
               1e-3,
               {that_waits("ours",
                           [=] {
                             return static_cast<double>(
                                 wf::reduce(here(), wf::project(all, summary_of_one{}), init,
                                            summary_of_both{})
                                     .mean);
                           }),
                that_waits("Thrust", [=] {
                  return static_cast<double>(thrust::transform_reduce(thrust_here(), first,
                                                                      first + n, summary_of_one{},
                                                                      init, summary_of_both{})
                                                 .mean);
                })}});
}

struct starts_word {
  WARPFOLD_HD static bool is_letter(unsigned char c) { return c > ' '; }
  WARPFOLD_HD int operator()(unsigned char before, unsigned char c) const {
    return !is_letter(before) && is_letter(c);
  }
};
struct starts_word_of_two {
  template <class Two>
  WARPFOLD_HD int operator()(const Two& two) const {
    return starts_word{}(thrust::get<0>(two), thrust::get<1>(two));
  }
};

void words(std::size_t n) {
  gpu& g = machine();
  static wf::device_buffer<unsigned char> text;
  text = random_numbers<unsigned char>(n, 60, 3);
  const unsigned char* const p = text.data();
  int* const out = g.result<int>();
  const auto result = [=] { return static_cast<double>(from_gpu(out)); };
  const std::span<const unsigned char> before(p, n - 1), after(p + 1, n - 1);
  const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(p, p + 1));
  measure_row({"starts of words",
               size_text(n),
               n,
               false,
               0,
               {{"ours",
                 [=] {
                   wf::reduce_async(here(), wf::project(wf::zip(before, after), starts_word{}), 0,
                                    wf::plus{}, out);
                 },
                 result},
                of_cub(
                    "CUB",
                    [=, &g](void* scratch, std::size_t& bytes) {
                      return cub::DeviceReduce::TransformReduce(
                          scratch, bytes, pairs, out, static_cast<std::int64_t>(n - 1),
                          cuda::std::plus<>{}, starts_word_of_two{}, 0, g.stream);
                    },
                    result)}});
}

struct dot_of_three {
  WARPFOLD_HD float operator()(float a, float b, float c, float x, float y, float z) const {
    return a * x + b * y + c * z;
  }
};

void transform_six(std::size_t n) {
  gpu& g = machine();
  static wf::device_buffer<float> in, out;
  in = random_numbers<float>(6 * n, 16);
  out = wf::device_buffer<float>(n);
  const float* const p = in.data();
  float* const to = out.data();
  const auto part = [=](std::size_t i) { return std::span<const float>(p + i * n, n); };
  const auto result = [=] { return checksum(to, n); };
  measure_row({"dot products of 2 x 3 arrays, written",
               std::to_string(n),
               28 * n,
               false,
               0,
               {{"ours",
                 [=] {
                   wf::transform_async(
                       here(), wf::zip(part(0), part(1), part(2), part(3), part(4), part(5)),
                       std::span<float>(to, n), dot_of_three{});
                 },
                 result},
                {"CUB",
                 [=, &g] {
                   check(cub::DeviceTransform::Transform(
                       cuda::std::make_tuple(p, p + n, p + 2 * n, p + 3 * n, p + 4 * n, p + 5 * n),
                       to, static_cast<std::int64_t>(n), dot_of_three{}, g.stream));
                 },
                 result}}});
}

// --- rows of matrices ----------------------------------------------------------------------------

struct times {
  WARPFOLD_HD float operator()(float x, float y) const { return x * y; }
};

/// Dot products as CUDA's sample scalarProd computes them: a block a pair, 1024 partial sums in
/// shared memory, and a tree.
__global__ void dots_by_hand(const float* a, const float* b, float* out, int vectors, int n) {
  constexpr int parts = 1024;
  __shared__ float sums[parts];
  for (int v = static_cast<int>(blockIdx.x); v < vectors; v += static_cast<int>(gridDim.x)) {
    const float* const x = a + static_cast<std::size_t>(v) * static_cast<std::size_t>(n);
    const float* const y = b + static_cast<std::size_t>(v) * static_cast<std::size_t>(n);
    for (int i = static_cast<int>(threadIdx.x); i < parts; i += static_cast<int>(blockDim.x)) {
      float sum = 0;
      for (int k = i; k < n; k += parts) sum += x[k] * y[k];
      sums[i] = sum;
    }
    for (int stride = parts / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      for (int i = static_cast<int>(threadIdx.x); i < stride; i += static_cast<int>(blockDim.x)) {
        sums[i] += sums[stride + i];
      }
    }
    __syncthreads();
    if (threadIdx.x == 0) out[v] = sums[0];
    __syncthreads();
  }
}

void dots(int vectors, int n) {
  gpu& g = machine();
  const auto size = static_cast<std::size_t>(vectors) * static_cast<std::size_t>(n);
  static wf::device_buffer<float> in, out;
  in = random_numbers<float>(2 * size, 4);
  out = wf::device_buffer<float>(static_cast<std::size_t>(vectors));
  const float* const p = in.data();
  float* const to = out.data();
  const auto rows_of = static_cast<std::size_t>(vectors);
  const auto result = [=] { return checksum(to, rows_of); };
  const matrix a(p, vectors, n), b(p + size, vectors, n);
  measure_row({"dot products of rows",
               std::to_string(vectors) + " x " + std::to_string(n),
               8 * size,
               false,
               1e-5,
               {{"ours",
                 [=] {
                   wf::reduce_axis_async<1>(here(), wf::project(wf::zip(a, b), times{}), wf::plus{},
                                            std::span<float>(to, rows_of));
                 },
                 result},
                {"by hand",
                 [=, &g] { dots_by_hand<<<128, 256, 0, g.stream>>>(p, p + size, to, vectors, n); },
                 result}}});
}

/// The greatest element and the sum of exp(x - greatest), in one read.
struct softmax_state {
  float top, sum;
};
struct softmax_op {
  WARPFOLD_HD static softmax_state identity() { return {-INFINITY, 0}; }
  WARPFOLD_HD static softmax_state lift(float x) { return {x, 1}; }
  WARPFOLD_HD softmax_state operator()(const softmax_state& a, const softmax_state& b) const {
    const float top = fmaxf(a.top, b.top);
    if (top == -INFINITY) return {top, 0};
    return {top, a.sum * expf(a.top - top) + b.sum * expf(b.top - top)};
  }
};
struct share {
  WARPFOLD_HD float operator()(float x, float top, float sum) const { return expf(x - top) / sum; }
};
struct share_of_state {
  WARPFOLD_HD float operator()(float x, softmax_state s) const { return expf(x - s.top) / s.sum; }
};
struct above {
  WARPFOLD_HD float operator()(float x, float top) const { return expf(x - top); }
};

/// A softmax as programs for language models write it: a block a row, each thread keeps a maximum
/// and a sum of its elements, and the second loop reads the row again, from the end, from the
/// cache.
__global__ void softmax_by_hand(const float* in, float* out, int n) {
  __shared__ float tops[32], sums[32];
  const float* const x = in + static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(n);
  float* const y = out + static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(n);
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  float top = -INFINITY, sum = 0;
  for (int i = static_cast<int>(threadIdx.x); i < n; i += static_cast<int>(blockDim.x)) {
    const float v = x[i];
    const float next = fmaxf(top, v);
    sum = sum * expf(top - next) + expf(v - next);
    top = next;
  }
  float best = top;
  for (int d = 16; d > 0; d /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, d));
  sum = top == -INFINITY ? 0 : sum * expf(top - best);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (lane == 0) tops[warp] = best, sums[warp] = sum;
  __syncthreads();
  const int warps = static_cast<int>(blockDim.x) / 32;
  best = lane < warps ? tops[lane] : -INFINITY;
  sum = lane < warps ? sums[lane] : 0;
  top = best;
  for (int d = 16; d > 0; d /= 2) best = fmaxf(best, __shfl_xor_sync(~0u, best, d));
  sum = top == -INFINITY ? 0 : sum * expf(top - best);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  const float scale = 1 / sum;
  const int last = (n - 1) / static_cast<int>(blockDim.x) * static_cast<int>(blockDim.x);
  for (int i = last + static_cast<int>(threadIdx.x); i >= 0; i -= static_cast<int>(blockDim.x)) {
    if (i < n) __stcs(y + i, expf(__ldcs(x + i) - best) * scale);
  }
}

void softmax(int count, int n) {
  gpu& g = machine();
  const auto size = static_cast<std::size_t>(count) * static_cast<std::size_t>(n);
  const auto rows_of = static_cast<std::size_t>(count);
  static wf::device_buffer<float> in, out, tops, sums;
  static wf::device_buffer<softmax_state> states;
  in = random_numbers<float>(size, 16);
  out = wf::device_buffer<float>(size);
  tops = wf::device_buffer<float>(rows_of);
  sums = wf::device_buffer<float>(rows_of);
  states = wf::device_buffer<softmax_state>(rows_of);
  const float* const p = in.data();
  float* const to = out.data();
  const auto result = [=] { return checksum(to, std::min(size, std::size_t{1} << 24)); };
  const matrix m(p, count, n);
  const std::span<float> top(tops.data(), rows_of), sum(sums.data(), rows_of);
  const std::span<softmax_state> state(states.data(), rows_of);
  const int threads = n > 4096 ? 1024 : 256;
  const cuda::std::mdspan<float, cuda::std::dextents<int, 2>> written(to, count, n);
  measure_row(
      {"softmax of rows",
       std::to_string(count) + " x " + std::to_string(n),
       8 * size,
       false,
       1e-4,
       {{"ours, one call",
         [=] { wf::transform_axis_async<1>(here(), m, softmax_op{}, written, share_of_state{}); },
         result},
        {"ours, two calls",
         [=] {
           wf::reduce_axis_async<1>(here(), m, softmax_op{}, state);
           wf::transform_async(here(), wf::zip(m, wf::broadcast<0>(state)), written,
                               share_of_state{});
         },
         result},
        {"ours, three calls",
         [=] {
           wf::reduce_axis_async<1>(here(), m, wf::maximum{}, top);
           wf::reduce_axis_async<1>(here(), wf::project(wf::zip(m, wf::broadcast<0>(top)), above{}),
                                    wf::plus{}, sum);
           wf::transform_async(here(), wf::zip(m, wf::broadcast<0>(top), wf::broadcast<0>(sum)),
                               written, share{});
         },
         result},
        {"by hand",
         [=, &g] {
           softmax_by_hand<<<static_cast<unsigned>(count), threads, 0, g.stream>>>(p, to, n);
         },
         result}}});
}

struct scaled {
  WARPFOLD_HD float operator()(float x, float factor) const { return x * factor; }
};

void broadcast_of_rows(int count, int n) {
  gpu& g = machine();
  const auto size = static_cast<std::size_t>(count) * static_cast<std::size_t>(n);
  static wf::device_buffer<float> in, out, ones;
  in = random_numbers<float>(size, 16);
  out = wf::device_buffer<float>(size);
  const auto most = static_cast<std::size_t>(std::max(count, n));
  ones = wf::device_buffer<float>(std::vector<float>(most, 1));
  const float* const p = in.data();
  float* const to = out.data();
  const auto result = [=] { return checksum(to, std::min(size, std::size_t{1} << 24)); };
  const matrix m(p, count, n);
  const cuda::std::mdspan<float, cuda::std::dextents<int, 2>> written(to, count, n);
  const std::span<const float> per_row(ones.data(), static_cast<std::size_t>(count)),
      per_column(ones.data(), static_cast<std::size_t>(n));
  measure_row(
      {"matrix times a factor",
       std::to_string(count) + " x " + std::to_string(n),
       8 * size,
       false,
       0,
       {{"ours, of rows",
         [=] {
           wf::transform_async(here(), wf::zip(m, wf::broadcast<0>(per_row)), written, scaled{});
         },
         result},
        {"ours, of columns",
         [=] {
           wf::transform_async(here(), wf::zip(m, wf::broadcast<1>(per_column)), written, scaled{});
         },
         result},
        {"a copy",
         [=, &g] { check(cudaMemcpyAsync(to, p, size * 4, cudaMemcpyDeviceToDevice, g.stream)); },
         result}}});
}

// --- labels --------------------------------------------------------------------------------------

/// The nearest of `k` centers; writes the label and returns 1 if it is another than before.
struct relabel {
  const float *x, *y, *centers;
  int* labels;
  int k;
  WARPFOLD_HD int operator()(unsigned i) const {
    const float px = x[i], py = y[i];
    float least = INFINITY;
    int best = 0;
    for (int c = 0; c < k; ++c) {
      const float dx = px - centers[2 * c], dy = py - centers[2 * c + 1];
      const float distance = dx * dx + dy * dy;
      if (distance < least) least = distance, best = c;
    }
    const int changed = labels[i] != best;
    labels[i] = best;
    return changed;
  }
};

__global__ void relabel_by_hand(relabel f, unsigned n, int* changes) {
  extern __shared__ float centers[];
  for (unsigned c = threadIdx.x; c < 2 * static_cast<unsigned>(f.k); c += blockDim.x) {
    centers[c] = f.centers[c];
  }
  __syncthreads();
  f.centers = centers;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int changed = i < n ? f(i) : 0;
  const int count = __syncthreads_count(changed);
  if (threadIdx.x == 0 && count != 0) atomicAdd(changes, count);
}

void k_means(unsigned n, int k) {
  gpu& g = machine();
  static wf::device_buffer<float> points, centers;
  static wf::device_buffer<int> labels;
  points = random_numbers<float>(2 * std::size_t{n}, 10000);
  centers = random_numbers<float>(2 * static_cast<std::size_t>(k), 10000, 9);
  labels = wf::device_buffer<int>(std::vector<int>(n, -1));
  int* const changes = g.result<int>();
  int* const label = labels.data();
  const relabel f{points.data(), points.data() + n, centers.data(), label, k};
  const auto result = [=] { return checksum(label, n); };
  measure_row(
      {"labels of k-means, and changes",
       std::to_string(n) + " k " + std::to_string(k),
       16 * std::size_t{n},
       false,
       0,
       {{"ours",
         [=] {
           wf::reduce_async(here(), wf::project(wf::counting(0u, n), f), 0, wf::plus{}, changes);
         },
         result},
        {"by hand",
         [=, &g] {
           check(cudaMemsetAsync(changes, 0, sizeof(int), g.stream));
           relabel_by_hand<<<(n + 255) / 256, 256, static_cast<std::size_t>(k) * 8, g.stream>>>(
               f, n, changes);
         },
         result}}});
}

template <class Label>
void counted_classes(std::size_t n, int classes, bool are_equal) {
  gpu& g = machine();
  static wf::device_buffer<Label> labels;
  static wf::device_buffer<int> ours, theirs;
  labels = random_numbers<Label>(n, are_equal ? 1 : static_cast<unsigned>(classes));
  ours = wf::device_buffer<int>(static_cast<std::size_t>(classes));
  theirs = wf::device_buffer<int>(static_cast<std::size_t>(classes));
  const std::span<const Label> all(labels.data(), n);
  const std::span<int> out(ours.data(), static_cast<std::size_t>(classes));
  const Label* const p = labels.data();
  int* const to = theirs.data();
  const auto size = static_cast<std::size_t>(classes);
  const std::string what = sizeof(Label) == 1 ? "bytes counted" : "classes counted";
  measure_row({what + (are_equal ? ", labels equal" : ""),
               std::to_string(n) + ", " + std::to_string(classes) + " classes",
               sizeof(Label) * n,
               false,
               0,
               {{"ours", [=] { wf::count_by_class_async(here(), all, size, out); },
                 [=] { return checksum(out.data(), size); }},
                of_cub(
                    "CUB",
                    [=, &g](void* scratch, std::size_t& bytes) {
                      return cub::DeviceHistogram::HistogramEven(scratch, bytes, p, to, classes + 1,
                                                                 0, classes, static_cast<int>(n),
                                                                 g.stream);
                    },
                    [=] { return checksum(to, size); })}});
}

void sums_of_classes(std::size_t n, int classes) {
  gpu& g = machine();
  static wf::device_buffer<int> labels;
  static wf::device_buffer<float> values, ours, theirs;
  const auto size = static_cast<std::size_t>(classes);
  labels = random_numbers<int>(n, static_cast<unsigned>(classes), 5);
  values = random_numbers<float>(n, 4);
  ours = wf::device_buffer<float>(size);
  theirs = wf::device_buffer<float>(size);
  const std::span<const int> all(labels.data(), n);
  const std::span<const float> of(values.data(), n);
  const std::span<float> out(ours.data(), size);
  const int* const l = labels.data();
  const float* const v = values.data();
  float* const to = theirs.data();
  measure_row({"sums of floats by class",
               std::to_string(n) + ", " + std::to_string(classes) + " classes",
               8 * n,
               false,
               1e-5,
               {{"ours", [=] { wf::reduce_by_class_async(here(), all, of, size, wf::plus{}, out); },
                 [=] { return checksum(out.data(), size); }},
                {"global atomics",
                 [=, &g] {
                   check(cudaMemsetAsync(to, 0, size * sizeof(float), g.stream));
                   plain::add_globally<1><<<1056, 256, 0, g.stream>>>(l, plain::one_value{v},
                                                                      static_cast<unsigned>(n), to);
                 },
                 [=] { return checksum(to, size); }}}});
}

// --- short calls, and sizes on the GPU -----------------------------------------------------------

void short_sum(std::size_t n) {
  gpu& g = machine();
  static wf::device_buffer<float> v;
  v = random_numbers<float>(n, 16);
  const float* const p = v.data();
  float* const out = g.result<float>();
  const auto result = [=] { return static_cast<double>(from_gpu(out)); };
  measure_row(
      {"sum of floats",
       size_text(n * 4),
       n * 4,
       false,
       0,
       {{"ours", [=] { wf::reduce_async(here(), std::span(p, n), wf::plus{}, out); }, result},
        of_cub(
            "CUB",
            [=, &g](void* scratch, std::size_t& bytes) {
              return cub::DeviceReduce::Sum(scratch, bytes, p, out, static_cast<std::int64_t>(n),
                                            g.stream);
            },
            result),
        {"an empty kernel", [=, &g] { nothing<<<1, 256, 0, g.stream>>>(); }, result}}});
}

/// Sums of `count` ranges of `n` floats. They lie in one array, so that CUB can fold them too.
void sums_of_ranges(std::size_t count, std::size_t n) {
  gpu& g = machine();
  static wf::device_buffer<float> v, ours, alone, theirs;
  static wf::device_buffer<int> offsets;
  static std::vector<std::span<const float>> ranges;
  v = random_numbers<float>(count * n, 16);
  ours = wf::device_buffer<float>(count);
  alone = wf::device_buffer<float>(count);
  theirs = wf::device_buffer<float>(count);
  ranges.clear();
  std::vector<int> bounds{0};
  for (std::size_t r = 0; r < count; ++r) {
    ranges.push_back({v.data() + r * n, n});
    bounds.push_back(static_cast<int>((r + 1) * n));
  }
  offsets = wf::device_buffer<int>(bounds);
  const std::span<float> out(ours.data(), count);
  const float* const p = v.data();
  const int* const at = offsets.data();
  float* const loop = alone.data();
  float* const by_cub = theirs.data();
  const auto each = [=](std::size_t r) {
    wf::reduce_async(here(), ranges[r], wf::plus{}, loop + r);
  };
  const auto all_alone = [=] {
    for (std::size_t r = 0; r < count; ++r) each(r);
  };
  measure_row({"sums of ranges",
               std::to_string(count) + " of " + size_text(n * 4),
               count * n * 4,
               false,
               0,
               {{"ours", [=] { wf::reduce_many_async(here(), ranges, wf::plus{}, out); },
                 [=] { return checksum(out.data(), count); }},
                {"a loop of reduce_async", all_alone, [=] { return checksum(loop, count); }},
                {"one reduce_async", [=] { each(0); }, [=] { return checksum(loop, count); }},
                of_cub(
                    "CUB, segments",
                    [=, &g](void* scratch, std::size_t& bytes) {
                      return cub::DeviceSegmentedReduce::Sum(scratch, bytes, p, by_cub,
                                                             static_cast<std::int64_t>(count), at,
                                                             at + 1, g.stream);
                    },
                    [=] { return checksum(by_cub, count); })}});
}

void counted_sum(std::size_t n) {
  gpu& g = machine();
  static wf::device_buffer<float> v;
  static wf::device_buffer<std::size_t> count;
  v = random_numbers<float>(n, 16);
  count = wf::device_buffer<std::size_t>(std::vector<std::size_t>{n});
  const std::span<const float> all(v.data(), n);
  float* const out = g.result<float>();
  const std::size_t* const size = count.data();
  const auto result = [=] { return static_cast<double>(from_gpu(out)); };
  measure_row(
      {"sum of a size on the GPU",
       size_text(n * 4),
       n * 4,
       false,
       1e-5,
       {{"counted", [=] { wf::reduce_async(here(), wf::counted(all, size), wf::plus{}, out); },
         result},
        {"fixed", [=] { wf::reduce_async(here(), all, wf::plus{}, out); }, result}}});
  (void)g;
}

void masked_sum(std::size_t n) {
  gpu& g = machine();
  static wf::device_buffer<float> v;
  static wf::device_buffer<std::uint32_t> bits;
  v = random_numbers<float>(n, 16);
  bits = wf::device_buffer<std::uint32_t>(std::vector<std::uint32_t>(n / 32, 0xffffffffu));
  const std::span<const float> all(v.data(), n);
  const std::span<const std::uint32_t> mask(bits.data(), n / 32);
  float* const out = g.result<float>();
  const auto result = [=] { return static_cast<double>(from_gpu(out)); };
  measure_row({"sum where a bit is set",
               size_text(n * 4),
               n * 4 + n / 8,
               false,
               1e-5,
               {{"masked", [=] { wf::reduce_async(here(), wf::where(all, mask), wf::plus{}, out); },
                 result},
                {"of all", [=] { wf::reduce_async(here(), all, wf::plus{}, out); }, result}}});
}

// --- the drop-in namespaces ----------------------------------------------------------------------

struct is_odd {
  WARPFOLD_HD bool operator()(float x) const { return static_cast<int>(x) % 2 == 1; }
};
struct square {
  WARPFOLD_HD float operator()(float x) const { return x * x; }
};

/// The calls of Thrust: in its own namespace, in drop_in::thrust, and the call of this library.
void thrust_forms(std::size_t n) {
  namespace ours = wf::drop_in::thrust;
  static wf::device_buffer<float> a, b;
  a = random_numbers<float>(n, 16);
  b = random_numbers<float>(n, 16);
  const float *const p = a.data(), *const q = b.data();
  const std::span<const float> v(p, n), w(q, n);
  const auto form = [&](const char* name, std::size_t bytes, auto direct, auto drop_in, auto of) {
    measure_row({std::string("thrust::") + name,
                 size_text(n * 4),
                 bytes,
                 true,
                 1e-4,
                 {that_waits("drop_in", [=] { return static_cast<double>(drop_in()); }),
                  that_waits("wf", [=] { return static_cast<double>(direct()); }),
                  that_waits("Thrust", [=] { return static_cast<double>(of()); })}});
  };
  const auto dev = [] { return thrust::cuda::par.on(machine().stream); };
  form(
      "reduce", n * 4, [=] { return wf::reduce(here(), v, 0.0f, wf::plus{}); },
      [=] { return ours::reduce(dev(), p, p + n, 0.0f); },
      [=] { return thrust::reduce(dev(), p, p + n, 0.0f); });
  form(
      "transform_reduce", n * 4,
      [=] { return wf::reduce(here(), wf::project(v, square{}), 0.0f, wf::plus{}); },
      [=] {
        return ours::transform_reduce(dev(), p, p + n, square{}, 0.0f, thrust::plus<float>());
      },
      [=] {
        return thrust::transform_reduce(dev(), p, p + n, square{}, 0.0f, thrust::plus<float>());
      });
  form(
      "inner_product", n * 8,
      [=] { return wf::reduce(here(), wf::project(wf::zip(v, w), times{}), 0.0f, wf::plus{}); },
      [=] { return ours::inner_product(dev(), p, p + n, q, 0.0f); },
      [=] { return thrust::inner_product(dev(), p, p + n, q, 0.0f); });
  form(
      "count_if", n * 4,
      [=] { return wf::reduce(here(), wf::project(v, is_odd{}), 0ll, wf::plus{}); },
      [=] { return ours::count_if(dev(), p, p + n, is_odd{}); },
      [=] { return thrust::count_if(dev(), p, p + n, is_odd{}); });
  form(
      "max_element", n * 4, [=] { return wf::reduce(here(), v, wf::arg(wf::maximum{})).index; },
      [=] { return ours::max_element(dev(), p, p + n) - p; },
      [=] { return thrust::max_element(dev(), p, p + n) - p; });
}

/// The calls of CUB: in its own namespace, in drop_in::cub, and the call of this library.
void cub_forms(std::size_t n) {
  gpu& g = machine();
  namespace ours = wf::drop_in::cub;
  static wf::device_buffer<float> a, written;
  a = random_numbers<float>(n, 16);
  written = wf::device_buffer<float>(n);
  const float* const p = a.data();
  float *const out = g.result<float>(), *const to = written.data();
  const std::span<const float> v(p, n);
  const auto count = static_cast<std::int64_t>(n);
  const auto result = [=] { return static_cast<double>(from_gpu(out)); };
  const auto stream = g.stream;
  measure_row({"cub::DeviceReduce::Sum",
               size_text(n * 4),
               n * 4,
               false,
               1e-4,
               {of_cub(
                    "drop_in",
                    [=](void* scratch, std::size_t& bytes) {
                      return ours::DeviceReduce::Sum(scratch, bytes, p, out, count, stream);
                    },
                    result),
                {"wf", [=] { wf::reduce_async(here(), v, wf::plus{}, out); }, result},
                of_cub(
                    "CUB",
                    [=](void* scratch, std::size_t& bytes) {
                      return cub::DeviceReduce::Sum(scratch, bytes, p, out, count, stream);
                    },
                    result)}});
  measure_row(
      {"cub::DeviceReduce::TransformReduce",
       size_text(n * 4),
       n * 4,
       false,
       1e-4,
       {of_cub(
            "drop_in",
            [=](void* scratch, std::size_t& bytes) {
              return ours::DeviceReduce::TransformReduce(
                  scratch, bytes, p, out, count, cuda::std::plus<>{}, square{}, 0.0f, stream);
            },
            result),
        {"wf", [=] { wf::reduce_async(here(), wf::project(v, square{}), 0.0f, wf::plus{}, out); },
         result},
        of_cub(
            "CUB",
            [=](void* scratch, std::size_t& bytes) {
              return cub::DeviceReduce::TransformReduce(
                  scratch, bytes, p, out, count, cuda::std::plus<>{}, square{}, 0.0f, stream);
            },
            result)}});
  const auto sum_of_written = [=] { return checksum(to, std::min(n, std::size_t{1} << 24)); };
  measure_row(
      {"cub::DeviceTransform::Transform",
       size_text(n * 4),
       n * 8,
       false,
       0,
       {{"drop_in",
         [=] { check(ours::DeviceTransform::Transform(p, to, count, square{}, stream)); },
         sum_of_written},
        {"wf", [=] { wf::transform_async(here(), v, std::span<float>(to, n), square{}); },
         sum_of_written},
        {"CUB", [=] { check(cub::DeviceTransform::Transform(p, to, count, square{}, stream)); },
         sum_of_written}}});
}

// --- the report ----------------------------------------------------------------------------------

void write_results() {
  const std::filesystem::path where = results_folder();
  std::ofstream json(where / "peers.json"), table(where / "peers.md");
  json << "{\n  \"gpu\": \"" << gpu_name() << "\",\n  \"commit\": \"" << commit()
       << "\",\n  \"cub\": " << CUB_VERSION << ",\n  \"rows\": [\n";
  table << "# The same work, done by others, on " << gpu_name() << "\n\nCommit " << commit()
        << ", CUB " << CUB_VERSION
        << ". Medians in us: with a cold cache, and a call of 20 in a row (warm). `x` is the "
           "speedup of the first contender of a row over the others.\n\n"
           "| work | size | contender | cold | warm | x cold | x warm |\n"
           "|---|---|---|---:|---:|---:|---:|\n";
  for (const row& r : rows) {
    json << "    {\"work\": \"" << r.work << "\", \"size\": \"" << r.size
         << "\", \"bytes\": " << r.bytes << ", \"waits\": " << (r.waits ? "true" : "false")
         << ", \"right\": " << (r.is_right() ? "true" : "false") << ", \"contenders\": [";
    for (const contender& c : r.contenders) {
      const bool first = &c == r.contenders.data();
      json << (first ? "" : ", ") << "{\"name\": \"" << c.name
           << "\", \"cold_us\": " << fixed(c.cold * 1e6, 2)
           << ", \"warm_us\": " << fixed(c.warm * 1e6, 2) << "}";
      table << "| " << (first ? r.work : "") << " | " << (first ? r.size : "") << " | " << c.name
            << " | " << fixed(c.cold * 1e6, 2) << " | " << fixed(c.warm * 1e6, 2) << " | "
            << (first ? "" : fixed(c.cold / r.contenders[0].cold, 2)) << " | "
            << (first ? "" : fixed(c.warm / r.contenders[0].warm, 2)) << " |\n";
    }
    json << "]}" << (&r == &rows.back() ? "" : ",") << "\n";
  }
  json << "  ]\n}\n";
  std::cout << "wrote " << (where / "peers.json").string() << " and peers.md\n";
}

}  // namespace

int main() {
  if (!measure::has_gpu()) return 0;
  for (const unsigned steps : {1u, 10u, 100u, 1000u, 10000u}) {
    for (const unsigned n : {1000u, 30000u, 1000000u, 100000000u}) {
      if (static_cast<double>(steps) * n <= 1e9) monte_carlo(n, steps);
    }
  }
  for (const unsigned steps : {1u, 10u, 100u, 1000u}) {
    for (const std::size_t n : {1000u, 4096u, 16384u, 30000u, 1000000u, 10000000u, 100000000u}) {
      if (static_cast<double>(steps) * static_cast<double>(n) <= 1e9) function_of_floats(n, steps);
    }
  }
  monte_carlo_value(30000, 10000);
  pi(1u << 24);
  pi(1u << 29);
  summaries(1u << 24);
  words(std::size_t{64} << 20);
  transform_six(1000);
  transform_six(1u << 24);
  for (const unsigned n : {100000u, 1000000u}) {
    for (const int k : {8, 32, 100}) k_means(n, k);
  }
  for (const int classes : {2, 64, 256, 4096, 65536}) {
    counted_classes<int>(1u << 24, classes, false);
    counted_classes<int>(1u << 24, classes, true);
  }
  for (const int classes : {64, 256}) {
    counted_classes<unsigned char>(1u << 28, classes, false);
    counted_classes<unsigned char>(1u << 28, classes, true);
  }
  for (const int classes : {2, 64, 4096, 65536}) sums_of_classes(1u << 24, classes);
  dots(256, 4096);
  softmax(8192, 1024);
  softmax(8192, 50257);
  softmax(64, 1048576);
  broadcast_of_rows(16384, 16384);
  for (const std::size_t n : {256u, 1024u, 4096u, 16384u, 1u << 18}) short_sum(n);
  sums_of_ranges(10, 256);
  sums_of_ranges(100, 256);
  for (const std::size_t n : {256u, 4096u, 32768u}) sums_of_ranges(1000, n);
  for (const int log2 : {12, 18, 24, 28}) counted_sum(std::size_t{1} << log2);
  for (const int log2 : {18, 24, 28}) masked_sum(std::size_t{1} << log2);
  for (const int log2 : {14, 20, 26}) thrust_forms(std::size_t{1} << log2);
  for (const int log2 : {14, 20, 26}) cub_forms(std::size_t{1} << log2);
  write_results();
  return std::all_of(rows.begin(), rows.end(), [](const row& r) { return r.is_right(); }) ? 0 : 1;
}
