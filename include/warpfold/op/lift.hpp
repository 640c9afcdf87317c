/// @file
/// Ops that fold something else than the elements: what each becomes before the fold, and what the fold becomes after it.
#pragma once

#include <cstddef>

#include <warpfold/op/in_register.hpp>
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

/// An op that makes the result of what it has folded: `finish(a)`. `reduce` gives that; `reduce_async` writes what was
/// folded, and takes nothing else. `reduce_axis` writes what it makes: where a GPU runs it `finish` is
/// `__host__ __device__`.
template <class Op, class A>
concept finishes = requires(const Op& op, const A& a) { op.finish(a); };

/// The result of what `op` has folded: of most ops that itself.
WARPFOLD_ANY_SIDE
template <class Op, class A>
WARPFOLD_HD constexpr auto finished(const Op& op, const A& a) {
  if constexpr (finishes<Op, A>) {
    return op.finish(a);
  } else {
    return a;
  }
}

/// Whether an op is not one derived from another that says by `exactly` how it alone folds.
template <class Op>
concept folds_run_itself = !requires { typename Op::exactly; } ||
                           requires { requires std::is_same_v<typename Op::exactly, Op>; };

/// `seen` combined with the elements of a `run`, all of which lie behind those that were seen.
///
/// An op that lifts may say how, for it is often cheaper than element by element: `op.fold_run(seen, run)`. Of a run of
/// numbers the variance takes two sums and one merge with what was seen, and the place of the least is looked for only if
/// that is less than what was seen. A run has at least one element, and is some thousands on the host
/// (host/run_fold.hpp), what a thread loads at once on a GPU (collective/loaded_run.hpp):
///
/// - `run.size()`, and `Run::most`, its limit; `run.first()`, the first element;
/// - `run.fold(op)`, the fold of its elements by another op, or, what is the default, by the same op of what that lifts;
/// - `run.projected(f)`, the run of `f(x)` of its elements, also for an `f` with a capture;
/// - `run.place_of(is)`, the place in the range of the first element with `is(x)`; there must be one.
///
/// A host's runs are long where the op says that it looks at them once, `reads_run_once<Run> = true`. They may fold several
/// ops in one pass: those for which `Run::folds_together<Op>` holds, by `run.fold_together(tuple of ops)`.
///
/// An op whose result lies in one of several runs of a T may say `finds_best_run<T> = true` beside it: a host then looks for
/// it in that one alone. It has `best_of_run(run)`, `is_better(found, before)` of two of those, and
/// `place_of_best(best, run)`, the result; these runs are of any length.
WARPFOLD_ANY_SIDE
template <class Op, class A, class Run>
WARPFOLD_HD constexpr A fold_run(const Op& op, const A& seen, const Run& run) {
  if constexpr (folds_run_itself<Op> && requires { op.fold_run(seen, run); }) {
    return op.fold_run(seen, run);
  } else {
    return static_cast<A>(op(seen, run.fold(op)));
  }
}

namespace detail {

// What `op` makes of an element: of most ops that itself.
WARPFOLD_ANY_SIDE
template <class Op, class T>
WARPFOLD_HD constexpr auto lift_by(const Op& op, const T& x, std::size_t i) {
  if constexpr (lifts_indexed<Op, T>) {
    return op.lift(x, i);
  } else if constexpr (lifts_element<Op, T>) {
    return op.lift(x);
  } else {
    return x;
  }
}

#if defined(__CUDACC__)
// Calls where nvcc looks at it what the user wrote and `op` lifts with; see name_call.
template <class Op, class T>
WARPFOLD_DEVICE void name_lift(const Op& op, const T& x) {
  if constexpr (requires { op.name_lift(x); }) {
    op.name_lift(x);
  } else {
    (void)lift_by(op, x, 0);
  }
}
#endif

template <class Op>
struct lift_each {
  Op op;
  in_register keep{};

  WARPFOLD_ANY_SIDE
  template <class T>
  WARPFOLD_HD constexpr auto operator()(const T& x) const {
    return keep(op.lift(x));
  }
#if defined(__CUDACC__)
  template <class T>
  WARPFOLD_DEVICE void name_user_functions(const T& x) const {
    name_lift(op, x);
  }
#endif
};

template <class Op>
struct lift_with_index {
  Op op;
  in_register keep{};

  WARPFOLD_ANY_SIDE
  template <class T>
  WARPFOLD_HD constexpr auto operator()(const tuple<T, std::size_t>& element) const {
    return keep(op.lift(get<0>(element), get<1>(element)));
  }
#if defined(__CUDACC__)
  template <class T>
  WARPFOLD_DEVICE void name_user_functions(const tuple<T, std::size_t>& element) const {
    name_lift(op, get<0>(element));
  }
#endif
};

// The elements that a view is made of, before `Op` lifts them.
template <class View, class Op>
struct unlifted {
  static constexpr bool is = false;
};
template <class View, class Op>
struct unlifted<transform_view<View, lift_each<Op>>, Op> {
  using lifted_view = transform_view<View, lift_each<Op>>;
  static constexpr bool is = true;
  using value_type = typename View::value_type;

  static const View& of(const lifted_view& v) { return v.base(); }
  static WARPFOLD_HD const in_register& keep(const lifted_view& v) { return v.function().keep; }
  static WARPFOLD_HD value_type get(const lifted_view& v, const typename lifted_view::chunk_type& c,
                                    int k) {
    return v.base().get(c, k);
  }
};
template <class View, class Op>
struct unlifted<transform_view<zip_view<View, counting_view<std::size_t>>, lift_with_index<Op>>,
                Op> {
  using lifted_view =
      transform_view<zip_view<View, counting_view<std::size_t>>, lift_with_index<Op>>;
  static constexpr bool is = true;
  using value_type = typename View::value_type;

  static const View& of(const lifted_view& v) { return warpfold::get<0>(v.base().views()); }
  static WARPFOLD_HD const in_register& keep(const lifted_view& v) { return v.function().keep; }
  static WARPFOLD_HD value_type get(const lifted_view& v, const typename lifted_view::chunk_type& c,
                                    int k) {
    return warpfold::get<0>(v.base().views())
        .get(warpfold::get<0>(c).chunks[k / View::chunk_size], k % View::chunk_size);
  }
};

}  // namespace detail

/// The view that `op` folds: of most ops `view` itself. Nothing is stored, and loads stay as wide as they are.
template <view View, class Op>
auto lifted(const View& elements, const Op& op) {
  const auto view = [&] {
    if constexpr (never_compares<Op>) {
      return elements;
    } else {
      return detail::guarded(elements);
    }
  }();
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
