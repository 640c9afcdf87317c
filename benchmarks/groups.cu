// Reductions of groups: segments, ragged rows, rows, lists of arrays, classes, axes, runs of keys.
// wf::device beside plain kernels, CUB and a copy; benchmarks/groups_torch.py measures PyTorch's
// calls of the same rows.
//
// Path covered: reduce_segments.hpp, transform_segments.hpp, transform_axis.hpp, reduce_axis.hpp,
// reduce_many.hpp, reduce_by_class.hpp and reduce_by_key.hpp -> policy/device.hpp.
//
// Contenders of a row take turns within one run. Each runs once before, into memory that holds
// other bits, and the result is compared. Sums of small integers are compared with integer sums,
// others with another kernel. `cold`: one call after a write of 256 MB. `queue`: one of 20 calls in
// a row. `graph`: one of 20 in a graph, for calls below 0.3 ms. Times are medians. A contender that
// takes more than four times as long as warpfold has only `cold`, of one call.
//
//     groups [--list] [--only TEXT]...
//
// --list prints the rows and measures nothing. --only selects the rows that contain one of the
// texts; then no record is written. Progress goes to stderr.
//
// Writes benchmarks/results/<gpu>/groups.json in the current directory, or under WARPFOLD_RESULTS.
// benchmarks/report_groups.py writes groups.md.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/transform_scan.h>
#include <cuda/std/array>
#include <cuda/std/mdspan>

#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/version.cuh>

#include <warpfold/norm.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/exponential_sum.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/with_finish.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/reduce_by_class.hpp>
#include <warpfold/reduce_by_key.hpp>
#include <warpfold/reduce_many.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/transform_axis.hpp>
#include <warpfold/transform_segments.hpp>
#include <warpfold/view/ranges_at.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

#include "contenders.hpp"
#include "measure.hpp"
#include "plain_axis.hpp"
#include "plain_classes.hpp"
#include "plain_normalization.hpp"
#include "plain_segments.hpp"

namespace wf = warpfold;

namespace {

using namespace measure;

// --- rows ----------------------------------------------------------------------------------------

std::vector<row> rows;

void measure_row(row r) {
  measure_contenders(r);
  rows.push_back(std::move(r));
}

/// A row of the list, measured by `run(row)`.
struct job {
  std::string work, size;
  std::function<void(row)> run;
};
std::vector<job> jobs;

auto here() { return wf::device.on(machine().stream); }
auto thrust_here() { return thrust::cuda::par.on(machine().stream); }

/// CUB's two calls: the scratch memory is found once.
template <class Call>
contender of_cub(const Call& call, output out, std::function<unsigned()> mistakes) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes));
  auto scratch = std::make_shared<wf::device_buffer<unsigned char>>(bytes + 1);
  return {"CUB",
          [=] {
            std::size_t size = bytes;
            check(call(static_cast<void*>(scratch->data()), size));
          },
          out, std::move(mistakes)};
}

/// A copy that reads and writes `bytes` bytes together.
contender copy_of(const void* from, void* to, std::size_t bytes) {
  return {"a copy",
          [=] {
            check(cudaMemcpyAsync(to, from, bytes / 2, cudaMemcpyDeviceToDevice, machine().stream));
          },
          {nullptr, 0},
          nullptr};
}

// --- elements and comparisons --------------------------------------------------------------------

/// Integers from 0 to 3: sums of floats below 2^24 are exact in any order.
struct small_integers {
  unsigned seed = 0;
  __device__ float operator()(std::size_t i) const {
    return static_cast<float>(hash_of(i + seed) & 3);
  }
};
/// Floats from 0.5 to 4.5, most of them distinct.
struct spread_floats {
  __device__ float operator()(std::size_t i) const {
    return static_cast<float>(hash_of(i) >> 8) * 0x1p-22f + 0.5f;
  }
};
template <class T>
struct labels_below {
  unsigned classes;
  __device__ T operator()(std::size_t i) const {
    return static_cast<T>(static_cast<std::uint64_t>(hash_of(i + 7)) * classes >> 32);
  }
};

/// Arrays of `n` elements, kept for the next row of the same size.
struct inputs {
  std::size_t n = 0;
  bool spread = false;
  wf::device_buffer<float> a, b;
};
const inputs& inputs_of(std::size_t n, bool spread = false) {
  static inputs kept;
  if (kept.n != n || kept.spread != spread) {
    kept = {};
    kept.n = n, kept.spread = spread;
    if (spread) {
      kept.a = filled<float>(n, spread_floats{});
    } else {
      kept.a = filled<float>(n, small_integers{});
      kept.b = filled<float>(n, small_integers{99});
    }
  }
  return kept;
}

/// Sums of the terms before each element, and of all.
template <class Term>
wf::device_buffer<int> sums_before(std::size_t n, const Term& term) {
  wf::device_buffer<int> sums(n + 1);
  check(cudaMemsetAsync(sums.data(), 0, sizeof(int), machine().stream));
  const thrust::counting_iterator<std::size_t> first(0);
  thrust::transform_inclusive_scan(thrust_here(), first, first + static_cast<std::ptrdiff_t>(n),
                                   sums.data() + 1, term, thrust::plus<int>());
  return sums;
}
struct element_at {
  const float* x;
  __host__ __device__ int operator()(std::size_t i) const { return static_cast<int>(x[i]); }
};
struct product_at {
  const float *x, *y;
  __host__ __device__ int operator()(std::size_t i) const { return static_cast<int>(x[i] * y[i]); }
};

