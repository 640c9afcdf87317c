/// @file
/// Reductions with the types of another library: functions that convert their operands as that
/// library does, and the fold with them.
#pragma once

#include <span>  // for the iterator traits; see view/as_view.hpp
#include <type_traits>

#include <warpfold/core/callable.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/op/traits.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/view/as_view.hpp>
#include <warpfold/view/counting.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

namespace warpfold::detail {

template <class It>
using element_of = typename std::iterator_traits<It>::value_type;
template <class It>
using distance_of = typename std::iterator_traits<It>::difference_type;

/// Calls `Op` with both operands converted to `A`, and converts its result to `A`. A fold of any
/// elements then has the accumulator `A`.
template <class Op, class A>
struct folds_in {
  template <class>
  using accumulator = A;

  Op op;

  template <class T>
    requires(op_traits<Op, A>::has_identity)
  WARPFOLD_HD constexpr T identity() const {
    return static_cast<T>(op_traits<Op, A>::identity(op));
  }

  WARPFOLD_ANY_SIDE
  template <class Left, class Right>
  WARPFOLD_HD constexpr A operator()(const Left& x, const Right& y) const {
    return static_cast<A>(call(op, static_cast<A>(x), static_cast<A>(y)));
  }

#if defined(__CUDACC__)
  template <class Left, class Right>
  WARPFOLD_DEVICE void name_user_functions(const Left& x, const Right& y) const {
    name_call_as<A>(op, static_cast<A>(x), static_cast<A>(y));
    name_identity<A>(op);
  }
#endif
};

/// Converts each element to `A`.
template <class A>
struct converts_to {
  static constexpr bool is_cheap = true;  // view/transform.hpp

  WARPFOLD_ANY_SIDE
  template <class Left>
  WARPFOLD_HD constexpr A operator()(const Left& x) const {
    return static_cast<A>(x);
  }
#if defined(__CUDACC__)
  template <class Left>
  WARPFOLD_DEVICE void name_user_functions(const Left& x) const {
    (void)static_cast<A>(x);
  }
#endif
};

/// Calls a function of two arguments with the members of a pair, and converts its result to `R`.
template <class F, class R>
struct pairwise {
  F f;

  WARPFOLD_ANY_SIDE
  template <class Pair>
  WARPFOLD_HD constexpr R operator()(const Pair& p) const {
    return static_cast<R>(call(f, get<0>(p), get<1>(p)));
  }
#if defined(__CUDACC__)
  template <class Pair>
  WARPFOLD_DEVICE void name_user_functions(const Pair& p) const {
    name_call_as<R>(f, get<0>(p), get<1>(p));
  }
#endif
};

// Numbers whose sums and extrema need no op of another library.
template <class A>
inline constexpr bool folds_numbers = std::is_arithmetic_v<A> && !std::is_same_v<A, bool>;

/// The op that folds as `Op` does in `A`: `Op` itself, unless a specialization names an op of this
/// library, whose kernels are faster.
template <class Op, class A>
struct own_op {
  using type = folds_in<Op, A>;
  static type of(const Op& op) { return {op}; }
};
template <class Own>
struct stateless_op {
  using type = Own;
  template <class Op>
  static type of(const Op&) {
    return {};
  }
};

/// The elements of `view`, converted to `A` unless `Op` gives the same result without it. Sums of
/// integers need no conversion: they wrap to the same bits in any wider type.
template <class Op, class A, view View>
auto elements_in(const View& view) {
  using T = typename View::value_type;
  constexpr bool wraps_alike =
      std::is_same_v<Op, plus> && std::is_integral_v<T> && std::is_integral_v<A> && sizeof(A) <= 8;
  if constexpr (std::is_same_v<T, A> || wraps_alike) {
    return view;
  } else {
    return transform_view<View, converts_to<A>>(view, {});
  }
}

/// Returns the reduction of `view` with `op` in the accumulator `A`, in the type of `init`; `init`
/// for an empty range.
template <class A, class Policy, view View, class Init, class Op>
Init reduce_in(const Policy& policy, const View& view, const Init& init, const Op& op) {
  using own = own_op<Op, A>;
  if (view.size() == 0) return init;
  return static_cast<Init>(static_cast<A>(
      reduce(policy, elements_in<typename own::type, A>(view), static_cast<A>(init), own::of(op))));
}

/// Returns a view of the pairs of [first, last) and as many elements from `other` on.
template <class It, class It2>
auto pairs_of(const It& first, const It& last, const It2& other) {
  const auto view = as_view(first, last);
  return zip(view, as_view(other, other + static_cast<distance_of<It2>>(last - first)));
}

/// The same, with the index of each pair.
template <class It, class It2>
auto indexed_pairs_of(const It& first, const It& last, const It2& other) {
  const auto view = as_view(first, last);
  return zip(view, as_view(other, other + static_cast<distance_of<It2>>(last - first)),
             counting(std::size_t{0}, view.size()));
}

template <class It>
It iterator_at(const It& first, std::size_t index) {
  return first + static_cast<distance_of<It>>(index);
}

}  // namespace warpfold::detail

template <class Op, class A>
inline constexpr bool warpfold::never_compares<warpfold::detail::folds_in<Op, A>> =
    warpfold::never_compares<Op>;
