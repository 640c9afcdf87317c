/// @file
/// needs: cccl
/// The reductions of Thrust, with Thrust's names, argument orders, defaults and results:
/// `wf::drop_in::thrust`. On the GPU they run as `wf::device`; all other policies run Thrust
/// itself.
///
/// Includes CCCL by design: it adopts Thrust's policies and passes other calls on to Thrust.
///
/// Change `thrust::` to `wf::drop_in::thrust::`, or name the namespace in your own one:
///
///     namespace app {
///     namespace thrust = warpfold::drop_in::thrust;
///     float norm(const thrust::device_vector<float>& v) {
///       return std::sqrt(thrust::inner_product(v.begin(), v.end(), v.begin(), 0.0f));
///     }
///     }
///
/// The namespace contains all of Thrust; the functions below hide Thrust's:
///
/// - `reduce`, `reduce_into`, `transform_reduce`, `inner_product`, `count`, `count_if`;
/// - `min_element`, `max_element`, `minmax_element`;
/// - `all_of`, `any_of`, `none_of`, `equal`, `mismatch`, `is_sorted`, `is_partitioned`;
/// - `transform`, `copy`;
/// - `reduce_by_key` with a policy of this library; with a policy of Thrust, or without one, it is
///   Thrust's.
///
/// Each takes a policy or finds it from its iterators, as in Thrust. `wf::device`, `wf::par` and
/// the other policies of this library work too.
///
/// - Policies: `thrust::device`, `thrust::cuda::par`, `par_nosync` and each `.on(stream)` run as
///   `wf::device` on that stream. Host policies, OpenMP and TBB run Thrust's own code. A policy of
///   your own system calls its overloads, as in Thrust, if it derives from
///   `thrust::device_execution_policy`, `host_execution_policy` or another `execution_policy`.
/// - Calls with elements, inits or outputs that are not trivially copyable run Thrust's own code.
/// - Types: the accumulator is that of Thrust on the GPU, the decayed type of `op(init, x)`.
///   The sum of {1.5f, 2.5f, 3.5f, 4.5f} from the `int` 0 is 10. `wf::reduce` returns 12. If `op`
///   is a `__device__`-only lambda, the accumulator is the type of the init.
/// - Empty range: as in Thrust, the init, `last`, 0 or true.
/// - Stream: enqueues on the policy's stream and waits. With `par_nosync`, `transform` and
///   `reduce_into` do not wait.
/// - Order: that of the policy's `reduce`: for ranges in memory the declared one
///   (op/fold_order.hpp), the same on every device. Thrust may round sums of floats differently.
/// - Cost: one launch and one read of each range. No early exit: `all_of`, `equal`, `mismatch` and
///   their like read all elements.
/// - Misuse throws: a null, misaligned or inaccessible pointer is `wf::invalid_range`, a failed
///   launch `wf::cuda_error`. Thrust throws `thrust::system_error` or reads the memory.
/// - Device code may call the functions with policies of Thrust, which then run Thrust's own code.
#pragma once

#include <warpfold/drop_in/thrust_policies.hpp>

#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/equal.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/logical.h>
#include <thrust/mismatch.h>
#include <thrust/pair.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

#include <warpfold/copy.hpp>
#include <warpfold/count.hpp>
#include <warpfold/drop_in/places.hpp>
#include <warpfold/drop_in/their_types.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg_by.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/reduce_by_key.hpp>