/// Sums of segments that differ from integer sums.
struct sum_differs {
  const float* got;
  const int *offsets, *before;
  __device__ bool operator()(std::size_t s) const {
    const double want = before[offsets[s + 1]] - before[offsets[s]];
    return !(fabs(got[s] - want) <= (want < 0x1p24 ? 0 : want * 1e-6));
  }
};
struct variance_differs {
  const float* got;
  const int *offsets, *sums, *squares;
  __device__ bool operator()(std::size_t s) const {
    const int begin = offsets[s], end = offsets[s + 1];
    const double n = end - begin, mean = (sums[end] - sums[begin]) / n;
    return !(fabs(got[s] - ((squares[end] - squares[begin]) / n - mean * mean)) <= 1e-4);
  }
};
__device__ int index_in(int i) { return i; }
__device__ int index_in(const cub::KeyValuePair<int, float>& p) { return p.key; }
template <class Result>
struct index_differs {
  const Result* got;
  const int* want;
  __device__ bool operator()(std::size_t s) const { return index_in(got[s]) != want[s]; }
};

struct times {
  WARPFOLD_HD float operator()(float x, float y) const { return x * y; }
};
struct times_at {
  const float *x, *y;
  __host__ __device__ float operator()(int i) const { return x[i] * y[i]; }
};

// --- segments ------------------------------------------------------------------------------------

enum class lengths { uniform, exponential, power_law };
constexpr const char* names_of_lengths[] = {"uniform", "exponential", "power law"};

struct length_of {
  lengths kind;
  int mean, least;
  __host__ __device__ int operator()(std::size_t s) const {
    const unsigned bits = hash_of(s + 31);
    const float u = (static_cast<float>(bits >> 8) + 1) * 0x1p-24f;  // above 0, at most 1
    float length = static_cast<float>(mean);
    if (kind == lengths::uniform) {
      return least + static_cast<int>(bits % static_cast<unsigned>(2 * (mean - least) + 1));
    }
    if (kind == lengths::exponential) length = floorf(length * -logf(u) + 0.5f);
    if (kind == lengths::power_law) length = fminf(1e6f, length / 2.5f * powf(u, -2.0f / 3));
    return length < static_cast<float>(least) ? least : static_cast<int>(length);
  }
};

struct segmented {
  wf::device_buffer<int> offsets;
  std::size_t count;

  /// Segments of `n` elements, none shorter than `least`, except the last one.
  segmented(std::size_t n, lengths kind, int mean, int least = 0) {
    const std::size_t most = n / static_cast<std::size_t>(mean) * 6 / 5 + 4096;
    offsets = sums_before(most, length_of{kind, mean, least});
    const int* const ends = offsets.data() + 1;
    const auto found =
        thrust::lower_bound(thrust_here(), ends, ends + most, static_cast<int>(n)) - ends;
    count = std::min(static_cast<std::size_t>(found) + 1, most);
    const int last = static_cast<int>(n);
    check(cudaMemcpy(offsets.data() + count, &last, sizeof last, cudaMemcpyHostToDevice));
  }
  std::span<const int> all() const { return {offsets.data(), count + 1}; }
};

/// A thread, 8 lanes, a warp and a block of 256 threads for each segment.
template <class Fold, class Bounds, class Out>
void add_plain(row& r, const Fold& fold, const Bounds& bounds, Out* out, std::size_t n,
               const std::function<unsigned()>& mistakes, const char* group = "a segment",
               bool narrow = true) {
  using plain::blocks_of;
  gpu& g = machine();
  const output to{out, n * sizeof(Out)};
  const auto add = [&](const std::string& who, const std::function<void()>& call) {
    r.contenders.push_back({who + " " + group, call, to, mistakes});
  };
  if (narrow) {
    add("a thread", [=, &g] {
      plain::by_lanes<1><<<blocks_of(n, 1), 256, 0, g.stream>>>(fold, bounds, out, n);
    });
    add("8 lanes", [=, &g] {
      plain::by_lanes<8><<<blocks_of(n, 8), 256, 0, g.stream>>>(fold, bounds, out, n);
    });
  }
  add("a warp", [=, &g] {
    plain::by_lanes<32><<<blocks_of(n, 32), 256, 0, g.stream>>>(fold, bounds, out, n);
  });
  add("a block", [=, &g] {
    plain::by_block<256><<<static_cast<unsigned>(n), 256, 0, g.stream>>>(fold, bounds, out);
  });
}

/// CUB's sum of the segments of an iterator's elements.
template <class Iterator>
contender cub_sums(Iterator first, const int* offsets, std::size_t segments,
                   wf::device_buffer<float>& out, const std::function<unsigned()>& mistakes) {
  float* const to = out.data();
  return of_cub(
      [=](void* scratch, std::size_t& bytes) {
        return cub::DeviceSegmentedReduce::Sum(scratch, bytes, first, to,
                                               static_cast<std::int64_t>(segments), offsets,
                                               offsets + 1, machine().stream);
      },
      output_of(out), mistakes);
}

std::string size_of(std::size_t n, lengths kind, int mean) {
  return size_text(4 * n) + ", mean " + std::to_string(mean) + ", " +
         names_of_lengths[static_cast<int>(kind)];
}

