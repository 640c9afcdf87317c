/// @file
/// Ops that fold something else than the elements: what each becomes before the fold, and what the fold becomes after it.
#pragma once

#include <cstddef>

#include <warpfold/view/counting.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

namespace warpfold {

/// An op that makes what it folds of each element: `lift(x)`.
template <class Op, class T>
concept lifts_element = requires(const Op& op, const T& x) { op.lift(x); };

/// Such an op may say how a host folds a run of elements at once: `fold_run(seen, view, first, last, fold)` gives what it has
/// `seen` combined with the elements `first` to `last - 1` of `view`, which lie behind them; `fold(op, view, first, last)` is
/// the fold of a run by another op, in vectors where it can be. See collective/run_fold.hpp.
///
/// An op that makes what it folds of each element and its place in the range: `lift(x, i)`.
template <class Op, class T>
concept lifts_indexed = requires(const Op& op, const T& x, std::size_t i) { op.lift(x, i); };

/// An op that makes the result of what it has folded: `finish(a)`. `reduce` gives that; `reduce_async` writes what was
/// folded, and takes nothing else.
template <class Op, class A>
concept finishes = requires(const Op& op, const A& a) { op.finish(a); };

/// The result of what `op` has folded: of most ops that itself. On the host.
WARPFOLD_ANY_SIDE
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
#if defined(__CUDACC__)
  template <class T>
  WARPFOLD_DEVICE void name_user_functions(const T& x) const {
    if constexpr (requires { op.name_lift(x); }) {
      op.name_lift(x);
    } else {
      (void)op.lift(x);
    }
  }
#endif
};

template <class Op>
struct lift_with_index {
  Op op;

  WARPFOLD_ANY_SIDE
  template <class T>
  WARPFOLD_HD constexpr auto operator()(const tuple<T, std::size_t>& element) const {
    return op.lift(get<0>(element), get<1>(element));
  }
#if defined(__CUDACC__)
  template <class T>
  WARPFOLD_DEVICE void name_user_functions(const tuple<T, std::size_t>& element) const {
    const T& x = get<0>(element);
    if constexpr (requires { op.name_lift(x); }) {
      op.name_lift(x);
    } else {
      (void)op.lift(x, get<1>(element));
    }
  }
#endif
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
