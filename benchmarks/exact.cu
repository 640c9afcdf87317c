// Exact sums of numbers whose exponents are alike or differ, from 256 KB to 1 GB: wf::device beside
// a plain sum, a compensated one, and the exact sum whose threads hold states.
//
// Path covered: reduce.hpp and dot.hpp -> policy/device.hpp -> kernel/thread_tables.hpp; spans.
//
// The plain and the compensated sum round; they are floors, and no peers. So does CUB's
// reproducible sum (`determinism::gpu_to_gpu`, CCCL 3.5 and later: -I its include folder). The
// peer, `states`, is single_pass with the same op. Each exact result is compared with its bits.
// Some rows, columns and segments are compared with their sums alone, classes with nothing.
// Contenders take turns (contenders.hpp): `cold`, one call after a write of 256 MB; `queue`, one of
// 20 calls in a row; `graph`, one of 20 in a graph, for calls below 0.3 ms.
//
//     exact [--list] [--only TEXT]...
//
// Writes benchmarks/results/<gpu>/exact.json in the current directory, or under WARPFOLD_RESULTS.
// benchmarks/report_exact.py writes exact.md.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda/std/mdspan>

#include <warpfold/dot.hpp>
#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/op/compensated.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/policy/device.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/reduce_by_class.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/view/strided.hpp>

#if __has_include(<cuda/execution>)
#include <cub/version.cuh>
#endif
// Reductions of CUB with the same bits on every GPU: those of an environment. CCCL 3.0 has none.
#if defined(CCCL_VERSION) && CCCL_VERSION >= 3005000
#define WARPFOLD_HAS_CUB_GPU_TO_GPU 1
#include <cub/device/device_reduce.cuh>
#include <cuda/execution>
#include <cuda/std/execution>
#include <cuda/std/functional>
#include <cuda/stream_ref>
#else
#define WARPFOLD_HAS_CUB_GPU_TO_GPU 0
#endif

#include "contenders.hpp"
#include "measure.hpp"

namespace wf = warpfold;

