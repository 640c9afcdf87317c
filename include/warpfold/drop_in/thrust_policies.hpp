/// @file
/// needs: cccl
/// Lets calls of this library take the policies, iterators and ops of Thrust. Change
/// `thrust::reduce(` to `wf::reduce(` and include this and the header of the call.
///
/// Includes CCCL by design: it adopts the policies and iterators of Thrust.
///
///     wf::reduce(thrust::cuda::par.on(stream), v.begin(), v.end(), 0.0f, thrust::plus<float>());
///
/// - `thrust::device`, `thrust::cuda::par`, `par_nosync`, and each `.on(stream)` run as
///   `wf::device` on that stream.
/// - `thrust::host`, `thrust::cpp::par` and `thrust::seq` run as `wf::seq`.
/// - A policy of your own is not adopted, for example one that derives from
///   `thrust::device_execution_policy`, `host_execution_policy` or `cpp::execution_policy`: its
///   overloads have Thrust's names. `drop_in/thrust.hpp` calls them.
/// - Thrust's OpenMP and TBB systems are adopted by `warpfold/drop_in.hpp`, which also includes
///   oneTBB.
/// - `thrust::plus` and `multiplies`, which are those of libcu++, have their identities, so an
///   empty range needs no init. Other function objects have none. Include this header in every file
///   of a program that reduces with them, or in none: an op must mean the same everywhere.
/// - The allocator of a Thrust policy is ignored: the library allocates its own scratch memory.
/// - `thrust::transform_iterator`, `counting_iterator` and `zip_iterator` become views, and so load
///   16 bytes at a time. The elements of a `zip_iterator` stay tuples of Thrust.
///
/// To keep the calls of Thrust as they are, with Thrust's argument orders and result types, see
/// `drop_in/thrust.hpp`.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20

#include <thrust/detail/allocator_aware_execution_policy.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/system/cpp/execution_policy.h>
#include <thrust/system/omp/detail/execution_policy.h>
#include <thrust/tuple.h>
#include <cuda/std/functional>

#include <warpfold/drop_in/same_identity.hpp>
#include <warpfold/op/in_register.hpp>
#include <warpfold/policy/concept.hpp>
#include <warpfold/view/as_view.hpp>
#include <warpfold/view/counting.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

namespace warpfold {

// Declared only: every header of a call defines them, and they are most of its compile time.
namespace kernel {
struct automatic;
}
template <class Kernel>
class device_policy;
class seq_policy;

namespace detail {

#if defined(__CUDACC__)
// Thrust's own policies for CUDA. A class that derives from thrust::device_execution_policy is a
// system of the program's.
template <class Policy>
concept thrust_cuda_policy =
    std::is_same_v<Policy, thrust::cuda_cub::tag> ||
    std::is_same_v<Policy, thrust::cuda_cub::par_t> ||
    std::is_same_v<Policy, thrust::cuda_cub::par_nosync_t> ||
    std::is_base_of_v<thrust::cuda_cub::execute_on_stream_base<Policy>, Policy> ||
    std::is_base_of_v<thrust::cuda_cub::execute_on_stream_nosync_base<Policy>, Policy>;
#else
template <class Policy>
concept thrust_cuda_policy = false;
#endif

// Thrust's own policies of a host system: its tag, `par`, and `par` with an allocator. Any other
// class that derives from `Base` is a system of the program's.
template <class Policy, template <class> class Base>
inline constexpr bool with_thrust_allocator = false;
template <class Allocator, template <class> class Base>
inline constexpr bool
    with_thrust_allocator<thrust::detail::execute_with_allocator<Allocator, Base>, Base> = true;
template <class Policy, class Tag, template <class> class Base>
inline constexpr bool policy_of_thrust =
    std::is_same_v<Policy, Tag> || with_thrust_allocator<Policy, Base> ||
    std::is_base_of_v<thrust::detail::allocator_aware_execution_policy<Base>, Policy>;

// thrust::omp::par and thrust::tbb::par; the headers of their tags need neither OpenMP nor oneTBB.
template <class Policy>
concept thrust_threads_policy = policy_of_thrust<Policy, thrust::system::omp::detail::tag,
                                                 thrust::system::omp::detail::execution_policy> ||
                                policy_of_thrust<Policy, thrust::system::tbb::detail::tag,
                                                 thrust::system::tbb::detail::execution_policy>;

// thrust::host, thrust::cpp::par and thrust::seq.
template <class Policy>
concept thrust_sequential_policy =
    policy_of_thrust<Policy, thrust::system::cpp::detail::tag,
                     thrust::system::cpp::detail::execution_policy> ||
    policy_of_thrust<Policy, thrust::system::detail::sequential::tag,
                     thrust::system::detail::sequential::execution_policy>;

// Calls `f` and converts the result, as an iterator that states its value type does.
template <class F, class Value>
struct with_value_type {
  F f;