namespace warpfold::detail {

template <class Policy>
concept thrust_policy = std::is_base_of_v<::thrust::detail::execution_policy_base<Policy>, Policy>;

// Policies of this library.
template <class Policy>
concept own_policy = !thrust_policy<Policy> && requires(const Policy& p) { p.name(); };

// Policies whose calls this library runs, and policies whose calls Thrust runs.
template <class Policy>
concept runs_here = thrust_cuda_policy<Policy> || own_policy<Policy>;
template <class Policy>
concept runs_in_thrust = thrust_policy<Policy> && !thrust_cuda_policy<Policy>;
template <class Policy>
concept any_policy = runs_here<Policy> || runs_in_thrust<Policy>;

// True if Thrust runs a call on the GPU because of the types of its elements.
template <class Policy, class... T>
inline constexpr bool stays_in_thrust =
    thrust_policy<Policy> && !(std::is_trivially_copyable_v<T> && ...);

// The same for the elements of those arguments of a call that are iterators.
template <class Argument>
inline constexpr bool points_to_trivial = true;
template <class Argument>
  requires requires { typename std::iterator_traits<Argument>::value_type; }
inline constexpr bool points_to_trivial<Argument> =
    std::is_trivially_copyable_v<typename std::iterator_traits<Argument>::value_type>;
template <class Policy, class... Arguments>
inline constexpr bool call_stays_in_thrust =
    thrust_policy<Policy> && !(points_to_trivial<Arguments> && ...);

// The system that Thrust selects for several iterators: the one that the others convert to. For
// iterators of any system, such as counting iterators, that is the GPU.
template <class System, class... Others>
struct least_system {
  using type = System;
};
template <class System, class Other, class... More>
struct least_system<System, Other, More...>
    : least_system<std::conditional_t<std::is_convertible_v<System, Other>, Other, System>,
                   More...> {};
template <class... It>
using least_system_of = typename least_system<::thrust::iterator_system_t<It>...>::type;
template <class... It>
using system_of =
    std::conditional_t<std::is_same_v<least_system_of<It...>, ::thrust::any_system_tag>,
                       ::thrust::device_system_tag, least_system_of<It...>>;

// An argument that is not a policy: the first iterator.
template <class It>
concept first_iterator = !thrust_policy<It> && !requires(const It& p) { p.name(); };

// The decayed type of f(args...): Thrust's accumulator on the GPU, or its products. For a
// __device__-only lambda, whose type the host does not know, it is the type of the init.
template <class F, class Init, class... Args>
struct result_in_thrust {
  using type = std::decay_t<std::invoke_result_t<F&, Args...>>;
};
template <class F, class Init, class... Args>
  requires(is_device_lambda<F>())
struct result_in_thrust<F, Init, Args...> {
  using type = Init;
};

template <class U, class A>
  requires(folds_numbers<A>)
struct own_op<cuda::std::plus<U>, A> : stateless_op<plus> {};
template <class U, class A>
  requires(folds_numbers<A>)
struct own_op<cuda::minimum<U>, A> : stateless_op<minimum> {};
template <class U, class A>
  requires(folds_numbers<A>)
struct own_op<cuda::maximum<U>, A> : stateless_op<maximum> {};

template <class Policy, view View, class Init, class Op>
Init reduce_as_thrust(const Policy& policy, const View& view, const Init& init, const Op& op) {
  using A = typename result_in_thrust<Op, Init, Init, typename View::value_type>::type;
  return reduce_in<A>(policy, view, init, op);
}

// The op that finds the least or greatest element. Numbers in their own order have faster kernels.
template <class Before, class T, bool IsGreatest>
struct extremum_in_thrust {
  using type = decltype(extremum_by<IsGreatest>(std::declval<const Before&>()));
  static type of(const Before& before) { return extremum_by<IsGreatest>(before); }
};
template <class U, class T, bool IsGreatest>
  requires(std::is_arithmetic_v<T> && (std::is_same_v<U, T> || std::is_void_v<U>))
struct extremum_in_thrust<cuda::std::less<U>, T, IsGreatest>
    : stateless_op<std::conditional_t<IsGreatest, arg_op<maximum>, arg_op<minimum>>> {};
template <class U, class T, bool IsGreatest>
  requires(std::is_arithmetic_v<T> && (std::is_same_v<U, T> || std::is_void_v<U>))
struct extremum_in_thrust<cuda::std::greater<U>, T, IsGreatest>
    : stateless_op<std::conditional_t<IsGreatest, arg_op<minimum>, arg_op<maximum>>> {};

template <bool IsGreatest, class Policy, class It, class Before>
It extremum_as_thrust(const Policy& policy, const It& first, const It& last, const Before& before) {
  using op = extremum_in_thrust<Before, element_of<It>, IsGreatest>;
  if (first == last) return last;
  const auto elements = compared_elements<typename op::type>(as_view(first, last));
  return iterator_at(first, warpfold::reduce(policy, elements, op::of(before)).index);
}

// True if the elements behind an output iterator are contiguous and writable.
template <class Output>
concept contiguous_result = unwrappable<Output> && requires(const Output& out) {
  requires std::is_same_v<std::remove_pointer_t<decltype(raw_pointer(out))>,
                          std::remove_cv_t<std::remove_pointer_t<decltype(raw_pointer(out))>>>;
};

// False for par_nosync: calls without a result on the host do not wait.
template <class Policy>
bool waits(const Policy& policy) {
#if defined(__CUDACC__)
  if constexpr (thrust_cuda_policy<Policy>) {
    Policy copy = policy;
    return ::thrust::cuda_cub::must_perform_optional_synchronization(copy);
  }
#endif
  (void)policy;
  return true;
}

template <class Policy, view View, class Output, class F>
Output transform_as_thrust(const Policy& policy, const View& in, Output out, const F& f) {
  if (waits(policy)) {
    warpfold::transform(policy, in, out, f);
  } else {
    warpfold::transform_async(policy, in, out, f);
  }
  return iterator_at(out, in.size());
}

// Thrust's assignment through an output iterator, without a warning about a narrower number.
template <class Output, class T>
WARPFOLD_HD void write_result(const Output& output, const T& value) {
  if constexpr (std::is_arithmetic_v<T> && std::is_arithmetic_v<element_of<Output>>) {
    *output = static_cast<element_of<Output>>(value);
  } else {
    *output = value;
  }
}

// The reduction by Thrust, which has reduce_into since CCCL 3.1.
WARPFOLD_ANY_SIDE
template <class Policy, class It, class Output, class... InitAndOp>
WARPFOLD_HD void reduce_into_in_thrust(const Policy& policy, It first, It last, Output output,
                                       InitAndOp... init_and_op) {
  write_result(output, ::thrust::reduce(policy, first, last, init_and_op...));
}

// Enqueues a reduction that writes to `out`, and waits unless the policy does not.
template <class Policy, view View, class Init, class Op, class Out>
void reduce_into_as_thrust(const Policy& policy, const View& view, const Init& init, const Op& op,
                           Out* out) {
  using A = typename result_in_thrust<Op, Init, Init, typename View::value_type>::type;
  // An op of this library may give a wider integer. Only an integer output of A's size or less gets
  // the same value.
  constexpr bool shows_width =
      std::is_integral_v<A> && !(std::is_integral_v<Out> && sizeof(Out) <= sizeof(A));
#if defined(__CUDACC__)
  if constexpr (thrust_cuda_policy<Policy>) {
    if (waits(policy)) {
      runtime::require_not_capturing(as_policy(policy).stream(), "reduce_into");
    }
  }
#endif
  using own = std::conditional_t<shows_width, stateless_op<void>, own_op<Op, A>>;
  if constexpr (std::is_same_v<own, stateless_op<void>>) {
    warpfold::reduce_async(policy, elements_in<Op, A>(view), static_cast<A>(init),
                           folds_in<Op, A>{op}, out);
  } else {
    warpfold::reduce_async(policy, elements_in<typename own::type, A>(view), static_cast<A>(init),
                           own::of(op), out);
  }
#if defined(__CUDACC__)
  if constexpr (thrust_cuda_policy<Policy>) {
    if (waits(policy)) {
      runtime::check(cudaStreamSynchronize(as_policy(policy).stream()), "cudaStreamSynchronize");
    }
  }
#endif
}

}  // namespace warpfold::detail