namespace {

using namespace measure;

std::vector<row> rows;

struct job {
  std::string work, size;
  std::function<void(row)> run;
};
std::vector<job> jobs;

auto here() { return wf::device.on(machine().stream); }

enum class numbers {
  normal,
  uniform,
  lognormal_1,
  half_zeros,
  lognormal_10,
  every_binade,
  cancelling
};
constexpr const char* names_of_numbers[] = {
    "normal",       "uniform",         "lognormal, sigma 1", "half zeros", "lognormal, sigma 10",
    "every binade", "cancelling pairs"};

// Numbers of the distribution that fit T. Pairs cancel but for the last, small one.
template <class T>
struct number_at {
  numbers kind;
  std::size_t n;
  __device__ T operator()(std::size_t i) const {
    const double u = (hash_of(2 * i) + 1.0) * 0x1p-32, v = hash_of(2 * i + 1) * 0x1p-32;
    constexpr bool is_wide = sizeof(T) > 2 || std::is_same_v<T, __nv_bfloat16>;
    constexpr int binades = sizeof(T) == 8 ? 2000 : is_wide ? 240 : 28;
    const double normal = sqrt(-2 * log(u)) * cospi(2 * v);
    double x = normal;
    switch (kind) {
      case numbers::normal:
        break;
      case numbers::uniform:
        x = u;
        break;
      case numbers::lognormal_1:
        x = exp(normal);
        break;
      case numbers::half_zeros:
        x = hash_of(i + 55) % 2 != 0 ? normal : 0;
        break;
      case numbers::lognormal_10:
        x = exp(is_wide ? 10 * normal : 2 * normal);
        break;
      case numbers::every_binade:
        x = ldexp(1 + u, static_cast<int>(hash_of(i + 77) % binades) - binades / 2);
        if (hash_of(i + 99) % 2 != 0) x = -x;
        break;
      case numbers::cancelling:
        x = ldexp(1 + (hash_of(i / 2) >> 9) * 0x1p-23,
                  static_cast<int>(hash_of(i / 2 + 77) % binades) - binades / 2);
        if (i % 2 != 0) x = -x;
        break;
    }
    return static_cast<T>(x);
  }
};

template <class T>
constexpr const char* name_of() {
  return sizeof(T) == 8                     ? "f64"
         : sizeof(T) == 4                   ? "f32"
         : std::is_same_v<T, __nv_bfloat16> ? "bf16"
                                            : "f16";
}

template <class R>
struct differs {
  const R *got, *want;
  __device__ bool operator()(std::size_t) const {
    const auto bytes = [](const R* x) { return reinterpret_cast<const unsigned char*>(x); };
    for (unsigned k = 0; k < sizeof(R); ++k) {
      if (bytes(got)[k] != bytes(want)[k]) return true;
    }
    return false;
  }
};

// One row: `call(policy, op, out)` of an exact and of a plain op.
// @param others more contenders
template <class R, class Plain, bool HasStates, class Call>
void measure_calls(row r, const Call& call, std::bool_constant<HasStates>,
                   std::vector<contender> others = {}) {
  wf::device_buffer<R> exact(1), states(1);
  wf::device_buffer<Plain> plain(1), compensated(1);
  const auto op = wf::plus{}.exact();
  std::function<unsigned()> mistakes;
  const auto by_states = [&] {
    if constexpr (HasStates) {
      call(here().with_kernel(wf::kernel::single_pass<>{}), op, states.data());
    }
  };
  if (HasStates) {
    mistakes = [&] {
      by_states();
      return wrong_of(1, differs<R>{exact.data(), states.data()});
    };
  }
  r.contenders.push_back(
      {"warpfold", [&] { call(here(), op, exact.data()); }, output_of(exact), mistakes});
  r.contenders.push_back(
      {"plain", [&] { call(here(), wf::plus{}, plain.data()); }, output_of(plain), nullptr});
  r.contenders.push_back({"compensated",
                          [&] { call(here(), wf::compensated_plus{}, compensated.data()); },
                          output_of(compensated), nullptr});
  if (HasStates) r.contenders.push_back({"states", by_states, output_of(states), nullptr});
  for (contender& other : others) r.contenders.push_back(std::move(other));
  measure_contenders(r);
  rows.push_back(std::move(r));
}

#if WARPFOLD_HAS_CUB_GPU_TO_GPU
// CUB's sum, whose bits do not depend on the GPU. It allocates its scratch from the stream.
template <class T>
contender cub_gpu_to_gpu(const T* from, std::size_t n, wf::device_buffer<T>& out) {
  const auto call = [from, n, &out] {
    const auto how = cuda::std::execution::env{
        cuda::stream_ref{machine().stream},
        cuda::execution::require(cuda::execution::determinism::gpu_to_gpu)};
    (void)cub::DeviceReduce::Reduce(from, out.data(), n, cuda::std::plus<>{}, T{}, how);
  };
  return {"cub gpu_to_gpu", call, output_of(out), nullptr};
}
#endif

template <class T>
void add_sums(std::size_t bytes, numbers kind) {
  const std::size_t n = bytes / sizeof(T);
  jobs.push_back({std::string("sum ") + name_of<T>(),
                  size_text(bytes) + ", " + names_of_numbers[static_cast<int>(kind)], [=](row r) {
                    const auto x = filled<T>(n, number_at<T>{kind, n});
                    r.bytes = bytes;
                    using R = wf::wide_sum_t<T>;
                    std::vector<contender> others;
#if WARPFOLD_HAS_CUB_GPU_TO_GPU
                    wf::device_buffer<R> by_cub(1);
                    if constexpr (std::is_same_v<T, R>) {
                      others.push_back(cub_gpu_to_gpu(x.data(), n, by_cub));
                    }
#endif
                    measure_calls<R, R, true>(
                        std::move(r),
                        [&](const auto& policy, const auto& op, R* out) {
                          wf::reduce_async(policy, std::span<const T>(x.data(), n), op, out);
                        },
                        std::true_type{}, std::move(others));
                  }});
}

template <class T>
void add_dots(std::size_t bytes, numbers kind) {
  const std::size_t n = bytes / 2 / sizeof(T);
  jobs.push_back({std::string("dot ") + name_of<T>(),
                  size_text(bytes) + ", " + names_of_numbers[static_cast<int>(kind)], [=](row r) {
                    const auto x = filled<T>(n, number_at<T>{kind, n});
                    const auto y = filled<T>(n, number_at<T>{numbers::normal, n});
                    r.bytes = bytes;
                    measure_calls<T, T, sizeof(T) == 4>(
                        std::move(r),
                        [&](const auto& policy, const auto& op, T* out) {
                          wf::dot_async(policy, std::span<const T>(x.data(), n),
                                        std::span<const T>(y.data(), n), op, out);
                        },
                        std::bool_constant<sizeof(T) == 4>{});  // those of doubles do not fit
                  }});
}

// The groups of one row: those of equal lengths, or the columns of a matrix.
enum class grouping { segments, rows, columns };

// Each result is compared with the bits of the sum of that group alone, for some groups.
template <class T>
void add_groups(grouping by, std::size_t bytes, std::size_t length, numbers kind) {
  const std::size_t n = bytes / sizeof(T), count = n / length;
  const char* const name = by == grouping::segments ? "segments"
                           : by == grouping::rows   ? "rows"
                                                    : "columns";
  jobs.push_back(
      {std::string(name) + " of " + std::to_string(length) + " " + name_of<T>(),
       size_text(bytes) + ", " + names_of_numbers[static_cast<int>(kind)], [=](row r) {
         using matrix = cuda::std::mdspan<const T, cuda::std::dextents<std::size_t, 2>>;
         const auto x = filled<T>(n, number_at<T>{kind, n});
         const auto begins = filled<unsigned>(count + 1, [length] __device__(std::size_t i) {
           return static_cast<unsigned>(i * length);
         });
         wf::device_buffer<T> exact(count), plain(count), compensated(count), alone(count);
         const auto call = [&](const auto& op, wf::device_buffer<T>& out) {
           const std::span<T> to(out.data(), count);
           if (by == grouping::segments) {
             wf::reduce_segments_async(here(), std::span<const T>(x.data(), n),
                                       std::span<const unsigned>(begins.data(), count + 1), op, to);
           } else if (by == grouping::rows) {
             wf::reduce_axis_async<1>(here(), matrix(x.data(), count, length), op, to);
           } else {
             wf::reduce_axis_async<0>(here(), matrix(x.data(), length, count), op, to);
           }
         };
         const std::size_t step = count < 64 ? 1 : count / 64;
         const auto mistakes = [&] {
           for (std::size_t g = 0; g < count; g += step) {
             const T* const first = x.data() + (by == grouping::columns ? g : g * length);
             if (by == grouping::columns) {
               wf::reduce_async(here(), wf::strided(std::span<const T>(first, n - g), count),
                                wf::plus{}.exact(), alone.data() + g);
             } else {
               wf::reduce_async(here(), std::span<const T>(first, length), wf::plus{}.exact(),
                                alone.data() + g);
             }
           }
           return wrong_of(
               count, [step, got = exact.data(), want = alone.data()] __device__(std::size_t g) {
                 return g % step == 0 && differs<T>{got + g, want + g}(0);
               });
         };
         r.bytes = bytes;
         r.contenders.push_back(
             {"warpfold", [&] { call(wf::plus{}.exact(), exact); }, output_of(exact), mistakes});
         r.contenders.push_back(
             {"plain", [&] { call(wf::plus{}, plain); }, output_of(plain), nullptr});
         r.contenders.push_back({"compensated", [&] { call(wf::compensated_plus{}, compensated); },
                                 output_of(compensated), nullptr});
         measure_contenders(r);
         rows.push_back(std::move(r));
       }});
}

// Equal numbers of each class, in random order.
template <class T>
void add_classes(std::size_t bytes, unsigned classes, numbers kind) {
  const std::size_t n = bytes / sizeof(T);
  jobs.push_back({std::to_string(classes) + " classes " + name_of<T>(),
                  size_text(bytes) + ", " + names_of_numbers[static_cast<int>(kind)], [=](row r) {
                    const auto x = filled<T>(n, number_at<T>{kind, n});
                    const auto labels = filled<unsigned>(n, [classes] __device__(std::size_t i) {
                      return static_cast<unsigned>(hash_of(i + 3) % classes);
                    });
                    wf::device_buffer<T> exact(classes), plain(classes);
                    const auto call = [&](const auto& op, wf::device_buffer<T>& out) {
                      wf::reduce_by_class_async(here(), std::span<const unsigned>(labels.data(), n),
                                                std::span<const T>(x.data(), n), classes, op,
                                                std::span<T>(out.data(), classes));
                    };
                    r.bytes = bytes;
                    r.contenders.push_back({"warpfold", [&] { call(wf::plus{}.exact(), exact); },
                                            output_of(exact), nullptr});
                    r.contenders.push_back(
                        {"plain", [&] { call(wf::plus{}, plain); }, output_of(plain), nullptr});
                    measure_contenders(r);
                    rows.push_back(std::move(r));
                  }});
}

template <class T>
void add_all_groups(std::size_t bytes, numbers kind) {
  for (const std::size_t length : {32, 1024}) {
    add_groups<T>(grouping::segments, bytes, length, kind);
  }
  for (const std::size_t length : {32, 1024, 65536}) {
    add_groups<T>(grouping::rows, bytes, length, kind);
  }
  add_groups<T>(grouping::columns, bytes, 4096, kind);
  for (const unsigned classes : {10u, 1000u}) add_classes<T>(bytes, classes, kind);
}

void add_jobs() {
  using enum numbers;
  constexpr std::size_t kb = 1024, mb = 1024 * kb;
  for (const numbers kind :
       {normal, uniform, lognormal_1, half_zeros, lognormal_10, every_binade, cancelling}) {
    for (const std::size_t bytes : {256 * kb, 16 * mb, 256 * mb, 1024 * mb}) {
      add_sums<float>(bytes, kind);
      add_sums<double>(bytes, kind);
      add_sums<__half>(bytes, kind);
      add_sums<__nv_bfloat16>(bytes, kind);
    }
  }
  for (const numbers kind : {normal, lognormal_10}) {
    for (const std::size_t bytes : {16 * mb, 1024 * mb}) {
      add_all_groups<float>(bytes, kind);
      add_all_groups<double>(bytes, kind);
    }
    for (const std::size_t bytes : {256 * kb, 16 * mb, 256 * mb}) {
      add_dots<float>(bytes, kind);
      add_dots<double>(bytes, kind);
    }
  }
}

void write_results() {
  write_rows("exact.json", "", rows, [](std::ostream& json, const row& r) {
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
