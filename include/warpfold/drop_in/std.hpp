/// @file
/// The reductions of the standard library with execution policies, with its names and results:
/// `wf::drop_in::std`. `std::execution::par` and `par_unseq` run as `wf::par`.
///
/// Includes oneTBB, where it is found, by design: GNU's `<execution>` and `wf::par` use it.
///
/// Change `std::` to `wf::drop_in::std::`, or name the namespace in your own one:
///
///     namespace app {
///     namespace std = warpfold::drop_in::std;
///     double sum(const std::vector<double>& v) {
///       return std::reduce(std::execution::par, v.begin(), v.end());
///     }
///     }
///
/// The namespace contains all of std; the functions below hide those of std: `reduce`,
/// `transform_reduce`, `count`, `count_if`, `min_element`, `max_element`, `minmax_element`. Calls
/// of these run std's own code
///
/// - without a policy, with `seq` or `unseq`, and where oneTBB is not found;
/// - for iterators that are not random-access, and elements or inits that are not trivially
///   copyable.
///
/// Where they run here:
///
/// - Types: the accumulator is the type of the init, as in GNU's library. The sum of {1.5f, 2.5f,
///   3.5f, 4.5f} from the `int` 0 is 10. `wf::reduce` returns 12.
/// - Empty range: the init, `last` or 0.
/// - Order: the declared one (op/fold_order.hpp) of the size, whatever the number of threads.
/// - Exceptions of the caller's functions reach the caller; std calls `std::terminate`.
/// - Without a comparison, a NaN is the extremum if the range has one. std leaves the result
///   undefined.
/// - `wf::par` and the other policies of this library work as policies too.
///
/// Predicates and comparisons of ranges (`all_of`, `equal`, `mismatch`, ...) are std's own, because
/// they return at the first element that decides the result.
#pragma once

#include <warpfold/drop_in/std_policies.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

#include <warpfold/count.hpp>
#include <warpfold/drop_in/places.hpp>
#include <warpfold/drop_in/their_types.hpp>
#include <warpfold/op/all.hpp>
#include <warpfold/op/arg_by.hpp>

namespace warpfold::detail {

template <class Policy>
inline constexpr bool is_threads_policy =
    std::is_same_v<Policy, std::execution::parallel_policy> ||
    std::is_same_v<Policy, std::execution::parallel_unsequenced_policy>;

// Random-access iterators of trivially copyable elements.
template <class It>
concept fast_iterator = reducible_iterator<It> && requires {
  requires std::is_trivially_copyable_v<typename std::iterator_traits<It>::value_type>;
};

// True if this library runs calls with this policy: a policy of this library, or one of std that it
// runs in parallel.
template <class Policy>
concept replaces_std =
    (is_threads_policy<Policy> &&
     !std::is_same_v<std::remove_const_t<decltype(host_threads())>, seq_policy>) ||
    (!std::is_execution_policy_v<Policy> && requires(const Policy& p) { p.name(); });

// True if a call runs std's own code nevertheless, because of its iterators or the type of its
// init.
template <class Policy, class... It>
inline constexpr bool stays_in_std = is_threads_policy<Policy> && !(fast_iterator<It> && ...);
template <class Policy, class T>
inline constexpr bool init_stays_in_std =
    is_threads_policy<Policy> && !std::is_trivially_copyable_v<T>;

// Not for a plus of another type, which converts its operands.
template <class U, class A>
  requires(folds_numbers<A> && (std::is_void_v<U> || std::is_same_v<U, A>))
struct own_op<std::plus<U>, A> : stateless_op<plus> {};

struct less_than {
  WARPFOLD_ANY_SIDE
  template <class T>
  WARPFOLD_HD constexpr bool operator()(const T& a, const T& b) const {
    return a < b;
  }
};

// The ops that find the least, the first greatest and the last greatest element. Numbers in their
// own order have a faster fold, and a place for NaN.
template <class Before, class T>
struct extrema_in_std {
  static auto least(const Before& before) { return extremum_by<false>(before); }
  static auto greatest(const Before& before) { return extremum_by<true>(before); }
};
template <class T>
  requires folds_numbers<T>
struct extrema_in_std<less_than, T> {
  static auto least(less_than) { return arg(minimum{}); }
  static auto greatest(less_than) { return arg(maximum{}); }
};

template <bool IsGreatest, class Policy, class It, class Before>
It extremum_as_std(const Policy& policy, const It& first, const It& last, const Before& before) {
  if (first == last) return last;
  const auto op = [&] {
    using ops = extrema_in_std<Before, element_of<It>>;
    if constexpr (IsGreatest) {
      return ops::greatest(before);
    } else {
      return ops::least(before);
    }
  }();
  const auto elements = compared_elements<std::remove_const_t<decltype(op)>>(as_view(first, last));
  return iterator_at(first, reduce(policy, elements, op).index);
}

}  // namespace warpfold::detail