// A call with a policy, which runs here or in Thrust. In device code, thrust::device and the like
// are thrust::seq, as in Thrust itself; the compiler still has to see the kernels of the same call
// on the host.
#define WARPFOLD_HERE_OR_THERE(function, theirs)                        \
  {                                                                     \
    if constexpr (detail::call_stays_in_thrust<Policy, Arguments...>) { \
      return theirs(policy, arguments...);                              \
    } else {                                                            \
      return here::function(policy, arguments...);                      \
    }                                                                   \
  }
#if defined(__CUDA_ARCH__)
#define WARPFOLD_UNLESS_IN_KERNEL(function, theirs)     \
  if constexpr (detail::thrust_cuda_policy<Policy>) {   \
    if (false) WARPFOLD_HERE_OR_THERE(function, theirs) \
    return theirs(::thrust::seq, arguments...);         \
  } else
#else
#define WARPFOLD_UNLESS_IN_KERNEL(function, theirs)
#endif
#define WARPFOLD_TAKES_POLICY(function, theirs)                             \
  WARPFOLD_ANY_SIDE                                                         \
  template <detail::any_policy Policy, class... Arguments>                  \
  WARPFOLD_HD auto function(const Policy& policy, Arguments... arguments) { \
    if constexpr (detail::runs_in_thrust<Policy>) {                         \
      return theirs(policy, arguments...);                                  \
    } else {                                                                \
      WARPFOLD_UNLESS_IN_KERNEL(function, theirs)                           \
      WARPFOLD_HERE_OR_THERE(function, theirs)                              \
    }                                                                       \
  }

