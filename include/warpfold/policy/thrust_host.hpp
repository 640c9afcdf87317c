/// @file
/// needs: cccl
/// `wf::baseline::thrust_seq`, `thrust_omp` and `thrust_tbb`: Thrust's host systems behind the same
/// call, for comparison.
///
/// Includes CCCL and, if found, oneTBB by design: it calls Thrust.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20

#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>

#if defined(_OPENMP)
#include <omp.h>
#include <thrust/system/omp/execution_policy.h>
#endif
#if __has_include(<tbb/parallel_reduce.h>)
#include <tbb/task_arena.h>
#include <thrust/system/tbb/execution_policy.h>
#endif

#include <warpfold/policy/host_baseline.hpp>

namespace warpfold::baseline {

namespace detail {

template <class System>
struct thrust_library {
  static constexpr const char* kernel = "thrust::reduce";
  static int threads() { return System::threads(); }

  WARPFOLD_ANY_SIDE
  template <class It, class T, class Op>
  static T reduce(It first, It last, const T& start, const Op& op) {
    return ::thrust::reduce(System::policy(), first, last, start, op);
  }
  WARPFOLD_ANY_SIDE
  template <class It, class Out, class F>
  static void transform(It first, It last, Out* out, const F& f) {
    ::thrust::transform(System::policy(), first, last, out, f);
  }
};

}  // namespace detail

/// Runs `thrust::reduce` in one of Thrust's host systems, with raw pointers if the view has them.
/// Accumulates in `result_type`.
template <class System>
class thrust_host_policy : public host_baseline<detail::thrust_library<System>> {
 public:
  static constexpr const char* name() { return System::name; }
};

namespace detail {

struct thrust_seq_system {
  static constexpr const char* name = "thrust_seq";
  static auto policy() { return ::thrust::seq; }
  static int threads() { return 1; }
};
#if defined(_OPENMP)
struct thrust_omp_system {
  static constexpr const char* name = "thrust_omp";
  static auto policy() { return ::thrust::omp::par; }
  static int threads() { return omp_get_max_threads(); }
};
#endif
#if __has_include(<tbb/parallel_reduce.h>)
struct thrust_tbb_system {
  static constexpr const char* name = "thrust_tbb";
  static auto policy() { return ::thrust::tbb::par; }
  static int threads() { return ::tbb::this_task_arena::max_concurrency(); }
};
#endif

}  // namespace detail

/// Thrust on one host thread.
inline constexpr thrust_host_policy<detail::thrust_seq_system> thrust_seq{};
#if defined(_OPENMP)
/// Thrust on OpenMP threads; defined if the compiler has OpenMP enabled.
inline constexpr thrust_host_policy<detail::thrust_omp_system> thrust_omp{};
#endif
#if __has_include(<tbb/parallel_reduce.h>)
/// Thrust on oneTBB threads; defined if oneTBB is found.
inline constexpr thrust_host_policy<detail::thrust_tbb_system> thrust_tbb{};
#endif

static_assert(policy<thrust_host_policy<detail::thrust_seq_system>>);

}  // namespace warpfold::baseline