/// `work(row, elements, segments)` measures segments with such lengths.
using segment_work = std::function<void(row, const inputs&, const segmented&)>;
void add_segments(const char* name, const segment_work& work, std::size_t n, lengths kind, int mean,
                  int least, bool spread) {
  jobs.push_back({name, size_of(n, kind, mean), [=](row r) {
                    const segmented s(n, kind, mean, least);
                    r.bytes += 4 * (s.count + 1);
                    work(std::move(r), inputs_of(n, spread), s);
                  }});
}

void sums_of_segments(row r, const inputs& in, const segmented& s) {
  const float* const x = in.a.data();
  const int* const at = s.offsets.data();
  const std::size_t n = in.n, count = s.count;
  const auto before = sums_before(n, element_at{x});
  wf::device_buffer<float> out(count);
  const std::span<float> to(out.data(), count);
  const auto mistakes = [&] { return wrong_of(count, sum_differs{out.data(), at, before.data()}); };
  r.bytes += 4 * (n + count);
  r.contenders.push_back(
      {"warpfold",
       [&] { wf::reduce_segments_async(here(), std::span(x, n), s.all(), wf::plus{}, to); },
       output_of(out), mistakes});
  add_plain(r, plain::sum_of{x}, plain::offsets_at{at}, out.data(), count, mistakes);
  r.contenders.push_back(cub_sums(x, at, count, out, mistakes));
  measure_row(std::move(r));
}

void dots_of_segments(row r, const inputs& in, const segmented& s) {
  const float *const x = in.a.data(), *const y = in.b.data();
  const int* const at = s.offsets.data();
  const std::size_t n = in.n, count = s.count;
  const auto before = sums_before(n, product_at{x, y});
  wf::device_buffer<float> out(count);
  const std::span<float> to(out.data(), count);
  const auto mistakes = [&] { return wrong_of(count, sum_differs{out.data(), at, before.data()}); };
  r.bytes += 4 * (2 * n + count);
  r.contenders.push_back({"warpfold",
                          [&] {
                            wf::reduce_segments_async(
                                here(),
                                wf::project(wf::zip(std::span(x, n), std::span(y, n)), times{}),
                                s.all(), wf::plus{}, to);
                          },
                          output_of(out), mistakes});
  add_plain(r, plain::dot_of{{x}, y}, plain::offsets_at{at}, out.data(), count, mistakes);
  r.contenders.push_back(
      cub_sums(thrust::make_transform_iterator(thrust::counting_iterator<int>(0), times_at{x, y}),
               at, count, out, mistakes));
  measure_row(std::move(r));
}

struct variance_in {
  WARPFOLD_HD float operator()(const wf::moments& m) const {
    return static_cast<float>(m.variance());
  }
};

void variances_of_segments(row r, const inputs& in, const segmented& s) {
  const float* const x = in.a.data();
  const int* const at = s.offsets.data();
  const std::size_t n = in.n, count = s.count;
  const auto sums = sums_before(n, element_at{x}), squares = sums_before(n, product_at{x, x});
  wf::device_buffer<float> out(count);
  const std::span<float> to(out.data(), count);
  const auto mistakes = [&] {
    return wrong_of(count, variance_differs{out.data(), at, sums.data(), squares.data()});
  };
  r.bytes += 4 * (n + count);
  r.contenders.push_back({"warpfold",
                          [&] {
                            wf::reduce_segments_async(
                                here(), std::span(x, n), s.all(),
                                wf::with_finish(wf::moments_op{}, variance_in{}), to);
                          },
                          output_of(out), mistakes});
  add_plain(r, plain::variance_of{x}, plain::offsets_at{at}, out.data(), count, mistakes);
  measure_row(std::move(r));
}

void argmax_of_segments(row r, const inputs& in, const segmented& s) {
  using pair = cub::KeyValuePair<int, float>;
  const float* const x = in.a.data();
  const int* const at = s.offsets.data();
  const std::size_t n = in.n, count = s.count;
  wf::device_buffer<int> want(count), out(count);
  wf::device_buffer<pair> pairs(count);
  const std::span<int> to(out.data(), count);
  // The reference reads each segment in order.
  plain::by_lanes<1><<<plain::blocks_of(count, 1), 256, 0, machine().stream>>>(
      plain::argmax_of{x}, plain::offsets_at{at}, want.data(), count);
  const auto mistakes = [&] {
    return wrong_of(count, index_differs<int>{out.data(), want.data()});
  };
  r.bytes += 4 * (n + count);
  r.contenders.push_back({"warpfold",
                          [&] {
                            wf::reduce_segments_async(here(), std::span(x, n), s.all(),
                                                      wf::arg(wf::maximum{}), to);
                          },
                          output_of(out), mistakes});
  add_plain(r, plain::argmax_of{x}, plain::offsets_at{at}, out.data(), count, mistakes);
  r.contenders.push_back(of_cub(
      [=, &pairs](void* scratch, std::size_t& bytes) {
        return cub::DeviceSegmentedReduce::ArgMax(scratch, bytes, x, pairs.data(),
                                                  static_cast<std::int64_t>(count), at, at + 1,
                                                  machine().stream);
      },
      output_of(pairs),
      [&] { return wrong_of(count, index_differs<pair>{pairs.data(), want.data()}); }));
  measure_row(std::move(r));
}