// All other calls are std's own.
#define WARPFOLD_ELSE_STD(function)                                                             \
  template <class First, class... Rest>                                                         \
    requires(!detail::replaces_std<::std::remove_cvref_t<First>>)                               \
  constexpr auto function(First&& first, Rest&&... rest)                                        \
      -> decltype(::std::function(static_cast<First&&>(first), static_cast<Rest&&>(rest)...)) { \
    return ::std::function(static_cast<First&&>(first), static_cast<Rest&&>(rest)...);          \
  }

/// All of std, with the reductions of this library in front: `warpfold/drop_in/std.hpp`.
namespace warpfold::drop_in::std {

using namespace ::std;

/// Returns the reduction of [first, last) with `op`, starting from `init`: `std::reduce`.
///
/// @param policy `std::execution::par`, `par_unseq`, or a policy of this library
/// @param first,last random-access iterators of trivially copyable elements; others run std's code
/// @param init its type is the accumulator's and the result's. Default: `T{}` of the elements
/// @param op associative. Default: `std::plus<>`
/// @return the result; `init` for an empty range
///
/// Order, exceptions and NaN: see the top of this header.
template <detail::replaces_std Policy, class It, class T = detail::element_of<It>,
          class Op = ::std::plus<>>
T reduce(const Policy& policy, It first, It last, T init = {}, Op op = {}) {
  if constexpr (detail::stays_in_std<Policy, It> || detail::init_stays_in_std<Policy, T>) {
    return ::std::reduce(policy, first, last, init, op);
  } else {
    return detail::reduce_in<T>(policy, as_view(first, last), init, op);
  }
}
WARPFOLD_ELSE_STD(reduce)

/// Returns the reduction of `f(x)` over [first, last) with `op`, starting from `init`:
/// `std::transform_reduce` of one range. Types and results as for `reduce`.
template <detail::replaces_std Policy, class It, class T, class Op, class F>
T transform_reduce(const Policy& policy, It first, It last, T init, Op op, F f) {
  if constexpr (detail::stays_in_std<Policy, It> || detail::init_stays_in_std<Policy, T>) {
    return ::std::transform_reduce(policy, first, last, init, op, f);
  } else {
    return detail::reduce_in<T>(policy, project(as_view(first, last), f), init, op);
  }
}

/// Returns the reduction of `product(x, y)` for the pairs of two ranges: `std::transform_reduce` of
/// two ranges. Without the ops it is the sum of the products.
template <detail::replaces_std Policy, class It, class It2, class T, class Sum, class Product>
T transform_reduce(const Policy& policy, It first, It last, It2 other, T init, Sum sum,
                   Product product) {
  if constexpr (detail::stays_in_std<Policy, It, It2> || detail::init_stays_in_std<Policy, T>) {
    return ::std::transform_reduce(policy, first, last, other, init, sum, product);
  } else {
    using R = ::std::decay_t<
        ::std::invoke_result_t<Product&, detail::element_of<It>, detail::element_of<It2>>>;
    return detail::reduce_in<T>(
        policy,
        project(detail::pairs_of(first, last, other), detail::pairwise<Product, R>{product}), init,
        sum);
  }
}
template <detail::replaces_std Policy, class It, class It2, class T>
T transform_reduce(const Policy& policy, It first, It last, It2 other, T init) {
  return drop_in::std::transform_reduce(policy, first, last, other, init, ::std::plus<>(),
                                        ::std::multiplies<>());
}
WARPFOLD_ELSE_STD(transform_reduce)

/// Returns the number of elements in [first, last) for which `is` is true: `std::count_if`.
template <detail::replaces_std Policy, class It, class Predicate>
detail::distance_of<It> count_if(const Policy& policy, It first, It last, Predicate is) {
  if constexpr (detail::stays_in_std<Policy, It>) {
    return ::std::count_if(policy, first, last, is);
  } else {
    return static_cast<detail::distance_of<It>>(
        warpfold::count_if(policy, as_view(first, last), is));
  }
}
WARPFOLD_ELSE_STD(count_if)

/// Returns the number of elements in [first, last) that are equal to `value`: `std::count`.
template <detail::replaces_std Policy, class It, class T>
detail::distance_of<It> count(const Policy& policy, It first, It last, const T& value) {
  if constexpr (detail::stays_in_std<Policy, It>) {
    return ::std::count(policy, first, last, value);
  } else {
    return drop_in::std::count_if(policy, first, last, detail::equals<T>{value});
  }
}
WARPFOLD_ELSE_STD(count)

/// Returns an iterator to the first of the least elements: `std::min_element`.
///
/// @param policy,first,last as for `reduce`
/// @param before a strict weak order. Default: `<`
/// @return the iterator; `last` for an empty range
template <detail::replaces_std Policy, class It, class Before = detail::less_than>
It min_element(const Policy& policy, It first, It last, Before before = {}) {
  if constexpr (detail::stays_in_std<Policy, It>) {
    return ::std::min_element(policy, first, last, before);
  } else {
    return detail::extremum_as_std<false>(policy, first, last, before);
  }
}
WARPFOLD_ELSE_STD(min_element)

/// Returns an iterator to the first of the greatest elements: `std::max_element`.
template <detail::replaces_std Policy, class It, class Before = detail::less_than>
It max_element(const Policy& policy, It first, It last, Before before = {}) {
  if constexpr (detail::stays_in_std<Policy, It>) {
    return ::std::max_element(policy, first, last, before);
  } else {
    return detail::extremum_as_std<true>(policy, first, last, before);
  }
}
WARPFOLD_ELSE_STD(max_element)

/// Returns a pair of iterators to the first of the least and the last of the greatest elements, in
/// one read of the range: `std::minmax_element`.
template <detail::replaces_std Policy, class It, class Before = detail::less_than>
::std::pair<It, It> minmax_element(const Policy& policy, It first, It last, Before before = {}) {
  if constexpr (detail::stays_in_std<Policy, It>) {
    return ::std::minmax_element(policy, first, last, before);
  } else {
    if (first == last) return {last, last};
    using ops = detail::extrema_in_std<Before, detail::element_of<It>>;
    const auto least = ops::least(before);
    const auto elements =
        detail::compared_elements<::std::remove_const_t<decltype(least)>>(as_view(first, last));
    const auto both = warpfold::reduce(policy, elements, all(least, ops::greatest(before).last()));
    return {detail::iterator_at(first, warpfold::get<0>(both).index),
            detail::iterator_at(first, warpfold::get<1>(both).index)};
  }
}
WARPFOLD_ELSE_STD(minmax_element)

}  // namespace warpfold::drop_in::std

#undef WARPFOLD_ELSE_STD