// A call without a policy, which runs in the system of its iterators.
#define WARPFOLD_FINDS_POLICY_OF_ONE(function)                                            \
  WARPFOLD_TAKES_POLICY(function, ::thrust::function)                                     \
  WARPFOLD_ANY_SIDE                                                                       \
  template <detail::first_iterator It, class... Arguments>                                \
  WARPFOLD_HD auto function(It first, It last, Arguments... arguments) {                  \
    return drop_in::thrust::function(detail::system_of<It>{}, first, last, arguments...); \
  }
#define WARPFOLD_FINDS_POLICY_OF_TWO(function, theirs)                                 \
  WARPFOLD_TAKES_POLICY(function, theirs)                                              \
  WARPFOLD_ANY_SIDE                                                                    \
  template <detail::first_iterator It, class It2, class... Arguments>                  \
  WARPFOLD_HD auto function(It first, It last, It2 other, Arguments... arguments) {    \
    return drop_in::thrust::function(detail::system_of<It, It2>{}, first, last, other, \
                                     arguments...);                                    \
  }

/// All of Thrust, with the reductions of this library in front: `warpfold/drop_in/thrust.hpp`.
namespace warpfold::drop_in::thrust {

using namespace ::thrust;

/// @cond
namespace here {
/// @endcond

/// Returns the reduction of [first, last) with `op`, starting from `init`: `thrust::reduce`.
///
/// @param policy a policy of Thrust or of this library; found from the iterators without it
/// @param first,last random-access iterators, or Thrust's fancy iterators
/// @param init its type is the result's. Default: 0 in the type of the elements
/// @param op associative. Default: `thrust::plus` of the type of `init`
/// @return the result, accumulated in the decayed type of `op(init, x)`, as Thrust does on the GPU.
///     `init` for an empty range
///
/// A NaN among the operands of `thrust::minimum` or `maximum` makes the result NaN.
/// Stream, order, cost and errors: see the top of this header.
///
/// ```cpp
/// std::vector<float> v{1.5f, 2.5f};
/// int sum = wf::drop_in::thrust::reduce(wf::seq, v.begin(), v.end(), 0);  // 3
/// ```
/// On a GPU: docs/migration.md
template <detail::runs_here Policy, class It, class T = detail::element_of<It>,
          class Op = ::thrust::plus<T>>
T reduce(const Policy& policy, It first, It last, T init = static_cast<T>(0), Op op = {}) {
  if constexpr (detail::stays_in_thrust<Policy, detail::element_of<It>, T>) {
    return ::thrust::reduce(policy, first, last, init, op);
  } else {
    return detail::reduce_as_thrust(policy, as_view(first, last), init, op);
  }
}

/// Writes the reduction of [first, last) to `*output`: `thrust::reduce_into` of CCCL 3.1.
///
/// @param policy,first,last,init,op as for `reduce`
/// @param output an iterator to one element, for example of a `device_vector`
///
/// Returns when the element is written; with `thrust::cuda::par_nosync` it does not wait, and the
/// call can be captured into a graph. Works with older versions of Thrust, too.
template <detail::runs_here Policy, class It, class Output, class T = detail::element_of<It>,
          class Op = ::thrust::plus<T>>
void reduce_into(const Policy& policy, It first, It last, Output output, T init = static_cast<T>(0),
                 Op op = {}) {
  if constexpr (detail::contiguous_result<Output> &&
                !detail::stays_in_thrust<Policy, detail::element_of<It>, T>) {
    detail::reduce_into_as_thrust(policy, as_view(first, last), init, op,
                                  detail::raw_pointer(output));
  } else {
    detail::write_result(output, here::reduce(policy, first, last, init, op));
  }
}

/// Returns the reduction of `f(x)` over [first, last) with `op`, starting from `init`:
/// `thrust::transform_reduce`.
///
/// @param policy,first,last,init,op as for `reduce`
/// @param f callable where the policy runs
/// @return the result in the type of `init`, accumulated in the decayed type of `op(init, f(x))`
template <detail::runs_here Policy, class It, class F, class T, class Op>
T transform_reduce(const Policy& policy, It first, It last, F f, T init, Op op) {
  if constexpr (detail::stays_in_thrust<Policy, detail::element_of<It>, T>) {
    return ::thrust::transform_reduce(policy, first, last, f, init, op);
  } else {
    return detail::reduce_as_thrust(policy, project(as_view(first, last), f), init, op);
  }
}

/// Returns the sum of the products of two ranges, plus `init`: `thrust::inner_product`.
///
/// @param policy,first,last,init as for `reduce`
/// @param other the first of as many elements of the second range
/// @param sum,product the ops. Default: `thrust::plus` and `thrust::multiplies` of the type of
///     `init`, which therefore is the type of the products
template <detail::runs_here Policy, class It, class It2, class T, class Sum = ::thrust::plus<T>,
          class Product = ::thrust::multiplies<T>>
T inner_product(const Policy& policy, It first, It last, It2 other, T init, Sum sum = {},
                Product product = {}) {
  using Left = detail::element_of<It>;
  using Right = detail::element_of<It2>;
  if constexpr (detail::stays_in_thrust<Policy, Left, Right, T>) {
    return ::thrust::inner_product(policy, first, last, other, init, sum, product);
  } else {
    using R = typename detail::result_in_thrust<Product, T, Left, Right>::type;
    return detail::reduce_as_thrust(
        policy,
        project(detail::pairs_of(first, last, other), detail::pairwise<Product, R>{product}), init,
        sum);
  }
}

/// Returns the number of elements in [first, last) for which `is` is true: `thrust::count_if`.
template <detail::runs_here Policy, class It, class Predicate>
detail::distance_of<It> count_if(const Policy& policy, It first, It last, Predicate is) {
  return static_cast<detail::distance_of<It>>(warpfold::count_if(policy, as_view(first, last), is));
}

/// Returns the number of elements in [first, last) that are equal to `value`: `thrust::count`.
template <detail::runs_here Policy, class It, class T>
detail::distance_of<It> count(const Policy& policy, It first, It last, const T& value) {
  return here::count_if(policy, first, last, detail::equals<T>{value});
}

/// Returns an iterator to the first of the least elements: `thrust::min_element`.
///
/// @param policy,first,last as for `reduce`
/// @param before a strict weak order. Default: `thrust::less` of the elements
/// @return the iterator; `last` for an empty range
///
/// By `thrust::less` or `greater`, the first NaN is the result if there is one. The result of
/// Thrust then depends on the order of its threads.
template <detail::runs_here Policy, class It, class Before = ::thrust::less<detail::element_of<It>>>
It min_element(const Policy& policy, It first, It last, Before before = {}) {
  return detail::extremum_as_thrust<false>(policy, first, last, before);
}

/// Returns an iterator to the first of the greatest elements; otherwise like `min_element`.
template <detail::runs_here Policy, class It, class Before = ::thrust::less<detail::element_of<It>>>
It max_element(const Policy& policy, It first, It last, Before before = {}) {
  return detail::extremum_as_thrust<true>(policy, first, last, before);
}

/// Returns a `thrust::pair` of the results of `min_element` and `max_element`, in one read of the
/// range: `thrust::minmax_element`.
template <detail::runs_here Policy, class It, class Before = ::thrust::less<detail::element_of<It>>>
::thrust::pair<It, It> minmax_element(const Policy& policy, It first, It last, Before before = {}) {
  using T = detail::element_of<It>;
  if (first == last) return {last, last};
  using least = detail::extremum_in_thrust<Before, T, false>;
  using greatest = detail::extremum_in_thrust<Before, T, true>;
  const auto both = warpfold::reduce(
      policy, detail::compared_elements<typename least::type>(as_view(first, last)),
      all(least::of(before), greatest::of(before)));
  return {detail::iterator_at(first, warpfold::get<0>(both).index),
          detail::iterator_at(first, warpfold::get<1>(both).index)};
}

/// Returns true if `is` is true for every element: `thrust::all_of`. Reads all elements.
template <detail::runs_here Policy, class It, class Predicate>
bool all_of(const Policy& policy, It first, It last, Predicate is) {
  return warpfold::all_of(policy, as_view(first, last), is);
}

/// Returns true if `is` is true for at least one element: `thrust::any_of`. Reads all elements.
template <detail::runs_here Policy, class It, class Predicate>
bool any_of(const Policy& policy, It first, It last, Predicate is) {
  return warpfold::any_of(policy, as_view(first, last), is);
}

/// Returns true if `is` is false for every element: `thrust::none_of`. Reads all elements.
template <detail::runs_here Policy, class It, class Predicate>
bool none_of(const Policy& policy, It first, It last, Predicate is) {
  return !here::any_of(policy, first, last, is);
}

/// Returns the first place at which two ranges differ, as a `thrust::pair` of iterators:
/// `thrust::mismatch`. Reads all elements of both.
///
/// @param policy,first,last,other as for `inner_product`
/// @param same predicate of two elements. Default: `thrust::equal_to` of the first range's elements
template <detail::runs_here Policy, class It, class It2,
          class Predicate = ::thrust::equal_to<detail::element_of<It>>>
::thrust::pair<It, It2> mismatch(const Policy& policy, It first, It last, It2 other,
                                 Predicate same = {}) {
  const auto size = static_cast<::std::size_t>(last - first);
  const auto place = warpfold::reduce(policy,
                                      project(detail::indexed_pairs_of(first, last, other),
                                              detail::place_if_refused<Predicate>{same}),
                                      size, minimum{});
  return {detail::iterator_at(first, place), detail::iterator_at(other, place)};
}

/// Returns true if two ranges of one length have the same elements: `thrust::equal`. Reads all
/// elements of both; otherwise like `mismatch`.
template <detail::runs_here Policy, class It, class It2,
          class Predicate = ::thrust::equal_to<detail::element_of<It>>>
bool equal(const Policy& policy, It first, It last, It2 other, Predicate same = {}) {
  return warpfold::all_of(policy, detail::pairs_of(first, last, other),
                          detail::pairwise<Predicate, bool>{same});
}

/// Returns true if no element is before its predecessor: `thrust::is_sorted`. Reads all elements.
///
/// @param policy,first,last as for `reduce`
/// @param before a strict weak order. Default: `thrust::less` of the elements
template <detail::runs_here Policy, class It, class Before = ::thrust::less<detail::element_of<It>>>
bool is_sorted(const Policy& policy, It first, It last, Before before = {}) {
  if (last - first < 2) return true;
  return !warpfold::any_of(policy, detail::pairs_of(first + 1, last, first),
                           detail::pairwise<Before, bool>{before});
}

/// Returns true if all elements for which `is` is true come before all others:
/// `thrust::is_partitioned`. Reads all elements, and calls `is` once for each.
template <detail::runs_here Policy, class It, class Predicate>
bool is_partitioned(const Policy& policy, It first, It last, Predicate is) {
  return warpfold::reduce(policy,
                          project(as_view(first, last), detail::predicate_as<bool, Predicate>{is}),
                          detail::is_partition{});
}

/// Writes `f(x)` for each element of [first, last) to the elements from `result` on, and returns
/// the end of the output: `thrust::transform` of one range.
///
/// @param policy,first,last as for `reduce`
/// @param result may be `first`. Other overlaps of the memory throw `wf::invalid_range`. With an
///     iterator that is not contiguous, the call runs Thrust's own code
/// @param f callable where the policy runs
template <detail::runs_here Policy, class It, class Output, class F>
Output transform(const Policy& policy, It first, It last, Output result, F f) {
  if constexpr (!detail::contiguous_result<Output>) {
    return ::thrust::transform(policy, first, last, result, f);
  } else {
    return detail::transform_as_thrust(policy, as_view(first, last), result, f);
  }
}

/// Writes `f(x, y)` for each pair of elements of two ranges; otherwise like the overload above.
template <detail::runs_here Policy, class It, class It2, class Output, class F>
Output transform(const Policy& policy, It first, It last, It2 other, Output result, F f) {
  if constexpr (!detail::contiguous_result<Output>) {
    return ::thrust::transform(policy, first, last, other, result, f);
  } else {
    return detail::transform_as_thrust(policy, detail::pairs_of(first, last, other), result,
                                       detail::pairwise<F, detail::element_of<Output>>{f});
  }
}

/// Writes the elements of [first, last) to the elements from `result` on, and returns the end of
/// the output: `thrust::copy`.
///
/// Computed elements that are copied on the GPU, such as those of a `transform_iterator`, run here.
/// Thrust itself copies arrays, and copies between the host and the GPU.
template <detail::runs_here Policy, class It, class Output>
Output copy(const Policy& policy, It first, It last, Output result) {
  if constexpr (detail::thrust_policy<Policy> &&
                (detail::unwrappable<It> || !detail::contiguous_result<Output>)) {
    return ::thrust::copy(policy, first, last, result);
  } else {
    return detail::transform_as_thrust(policy, as_view(first, last), result, unchanged{});
  }
}

/// @cond
}  // namespace here
/// @endcond

WARPFOLD_FINDS_POLICY_OF_ONE(reduce)
WARPFOLD_FINDS_POLICY_OF_ONE(transform_reduce)
WARPFOLD_FINDS_POLICY_OF_ONE(count_if)
WARPFOLD_FINDS_POLICY_OF_ONE(count)
WARPFOLD_FINDS_POLICY_OF_ONE(min_element)
WARPFOLD_FINDS_POLICY_OF_ONE(max_element)
WARPFOLD_FINDS_POLICY_OF_ONE(minmax_element)
WARPFOLD_FINDS_POLICY_OF_ONE(all_of)
WARPFOLD_FINDS_POLICY_OF_ONE(any_of)
WARPFOLD_FINDS_POLICY_OF_ONE(none_of)
WARPFOLD_FINDS_POLICY_OF_ONE(is_sorted)
WARPFOLD_FINDS_POLICY_OF_ONE(is_partitioned)
WARPFOLD_FINDS_POLICY_OF_TWO(inner_product, ::thrust::inner_product)
WARPFOLD_FINDS_POLICY_OF_TWO(mismatch, ::thrust::mismatch)
WARPFOLD_FINDS_POLICY_OF_TWO(equal, ::thrust::equal)
WARPFOLD_FINDS_POLICY_OF_TWO(reduce_into, detail::reduce_into_in_thrust)
WARPFOLD_TAKES_POLICY(transform, ::thrust::transform)
WARPFOLD_TAKES_POLICY(copy, ::thrust::copy)

WARPFOLD_ANY_SIDE
template <detail::first_iterator It, class Output, class F>
WARPFOLD_HD auto transform(It first, It last, Output result, F f) {
  return drop_in::thrust::transform(detail::system_of<It, Output>{}, first, last, result, f);
}
WARPFOLD_ANY_SIDE
template <detail::first_iterator It, class It2, class Output, class F>
WARPFOLD_HD auto transform(It first, It last, It2 other, Output result, F f) {
  return drop_in::thrust::transform(detail::system_of<It, It2, Output>{}, first, last, other,
                                    result, f);
}
WARPFOLD_ANY_SIDE
template <detail::first_iterator It, class Output>
WARPFOLD_HD Output copy(It first, It last, Output result) {
  using system = ::thrust::iterator_system_t<It>;
  constexpr bool stays_on_gpu = detail::thrust_cuda_policy<system> &&
                                ::std::is_same_v<system, ::thrust::iterator_system_t<Output>>;
  if constexpr (stays_on_gpu) {
    return drop_in::thrust::copy(system{}, first, last, result);
  } else {
#if defined(__CUDA_ARCH__)
    return ::thrust::copy(::thrust::seq, first, last, result);  // without a policy: the host only
#else
    return ::thrust::copy(first, last, result);
#endif
  }
}

/// Folds the values of each run of equal adjacent keys: `thrust::reduce_by_key`.
///
/// @param policy one that warpfold::reduce_by_key takes. With a policy of Thrust, or without one,
///     the call runs Thrust's own code
/// @param keys_first,keys_last,values_first the keys, and the first of as many values
/// @param keys_out,values_out contiguous iterators to memory for one element of each run
/// @param same predicate of two adjacent keys. Default: `thrust::equal_to` of the keys
/// @param op folds two values. Default: `thrust::plus` of the values
/// @return the ends of both outputs, as a `thrust::pair`
///
/// Accumulated in the decayed type of `op(value, value)`. See reduce_by_key.hpp.
template <detail::own_policy Policy, class Keys, class V, class KeysOut, class ValuesOut,
          class Predicate = ::thrust::equal_to<detail::element_of<Keys>>,
          class Op = ::thrust::plus<detail::element_of<V>>>
::thrust::pair<KeysOut, ValuesOut> reduce_by_key(const Policy& policy, Keys keys_first,
                                                 Keys keys_last, V values_first, KeysOut keys_out,
                                                 ValuesOut values_out, Predicate same = {},
                                                 Op op = {}) {
  const auto keys = as_view(keys_first, keys_last);
  const auto values = as_view(
      values_first, detail::iterator_at(values_first, static_cast<::std::size_t>(keys.size())));
  const ::std::size_t runs =
      warpfold::reduce_by_key(policy, keys, values, op, same, keys_out, values_out);
  return {detail::iterator_at(keys_out, runs), detail::iterator_at(values_out, runs)};
}
WARPFOLD_ANY_SIDE
template <detail::thrust_policy Policy, class... Arguments>
WARPFOLD_HD auto reduce_by_key(const Policy& policy, Arguments... arguments) {
  return ::thrust::reduce_by_key(policy, arguments...);
}
WARPFOLD_ANY_SIDE
template <detail::first_iterator Keys, class... Arguments>
WARPFOLD_HD auto reduce_by_key(Keys keys_first, Keys keys_last, Arguments... arguments) {
  return ::thrust::reduce_by_key(keys_first, keys_last, arguments...);
}

}  // namespace warpfold::drop_in::thrust

#undef WARPFOLD_HERE_OR_THERE
#undef WARPFOLD_UNLESS_IN_KERNEL
#undef WARPFOLD_TAKES_POLICY
#undef WARPFOLD_FINDS_POLICY_OF_ONE
#undef WARPFOLD_FINDS_POLICY_OF_TWO
