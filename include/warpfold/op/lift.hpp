/// @file
/// Ops that fold something else than the elements: what each becomes before the fold, and what the fold becomes after it.
#pragma once

#include <concepts>
#include <cstddef>

#include <warpfold/view/counting.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

namespace warpfold {

/// An op that makes what it folds of each element: `lift(x)`.
template <class Op, class T>
concept lifts_element = requires(const Op& op, const T& x) { op.lift(x); };

/// An op that makes what it folds of each element and its place in the range: `lift(x, i)`.
template <class Op, class T>
concept lifts_indexed = requires(const Op& op, const T& x, std::size_t i) { op.lift(x, i); };

/// An op that makes the result of what it has folded: `finish(a)`. `reduce` gives that.
template <class Op, class A>
concept finishes = requires(const Op& op, const A& a) { op.finish(a); };

/// The result of what `op` has folded: of most ops that itself.
template <class Op, class A>
WARPFOLD_HD constexpr auto finished(const Op& op, const A& a) {
  if constexpr (finishes<Op, A>) {
    return op.finish(a);
  } else {
    return a;
  }
}

namespace detail {

template <class Op>
struct lift_each {
  Op op;

  WARPFOLD_ANY_SIDE
  template <class T>
  WARPFOLD_HD constexpr auto operator()(const T& x) const {
    return op.lift(x);
  }
};

template <class Op>
struct lift_with_index {
  Op op;

  WARPFOLD_ANY_SIDE
  template <class T>
  WARPFOLD_HD constexpr auto operator()(const tuple<T, std::size_t>& element) const {
    return op.lift(get<0>(element), get<1>(element));
  }
};

}  // namespace detail

/// The view that `op` folds: of most ops `view` itself. Nothing is stored, and loads stay as wide as they are.
template <view View, class Op>
auto lifted(const View& view, const Op& op) {
  using T = typename View::value_type;
  if constexpr (lifts_indexed<Op, T>) {
    return project(zip_view(view, counting(std::size_t{0}, view.size())),
                   detail::lift_with_index<Op>{op});
  } else if constexpr (lifts_element<Op, T>) {
    return project(view, detail::lift_each<Op>{op});
  } else {
    return view;
  }
}

}  // namespace warpfold