// --- normalized segments and rows ----------------------------------------------------------------

/// The number of wrong elements of `got`, among the first segments, beside wf::seq.
template <class Work>
unsigned wrong_beside_seq(const float* x, const float* got, const int* offsets,
                          std::size_t segments) {
  std::size_t some = std::min<std::size_t>(segments, 4096);
  std::vector<int> at(some + 1);
  check(cudaMemcpy(at.data(), offsets, at.size() * sizeof(int), cudaMemcpyDeviceToHost));
  while (some > 1 && at[some] > 1 << 20) --some;
  at.resize(some + 1);
  const auto n = static_cast<std::size_t>(at[some]);
  std::vector<float> in(n), want(n), result(n);
  check(cudaMemcpy(in.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost));
  check(cudaMemcpy(result.data(), got, n * sizeof(float), cudaMemcpyDeviceToHost));
  wf::transform_segments(wf::seq, in, at, typename Work::op{}, want);
  unsigned wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    wrong += !(std::abs(result[i] - want[i]) <= 1e-6f + 1e-5f * std::abs(want[i]));
  }
  return wrong;
}

/// warpfold by `call(out)`, a warp or a block for each segment, and a copy.
template <class Work, class Call>
void normalize(row r, const float* x, const int* at, std::size_t n, std::size_t segments,
               const Call& call) {
  gpu& g = machine();
  wf::device_buffer<float> ours(n), out(n);
  r.bytes += 8 * n;
  r.contenders.push_back({"warpfold", [&] { call(std::span<float>(ours.data(), n)); },
                          output_of(ours),
                          [&] { return wrong_beside_seq<Work>(x, ours.data(), at, segments); }});
  // The other results are compared with those of warpfold, which are complete by now. The plain
  // variance of a few similar elements has lost digits.
  constexpr double absolute = std::is_same_v<Work, plain::layer_norm> ? 0.02 : 0;
  const auto mistakes = [&] {
    return wrong_of(n, differs<float>{out.data(), ours.data(), 1e-3, absolute});
  };
  float* const to = out.data();
  const auto blocks = static_cast<unsigned>(segments);
  r.contenders.push_back({"a warp a row",
                          [=, &g] {
                            plain::by_warps<Work, 1>
                                <<<(blocks + 7) / 8, 256, 0, g.stream>>>(x, at, to, segments);
                          },
                          output_of(out), mistakes});
  r.contenders.push_back(
      {"a block a row",
       [=, &g] { plain::by_warps<Work, 8><<<blocks, 256, 0, g.stream>>>(x, at, to, segments); },
       output_of(out), mistakes});
  r.contenders.push_back(copy_of(x, to, 8 * n));
  measure_row(std::move(r));
}

template <class Work>
void normalized_segments(row r, const inputs& in, const segmented& s) {
  normalize<Work>(std::move(r), in.a.data(), s.offsets.data(), in.n, s.count,
                  [&](std::span<float> out) {
                    wf::transform_segments_async(here(), std::span(in.a.data(), in.n), s.all(),
                                                 typename Work::op{}, out);
                  });
}

using matrix = cuda::std::mdspan<const float, cuda::std::dextents<int, 2>>;

struct begin_of_row {
  int width;
  __device__ int operator()(std::size_t i) const { return static_cast<int>(i) * width; }
};

std::string shape_text(int height, int width) {
  return std::to_string(height) + " x " + std::to_string(width);
}

/// `work(row, elements, height, width)` measures the rows of a matrix.
using row_work = std::function<void(row, const float*, int, int)>;
void add_rows(const char* name, const row_work& work, int height, int width) {
  const auto n = static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
  jobs.push_back({name, shape_text(height, width),
                  [=](row r) { work(std::move(r), inputs_of(n, true).a.data(), height, width); }});
}

template <class Work>
void normalized_rows(row r, const float* x, int height, int width) {
  const auto segments = static_cast<std::size_t>(height);
  const std::size_t n = segments * static_cast<std::size_t>(width);
  const auto at = filled<int>(segments + 1, begin_of_row{width});
  normalize<Work>(std::move(r), x, at.data(), n, segments, [=](std::span<float> out) {
    wf::transform_axis_async<1>(here(), matrix(x, height, width), typename Work::op{}, out);
  });
}

void log_sums_of_rows(row r, const float* x, int height, int width) {
  const auto count = static_cast<std::size_t>(height);
  const std::size_t n = count * static_cast<std::size_t>(width);
  wf::device_buffer<float> want(count), out(count), other(n / 2 + 1);
  // The reference is a block a row: other sums than those of warpfold and of a warp.
  plain::by_block<256><<<static_cast<unsigned>(height), 256, 0, machine().stream>>>(
      plain::log_sum_exp_of{x}, plain::rows_of{width}, want.data());
  const auto mistakes = [&] {
    return wrong_of(count, differs<float>{out.data(), want.data(), 1e-4, 1e-4});
  };
  r.bytes = 4 * (n + count);
  r.contenders.push_back({"warpfold",
                          [&] {
                            wf::reduce_axis_async<1>(here(), matrix(x, height, width),
                                                     wf::log_sum_exp_op{},
                                                     std::span<float>(out.data(), count));
                          },
                          output_of(out), mistakes});
  add_plain(r, plain::log_sum_exp_of{x}, plain::rows_of{width}, out.data(), count, mistakes,
            "a row", false);
  r.contenders.push_back(copy_of(x, other.data(), 4 * n));
  measure_row(std::move(r));
}

