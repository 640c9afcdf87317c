/// @file
/// needs: cccl
/// For code written for Thrust: change `thrust::reduce(` to `wf::reduce(` and include this.
///
/// Includes CCCL by design: it adopts the policies and iterators of Thrust.
///
///     wf::reduce(thrust::cuda::par.on(stream), v.begin(), v.end(), 0.0f, thrust::plus<float>());
///
/// - `thrust::device`, `thrust::cuda::par`, `par_nosync`, and each `.on(stream)` run as
///   `wf::device` on that stream.
/// - `thrust::host`, `thrust::cpp::par` and `thrust::seq` run as `wf::seq`.
/// - Thrust's OpenMP and TBB systems are adopted by `warpfold/drop_in.hpp`, which also includes
///   oneTBB.
/// - `thrust::plus` and `multiplies`, which are those of libcu++, have their identities, so an
///   empty range needs no init. Other function objects have none. Include this header in every file
///   of a program that reduces with them, or in none: an op must mean the same everywhere.
/// - The allocator of a Thrust policy is ignored: the library allocates its own scratch memory.
/// - `thrust::transform_iterator` and `counting_iterator` become views, and so load 16 bytes at a
///   time.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20

#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/system/cpp/execution_policy.h>
#include <thrust/system/omp/detail/execution_policy.h>
#include <cuda/std/functional>

#include <warpfold/drop_in/same_identity.hpp>
#include <warpfold/reduce.hpp>

namespace warpfold {

namespace detail {

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
    P copy = p;  // Thrust asks a policy for its stream only if it may change the policy
    return device.on(thrust::cuda_cub::stream(copy));
  }
};
#endif

template <detail::thrust_sequential_policy P>
struct adopted_policy<P> {
  static auto convert(const P&) { return seq; }
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

template <class U, class T>
struct op_traits<cuda::std::plus<U>, T> : detail::same_identity<cuda::std::plus<U>, plus, T> {};
template <class U, class T>
struct op_traits<cuda::std::multiplies<U>, T>
    : detail::same_identity<cuda::std::multiplies<U>, multiplies, T> {};

}  // namespace warpfold
