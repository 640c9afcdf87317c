/// @file
/// needs: cccl
/// Lets code written for Thrust or the standard library pass its policies, iterators and ops to
/// this library. Change `thrust::reduce(` or `std::reduce(` to `wf::reduce(` and include this
/// header.
///
/// Includes CCCL and, if found, oneTBB by design: it adopts their policies and iterators.
///
///     wf::reduce(thrust::cuda::par.on(stream), v.begin(), v.end(), 0.0f, thrust::plus<float>());
///     wf::reduce(std::execution::par_unseq, w.begin(), w.end());
///
/// - `thrust::device`, `thrust::cuda::par`, `par_nosync`, and each `.on(stream)`: `wf::device` on
///   that stream.
/// - `thrust::host`, `thrust::seq`, `std::execution::seq`, `unseq`: `wf::seq`.
/// - `std::execution::par`, `par_unseq`, Thrust's OpenMP and TBB systems: `wf::par` if oneTBB is
///   found, otherwise `wf::seq`.
/// - `thrust::plus`, `multiplies` and the same ops of std and libcu++ get their identities, so an
///   empty range needs no init. Other function objects have none. Include this header in every file
///   of a program that reduces with these ops, or in none; otherwise the program violates the
///   one-definition rule. On a GPU, ops of std need --expt-relaxed-constexpr; those of Thrust do
///   not.
/// - An allocator given to a Thrust policy is ignored: scratch comes from the library.
/// - `thrust::transform_iterator` and `counting_iterator` become views, so loads are 16 bytes wide.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20

#include <execution>
#include <functional>

#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/system/cpp/execution_policy.h>
#include <thrust/system/omp/detail/execution_policy.h>
#include <cuda/std/functional>

#include <warpfold/reduce.hpp>

#if __has_include(<oneapi/tbb/parallel_for.h>)
#include <warpfold/policy/par.hpp>
#endif

namespace warpfold {

namespace detail {

inline constexpr auto host_threads() {
#if __has_include(<oneapi/tbb/parallel_for.h>)
  return par;
#else
  return seq;
#endif
}

#if defined(__CUDACC__)
template <class P>
concept thrust_cuda_policy = std::is_base_of_v<thrust::cuda_cub::execution_policy<P>, P>;
#else
template <class P>
concept thrust_cuda_policy = false;
#endif

// thrust::omp::par and thrust::tbb::par; the headers of their tags need neither OpenMP nor oneTBB.
template <class P>
concept thrust_threads_policy =
    std::is_base_of_v<thrust::system::omp::detail::execution_policy<P>, P> ||
    std::is_base_of_v<thrust::system::tbb::detail::execution_policy<P>, P>;

// thrust::host, thrust::cpp::par and thrust::seq.
template <class P>
concept thrust_sequential_policy =
    !thrust_cuda_policy<P> && !thrust_threads_policy<P> &&
    (std::is_base_of_v<thrust::system::cpp::detail::execution_policy<P>, P> ||
     std::is_base_of_v<thrust::system::detail::sequential::execution_policy<P>, P>);

}  // namespace detail

#if defined(__CUDACC__)
template <detail::thrust_cuda_policy P>
struct adopted_policy<P> {
  static auto convert(const P& p) {
    P copy = p;  // Thrust returns the stream of a non-const policy only
    return device.on(thrust::cuda_cub::stream(copy));
  }
};
#endif

template <detail::thrust_sequential_policy P>
struct adopted_policy<P> {
  static auto convert(const P&) { return seq; }
};
template <detail::thrust_threads_policy P>
struct adopted_policy<P> {
  static auto convert(const P&) { return detail::host_threads(); }
};

template <>
struct adopted_policy<std::execution::sequenced_policy> {
  static auto convert(const std::execution::sequenced_policy&) { return seq; }
};
template <>
struct adopted_policy<std::execution::unsequenced_policy> {
  static auto convert(const std::execution::unsequenced_policy&) { return seq; }
};
template <>
struct adopted_policy<std::execution::parallel_policy> {
  static auto convert(const std::execution::parallel_policy&) { return detail::host_threads(); }
};
template <>
struct adopted_policy<std::execution::parallel_unsequenced_policy> {
  static auto convert(const std::execution::parallel_unsequenced_policy&) {
    return detail::host_threads();
  }
};

template <class F, class Base, class Reference, class Value>
struct adopted_iterator<thrust::transform_iterator<F, Base, Reference, Value>> {
  static auto convert(const thrust::transform_iterator<F, Base, Reference, Value>& first,
                      std::size_t size) {
    const auto base = as_view(first.base(), first.base() + static_cast<std::ptrdiff_t>(size));
    return transform_view<std::remove_const_t<decltype(base)>, F>(base, first.functor());
  }
};

template <class T, class System, class Traversal, class Difference>
struct adopted_iterator<thrust::counting_iterator<T, System, Traversal, Difference>> {
  static auto convert(const thrust::counting_iterator<T, System, Traversal, Difference>& first,
                      std::size_t size) {
    return counting(*first, size);
  }
};

namespace detail {

// The identity of another library's function object. The reduction calls that function object; only
// the identity comes from the op of this library.
template <class Theirs, class Ours, class T>
struct same_identity {
  using accumulator = op_result_t<Theirs, T, T>;
  static constexpr bool has_identity = op_traits<Ours, T>::has_identity;
  static WARPFOLD_HD constexpr T identity(const Theirs&) {
    return op_traits<Ours, T>::identity(Ours{});
  }
};

}  // namespace detail

template <class U, class T>
struct op_traits<cuda::std::plus<U>, T> : detail::same_identity<cuda::std::plus<U>, plus, T> {};
template <class U, class T>
struct op_traits<cuda::std::multiplies<U>, T>
    : detail::same_identity<cuda::std::multiplies<U>, multiplies, T> {};
template <class U, class T>
struct op_traits<std::plus<U>, T> : detail::same_identity<std::plus<U>, plus, T> {};
template <class U, class T>
struct op_traits<std::multiplies<U>, T> : detail::same_identity<std::multiplies<U>, multiplies, T> {
};

}  // namespace warpfold