void argmax_of_rows(row r, const float* x, int height, int width) {
  const auto count = static_cast<std::size_t>(height);
  const std::size_t n = count * static_cast<std::size_t>(width);
  wf::device_buffer<int> want(count), out(count);
  plain::by_lanes<1><<<plain::blocks_of(count, 1), 256, 0, machine().stream>>>(
      plain::argmax_of{x}, plain::rows_of{width}, want.data(), count);
  const auto mistakes = [&] {
    return wrong_of(count, index_differs<int>{out.data(), want.data()});
  };
  r.bytes = 4 * (n + count);
  r.contenders.push_back({"warpfold",
                          [&] {
                            wf::reduce_axis_async<1>(here(), matrix(x, height, width),
                                                     wf::arg(wf::maximum{}),
                                                     std::span<int>(out.data(), count));
                          },
                          output_of(out), mistakes});
  add_plain(r, plain::argmax_of{x}, plain::rows_of{width}, out.data(), count, mistakes, "a row",
            false);
  measure_row(std::move(r));
}

void dots_of_rows(row r, int height, int width) {
  const auto count = static_cast<std::size_t>(height);
  const std::size_t n = count * static_cast<std::size_t>(width);
  const inputs& in = inputs_of(n);
  const float *const x = in.a.data(), *const y = in.b.data();
  const auto at = filled<int>(count + 1, begin_of_row{width});
  const auto before = sums_before(n, product_at{x, y});
  wf::device_buffer<float> out(count);
  const auto mistakes = [&] {
    return wrong_of(count, sum_differs{out.data(), at.data(), before.data()});
  };
  r.bytes = 4 * (2 * n + count);
  r.contenders.push_back(
      {"warpfold",
       [&] {
         wf::reduce_axis_async<1>(
             here(),
             wf::project(wf::zip(matrix(x, height, width), matrix(y, height, width)), times{}),
             wf::plus{}, std::span<float>(out.data(), count));
       },
       output_of(out), mistakes});
  add_plain(r, plain::dot_of{{x}, y}, plain::rows_of{width}, out.data(), count, mistakes, "a row",
            false);
  r.contenders.push_back(
      cub_sums(thrust::make_transform_iterator(thrust::counting_iterator<int>(0), times_at{x, y}),
               at.data(), count, out, mistakes));
  measure_row(std::move(r));
}

// --- lists of arrays -----------------------------------------------------------------------------

struct arrays {
  std::size_t length;
  std::vector<wf::device_buffer<float>> memory;
  std::vector<std::span<const float>> list;
  wf::device_buffer<const float*> pointers;
  wf::device_buffer<int> sizes;
  wf::device_buffer<float> sums, norms;  ///< of the host

  arrays(std::size_t count, std::size_t length) : length(length) {
    std::vector<const float*> addresses;
    std::vector<float> host_sums, host_norms;
    for (std::size_t k = 0; k < count; ++k) {
      memory.push_back(filled<float>(length, small_integers{static_cast<unsigned>(k) * 1000}));
      list.push_back({memory[k].data(), length});
      addresses.push_back(memory[k].data());
      double sum = 0, squares = 0;
      for (const float x : memory[k].to_host()) {
        sum += static_cast<double>(x);
        squares += static_cast<double>(x * x);
      }
      host_sums.push_back(static_cast<float>(sum));
      host_norms.push_back(static_cast<float>(std::sqrt(squares)));
    }
    pointers = wf::device_buffer<const float*>(addresses);
    sizes = wf::device_buffer<int>(std::vector<int>(count, static_cast<int>(length)));
    sums = wf::device_buffer<float>(host_sums);
    norms = wf::device_buffer<float>(host_norms);
  }
};

template <class Op, class Fold>
void folds_of_arrays(row r, std::size_t count, std::size_t length, bool list_on_device, Op op,
                     Fold fold) {
  const arrays all(count, length);
  wf::device_buffer<float> out(count);
  const float* const want = std::is_same_v<Op, wf::plus> ? all.sums.data() : all.norms.data();
  const auto mistakes = [&] { return wrong_of(count, differs<float>{out.data(), want, 1e-6, 0}); };
  const std::span<float> to(out.data(), count);
  r.bytes = 4 * count * (length + 1);
  r.contenders.push_back(
      {"warpfold",
       [&, list_on_device] {
         if (list_on_device) {
           wf::reduce_many_async(
               here(),
               wf::ranges_at(std::span<const float* const>(all.pointers.data(), count),
                             std::span<const int>(all.sizes.data(), count)),
               op, to);
         } else {
           wf::reduce_many_async(here(), all.list, op, to);
         }
       },
       output_of(out), mistakes});
  fold.arrays = all.pointers.data();
  add_plain(r, fold, plain::sizes_at{all.sizes.data()}, out.data(), count, mistakes, "an array",
            false);
  const plain::sizes_at at{all.sizes.data()};
  float* const o = out.data();
  r.contenders.push_back({"a block of 1024 an array",
                          [=] {
                            plain::by_block<1024>
                                <<<static_cast<unsigned>(count), 1024, 0, machine().stream>>>(
                                    fold, at, o);
                          },
                          output_of(out), mistakes});
  measure_row(std::move(r));
}