  WARPFOLD_ANY_SIDE
  template <class Element>
  WARPFOLD_HD constexpr Value operator()(const Element& x) const {
    return static_cast<Value>(call(f, x));
  }
#if defined(__CUDACC__)
  template <class Element>
  WARPFOLD_DEVICE void name_user_functions(const Element& x) const {
    name_call_as<Value>(f, x);
  }
#endif
};

// Converts a tuple of this library to one of Thrust.
template <class Theirs>
struct as_thrust_tuple;
template <class... T>
struct as_thrust_tuple<cuda::std::tuple<T...>> {
  template <class Ours>
  WARPFOLD_HD constexpr cuda::std::tuple<T...> operator()(const Ours& ours) const {
    return members(ours, std::index_sequence_for<T...>{});
  }

 private:
  template <class Ours, std::size_t... At>
  static WARPFOLD_HD constexpr cuda::std::tuple<T...> members(const Ours& ours,
                                                              std::index_sequence<At...>) {
    return cuda::std::tuple<T...>(static_cast<T>(warpfold::get<At>(ours))...);
  }
};

}  // namespace detail

#if defined(__CUDACC__)
template <detail::thrust_cuda_policy Policy>
struct adopted_policy<Policy> {
  template <class Device = device_policy<kernel::automatic>>
  static auto convert(const Policy& p) {
    Policy copy = p;  // Thrust asks a policy for its stream only if it may change the policy
    return Device{}.on(thrust::cuda_cub::stream(copy));
  }
};
#endif

template <detail::thrust_sequential_policy Policy>
struct adopted_policy<Policy> {
  template <class Seq = seq_policy>
  static auto convert(const Policy&) {
    return Seq{};
  }
};

template <class F, class Base, class Reference, class Value>
struct adopted_iterator<thrust::transform_iterator<F, Base, Reference, Value>> {
  using iterator = thrust::transform_iterator<F, Base, Reference, Value>;
  using value_type = typename std::iterator_traits<iterator>::value_type;

  static auto convert(const iterator& first, std::size_t size) {
    const auto base = as_view(first.base(), first.base() + static_cast<std::ptrdiff_t>(size));
    using view = std::remove_const_t<decltype(base)>;
    if constexpr (detail::is_device_lambda<F>()) {
      return transform_view<view, F>(base, first.functor());
    } else if constexpr (std::is_same_v<typename transform_view<view, F>::value_type, value_type>) {
      return transform_view<view, F>(base, first.functor());
    } else {
      using function = detail::with_value_type<F, value_type>;
      return transform_view<view, function>(base, function{first.functor()});
    }
  }
};

template <class T, class System, class Traversal, class Difference>
struct adopted_iterator<thrust::counting_iterator<T, System, Traversal, Difference>> {
  static auto convert(const thrust::counting_iterator<T, System, Traversal, Difference>& first,
                      std::size_t size) {
    return counting(*first, size);
  }
};

template <class... It>
  requires(reducible_iterator<It> && ...)
struct adopted_iterator<thrust::zip_iterator<cuda::std::tuple<It...>>> {
  using iterator = thrust::zip_iterator<cuda::std::tuple<It...>>;
  using value_type = typename std::iterator_traits<iterator>::value_type;

  static auto convert(const iterator& first, std::size_t size) {
    return convert(first.get_iterator_tuple(), size, std::index_sequence_for<It...>{});
  }

 private:
  // The elements are guarded here (op/in_register.hpp), because a tuple of Thrust is not.
  template <class Iterator>
  static auto column(const Iterator& first, std::size_t size) {
    return detail::guarded(as_view(first, first + static_cast<std::ptrdiff_t>(size)));
  }
  template <std::size_t... At>
  static auto convert(const cuda::std::tuple<It...>& firsts, std::size_t size,
                      std::index_sequence<At...>) {
    using zipped = zip_view<decltype(column(cuda::std::get<At>(firsts), size))...>;
    return transform_view<zipped, detail::as_thrust_tuple<value_type>>(
        zipped(column(cuda::std::get<At>(firsts), size)...), {});
  }
};

template <class U, class T>
struct op_traits<cuda::std::plus<U>, T> : detail::same_identity<cuda::std::plus<U>, plus, T> {};
template <class U, class T>
struct op_traits<cuda::std::multiplies<U>, T>
    : detail::same_identity<cuda::std::multiplies<U>, multiplies, T> {};

}  // namespace warpfold