// --- classes -------------------------------------------------------------------------------------

/// The number of labels equal to blockIdx.y. For references.
__global__ void count_label(const unsigned char* labels, std::size_t n, int* counts) {
  int count = 0;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) {
    count += labels[i] == blockIdx.y;
  }
  for (unsigned apart = 16; apart > 0; apart /= 2) {
    count += __shfl_down_sync(0xffffffffu, count, apart);
  }
  if (threadIdx.x % 32 == 0) atomicAdd(counts + blockIdx.y, count);
}

template <class T>
struct integer_differs {
  const T *got, *want;
  __device__ bool operator()(std::size_t i) const { return got[i] != want[i]; }
};

void counted_bytes(row r, int classes) {
  gpu& g = machine();
  const std::size_t n = std::size_t{1} << 28, size = static_cast<std::size_t>(classes);
  const auto labels =
      filled<unsigned char>(n, labels_below<unsigned char>{static_cast<unsigned>(classes)});
  const unsigned char* const p = labels.data();
  wf::device_buffer<int> want(size), out(256);
  int* const to = out.data();
  check(cudaMemsetAsync(want.data(), 0, size * sizeof(int), g.stream));
  count_label<<<dim3(64, static_cast<unsigned>(classes)), 256, 0, g.stream>>>(p, n, want.data());
  const auto mistakes = [&] {
    return wrong_of(size, integer_differs<int>{out.data(), want.data()});
  };
  r.bytes = n + 4 * size;
  r.contenders.push_back(
      {"warpfold",
       [=] { wf::count_by_class_async(here(), std::span(p, n), size, std::span<int>(to, size)); },
       output_of(out), mistakes});
  r.contenders.push_back({"shared atomics",
                          [=, &g] {
                            check(cudaMemsetAsync(to, 0, 256 * sizeof(int), g.stream));
                            plain::count_in_shared<<<1056, 256, 0, g.stream>>>(
                                reinterpret_cast<const uint4*>(p), n / sizeof(uint4), to);
                          },
                          output_of(out), mistakes});
  r.contenders.push_back(of_cub(
      [=, &g](void* scratch, std::size_t& bytes) {
        return cub::DeviceHistogram::HistogramEven(scratch, bytes, p, to, classes + 1, 0, classes,
                                                   static_cast<int>(n), g.stream);
      },
      output_of(out), mistakes));
  measure_row(std::move(r));
}

/// warpfold by `call(out)`, and atomics; `out` has `Parts` floats for each class.
template <unsigned Parts, class Value, class Call>
void sums_of_labels(row r, std::size_t n, std::size_t classes, const int* labels,
                    const Value& value, const Call& call) {
  gpu& g = machine();
  const std::size_t size = Parts * classes;
  const auto count = static_cast<unsigned>(n);
  wf::device_buffer<int> want(size);
  wf::device_buffer<float> out(size);
  float* const to = out.data();
  check(cudaMemsetAsync(want.data(), 0, size * sizeof(int), g.stream));
  plain::add_globally<Parts><<<1056, 256, 0, g.stream>>>(labels, value, count, want.data());
  const auto mistakes = [&] { return wrong_of(size, differs<int>{out.data(), want.data(), 0, 0}); };
  r.contenders.push_back({"warpfold", [&] { call(to); }, output_of(out), mistakes});
  r.contenders.push_back({"global atomics",
                          [=, &g] {
                            check(cudaMemsetAsync(to, 0, size * sizeof(float), g.stream));
                            plain::add_globally<Parts>
                                <<<1056, 256, 0, g.stream>>>(labels, value, count, to);
                          },
                          output_of(out), mistakes});
  if (size * sizeof(float) <= 48 << 10) {
    r.contenders.push_back({"shared atomics",
                            [=, &g] {
                              check(cudaMemsetAsync(to, 0, size * sizeof(float), g.stream));
                              plain::add_in_shared<Parts>
                                  <<<264, 1024, size * sizeof(float), g.stream>>>(
                                      labels, value, count, static_cast<unsigned>(size), to);
                            },
                            output_of(out), mistakes});
  }
  measure_row(std::move(r));
}

void sums_of_classes(row r, int classes) {
  const std::size_t n = std::size_t{1} << 24, size = static_cast<std::size_t>(classes);
  const auto labels = filled<int>(n, labels_below<int>{static_cast<unsigned>(classes)});
  const float* const x = inputs_of(n).a.data();
  r.bytes = 8 * n + 4 * size;
  sums_of_labels<1>(std::move(r), n, size, labels.data(), plain::one_value{x}, [&](float* out) {
    wf::reduce_by_class_async(here(), std::span<const int>(labels.data(), n), std::span(x, n), size,
                              wf::plus{}, std::span<float>(out, size));
  });
}

/// The sum of the points of a center, and their number.
struct center {
  float x, y, n;
};
struct center_of_point {
  WARPFOLD_HD center operator()(float x, float y) const { return {x, y, 1}; }
};
struct add_centers {
  template <class T>
  WARPFOLD_HD T identity() const {
    return {0, 0, 0};
  }
  WARPFOLD_HD center operator()(const center& a, const center& b) const {
    return {a.x + b.x, a.y + b.y, a.n + b.n};
  }
};

void centers_of_points(row r, std::size_t n, int classes) {
  const auto size = static_cast<std::size_t>(classes);
  const auto labels = filled<int>(n, labels_below<int>{static_cast<unsigned>(classes)});
  const inputs& in = inputs_of(n);
  const float *const x = in.a.data(), *const y = in.b.data();
  r.bytes = 12 * n + 12 * size;
  sums_of_labels<3>(
      std::move(r), n, size, labels.data(), plain::point_value{x, y}, [&](float* out) {
        wf::reduce_by_class_async(
            here(), std::span<const int>(labels.data(), n),
            wf::project(wf::zip(std::span(x, n), std::span(y, n)), center_of_point{}), size,
            add_centers{}, std::span<center>(reinterpret_cast<center*>(out), size));
      });
}

// --- axes ----------------------------------------------------------------------------------------

template <int Axis, std::size_t Rank>
void sums_along(row r, const cuda::std::array<int, Rank>& extents) {
  gpu& g = machine();
  plain::axis_shape s{1, static_cast<std::size_t>(extents[Axis]), 1};
  for (int d = 0; d < static_cast<int>(Rank); ++d) {
    const auto extent = static_cast<std::size_t>(extents[static_cast<std::size_t>(d)]);
    if (d < Axis) s.outer *= extent;
    if (d > Axis) s.inner *= extent;
  }
  const std::size_t outputs = s.outputs(), n = outputs * s.length;
  const float* const x = inputs_of(n).a.data();
  wf::device_buffer<int> want(outputs);
  wf::device_buffer<float> out(outputs);
  float* const to = out.data();
  plain::sum_integers(x, s, want.data(), g.stream);
  const auto mistakes = [&] {
    return wrong_of(outputs, differs<int>{out.data(), want.data(), 0, 0});
  };
  const auto add = [&](const char* name, const std::function<void()>& call) {
    r.contenders.push_back({name, call, output_of(out), mistakes});
  };
  r.bytes = 4 * (n + outputs);
  add("warpfold", [=] {
    using array = cuda::std::mdspan<const float, cuda::std::dextents<int, Rank>>;
    wf::reduce_axis_async<Axis>(here(), array(x, extents), wf::plus{},
                                std::span<float>(to, outputs));
  });
  plain::add_axis_kernels(x, s, to, g.stream, add);
  measure_row(std::move(r));
}

template <int Axis, class... Extents>
void add_axis(Extents... extents) {
  const cuda::std::array<int, sizeof...(Extents)> shape{extents...};
  std::string text;
  for (const int extent : shape) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  jobs.push_back({"axis sums", text + ", axis " + std::to_string(Axis),
                  [=](row r) { sums_along<Axis>(std::move(r), shape); }});
}

// --- runs of keys --------------------------------------------------------------------------------

struct key_of {
  std::size_t length;
  __device__ int operator()(std::size_t i) const { return static_cast<int>(i / length); }
};
struct run_differs {
  const int *keys, *before;
  const float* sums;
  std::size_t n, length;
  __device__ bool operator()(std::size_t r) const {
    const std::size_t begin = r * length, end = begin + length < n ? begin + length : n;
    const double want = before[end] - before[begin];
    return keys[r] != static_cast<int>(r) ||
           !(fabs(sums[r] - want) <= (want < 0x1p24 ? 0 : want * 1e-6));
  }
};

void sums_of_runs(row r, std::size_t n, std::size_t length) {
  gpu& g = machine();
  const std::size_t runs = (n + length - 1) / length;
  const float* const x = inputs_of(n).a.data();
  const auto keys = filled<int>(n, key_of{length});
  const auto before = sums_before(n, element_at{x});
  const int* const k = keys.data();
  wf::device_buffer<int> keys_out(n), count(1);
  wf::device_buffer<float> sums(n);
  int *const to_keys = keys_out.data(), *const to_count = count.data();
  float* const to = sums.data();
  const auto mistakes = [&] {
    const int found = count.to_host()[0];
    check(cudaMemset(count.data(), 255, sizeof(int)));
    if (found != static_cast<int>(runs)) return 1u;
    return wrong_of(runs, run_differs{keys_out.data(), before.data(), sums.data(), n, length});
  };
  check(cudaMemset(count.data(), 255, sizeof(int)));
  r.bytes = 8 * n + 8 * runs;
  r.contenders.push_back({"warpfold",
                          [=] {
                            wf::reduce_by_key_async(here(), std::span(k, n), std::span(x, n),
                                                    wf::plus{}, to_keys, to, to_count);
                          },
                          output_of(sums), mistakes});
  r.contenders.push_back(of_cub(
      [=, &g](void* scratch, std::size_t& bytes) {
        return cub::DeviceReduce::ReduceByKey(scratch, bytes, k, to_keys, x, to, to_count,
                                              cuda::std::plus<>{}, static_cast<int>(n), g.stream);
      },
      output_of(sums), mistakes));
  measure_row(std::move(r));
}

// --- the list ------------------------------------------------------------------------------------

void add_jobs() {
  using enum lengths;
  constexpr std::size_t mb_16 = 1u << 22, mb_256 = 1u << 26, gb = 1u << 28;
  for (const int mean : {256, 5000, 33, 3}) {
    for (const lengths kind : {uniform, exponential}) {
      add_segments("segment sums", sums_of_segments, mb_16, kind, mean, 0, false);
    }
  }
  for (const std::size_t n : {mb_256, gb}) {
    for (const int mean : {1, 3, 8, 256, 5000}) {
      for (const lengths kind : {uniform, exponential}) {
        add_segments("segment sums", sums_of_segments, n, kind, mean, 0, false);
      }
    }
  }
  for (const int mean : {33, 256, 5000}) {
    add_segments("segment argmax", argmax_of_segments, mb_256, uniform, mean, 1, true);
  }
  for (const int mean : {33, 256, 5000}) {
    add_segments("segment variance", variances_of_segments, mb_256, uniform, mean, 1, false);
  }
  for (const std::size_t n : {mb_16, mb_256}) {
    for (const int mean : {256, 5000}) {
      add_segments("segment dots", dots_of_segments, n, uniform, mean, 0, false);
    }
  }
  for (const lengths kind : {uniform, power_law}) {
    add_segments("ragged softmax", normalized_segments<plain::softmax>, mb_256, kind, 256, 1, true);
  }
  for (const lengths kind : {uniform, power_law}) {
    add_segments("ragged layer norm", normalized_segments<plain::layer_norm>, mb_256, kind, 256, 1,
                 true);
  }
  using shape = std::pair<int, int>;
  for (const auto& [height, width] : {shape{8192, 1024}, shape{32768, 768}, shape{1000000, 33},
                                      shape{4096, 8191}, shape{1024, 50257}}) {
    add_rows("softmax", normalized_rows<plain::softmax>, height, width);
  }
  for (const auto& [height, width] : {shape{1000000, 33}, shape{8192, 4096}}) {
    add_rows("layer norm", normalized_rows<plain::layer_norm>, height, width);
  }
  for (const auto& [height, width] : {shape{8192, 1024}, shape{8192, 50257}}) {
    add_rows("logsumexp", log_sums_of_rows, height, width);
  }
  for (const auto& [height, width] :
       {shape{8192, 1024}, shape{8192, 4096}, shape{4096, 8192}, shape{4096, 12288}}) {
    add_rows("row argmax", argmax_of_rows, height, width);
  }
  const auto add = [](const char* work, const std::string& size,
                      const std::function<void(row)>& f) { jobs.push_back({work, size, f}); };
  add("norms of arrays", "64 of 100000", [](row r) {
    folds_of_arrays(std::move(r), 64, 100000, false, wf::norm_2_op{}, plain::norm_of_arrays{});
  });
  add("sums of arrays", "64 of 100000", [](row r) {
    folds_of_arrays(std::move(r), 64, 100000, false, wf::plus{}, plain::sum_of_arrays{});
  });
  for (const std::size_t length : {100, 1000}) {
    add("sums of arrays", "1000 of " + std::to_string(length) + ", list on the GPU", [=](row r) {
      folds_of_arrays(std::move(r), 1000, length, true, wf::plus{}, plain::sum_of_arrays{});
    });
  }
  for (const int classes : {64, 256}) {
    add("bytes counted", "268 M, " + std::to_string(classes) + " classes",
        [=](row r) { counted_bytes(std::move(r), classes); });
  }
  for (const int classes : {64, 256, 1000, 4096, 65536}) {
    add("sums by class", "2^24 floats, " + std::to_string(classes) + " classes",
        [=](row r) { sums_of_classes(std::move(r), classes); });
  }
  for (const int classes : {8, 100}) {
    add("k-means sums and counts", "1000000 points, " + std::to_string(classes) + " centers",
        [=](row r) { centers_of_points(std::move(r), 1000000, classes); });
  }
  add("row dots", shape_text(256, 4097), [](row r) { dots_of_rows(std::move(r), 256, 4097); });
  add_axis<0>(2, 3, 50000001);
  add_axis<1>(2, 3, 50000001);
  add_axis<0>(5, 5, 5, 999999);
  add_axis<1>(5, 5, 5, 999999);
  add_axis<2>(5, 5, 5, 999999);
  add_axis<3>(5, 5, 5, 999999);
  add_axis<1>(100000, 100, 7);
  add_axis<0>(10000, 17);
  add_axis<0>(128, 128);
  add_axis<1>(128, 128);
  add_axis<0>(1000, 1000);
  add_axis<0>(99, 101, 103, 31);
  for (const std::size_t length : {1u, 10u, 1000u, 1u << 24}) {
    add("sums by key", "2^24 keys, runs of " + std::to_string(length),
        [=](row r) { sums_of_runs(std::move(r), std::size_t{1} << 24, length); });
  }
}

void write_results() {
  const std::string cub = "  \"cub\": " + std::to_string(CUB_VERSION) + ",\n";
  write_rows("groups.json", cub, rows, [](std::ostream& json, const row& r) {
    json << "\"work\": \"" << r.work << "\", \"size\": \"" << r.size << "\", ";
    write_contenders(json, r);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const measure::selection selected(argc, argv);
  if (!selected.valid) return 2;
  add_jobs();
  selected.apply(jobs);
  if (selected.list) {
    print_list(jobs);
    return 0;
  }
  if (!measure::has_gpu()) return 0;
  seconds_now();
  warm_up();
  for (const job& j : jobs) j.run({j.work, j.size, 0, {}});
  if (selected.only.empty()) {
    write_results();
  } else {
    std::printf("no record: --only selected %zu rows\n", rows.size());
  }
  return std::all_of(rows.begin(), rows.end(), [](const row& r) { return r.right; }) ? 0 : 1;
}
