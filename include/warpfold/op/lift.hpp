/// @file
/// Ops with `lift` and `finish`: a conversion of each element before the fold, and of the
/// accumulator after it.
#pragma once

#include <concepts>
#include <cstddef>

#include <warpfold/op/in_register.hpp>
#include <warpfold/view/counting.hpp>
#include <warpfold/view/transform.hpp>
#include <warpfold/view/zip.hpp>

namespace warpfold {

/// An op that converts each element before the fold: `lift(x)`.
template <class Op, class T>
concept lifts_element = requires(const Op& op, const T& x) { op.lift(x); };

/// An op that converts each element and its index in the range before the fold: `lift(x, i)`.
template <class Op, class T>
concept lifts_indexed = requires(const Op& op, const T& x, std::size_t i) { op.lift(x, i); };

/// An op with `finish(a)`, which maps the final accumulator to the result. `reduce` returns the
/// result of `finish`. Calls with an output write it, in the kernel on a GPU, so `finish` is
/// `__host__ __device__`. They write the accumulator instead if the output's elements have its
/// type, and this type is a class and not the type of the result. With `accumulate(out)`, any
/// output of the accumulator's type holds the accumulator.
template <class Op, class A>
concept finishes = requires(const Op& op, const A& a) { op.finish(a); };

/// Returns `op.finish(a)`, or `a` if the op has no `finish`.
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

/// True unless the op derives from an op with its own folding members. `exactly` names the class
/// that these members are for.
template <class Op>
concept folds_batch_itself = !requires { typename Op::exactly; } ||
                             requires { requires std::is_same_v<typename Op::exactly, Op>; };

}  // namespace detail

/// An op with a faster way to fold 2^k neighbors as a node of the declared order:
/// `op.template fold_neighbors<Count>(element, lifted)`, for a `Count` of 2 or more. Here
/// `element(k)` returns element k, and `lifted(k)` what the op lifts it to. The result has the bits
/// of the tree of `op(a, b)` over the lifted elements.
template <class Op, class Element, class Lifted>
concept folds_neighbors = detail::folds_batch_itself<Op> &&
                          requires(const Op& op, const Element& element, const Lifted& lifted) {
                            op.template fold_neighbors<2>(element, lifted);
                          };

namespace detail {

/// An op of `fold_neighbors` may define `op.template fold_first_neighbors<Count>(element, there)`:
/// the same for the first `there` elements, or all if `there` is more than `Count`. The others are
/// any valid ones.
template <class Op, class Element>
concept folds_first_neighbors =
    folds_batch_itself<Op> && requires(const Op& op, const Element& element) {
      op.template fold_first_neighbors<2>(element, 1u);
    };

}  // namespace detail

/// Returns `seen` combined with the elements of a batch, all of which come after those in
/// `seen`.
///
/// An op may define `op.fold_batch(seen, batch)`, which is often cheaper than folding element by
/// element. The index of the least element is searched only if the batch has a lesser value than
/// `seen`. Folds in the declared order (op/fold_order.hpp) do not call it: they have single
/// elements as leaves. So only an op with `same_in_any_order`, or a named kernel, makes use of it.
///
/// A batch has at least one element. On the host it has some thousands (host/batch_fold.hpp),
/// on a GPU those that a thread loads at once (collective/loaded_batch.hpp). Its members:
///
/// - `batch.size()`, and `Batch::most`, its limit; `batch.first()`, the first element;
/// - `batch.fold(op)`: the fold of its elements with `op`, which may be another op or this one;
/// - `batch.projected(f)`: the batch of `f(x)` for its elements; `f` may have captures;
/// - `batch.each(f)`: calls `f(x)` for its elements, in their order;
/// - `batch.index_of(is)`: the index in the range of the first element with `is(x)`; there must be
///   one.
///
/// If the op declares `reads_batch_once<Batch> = true`, the host uses long batches. They may fold
/// several ops in one pass: `batch.fold_together(tuple of ops)`, for ops with
/// `Batch::folds_together<Op>`.
///
/// An op whose result is in one of several batches of elements of type T may declare
/// `finds_best_batch<T> = true`. The host then searches for the result in that batch only. The op
/// defines `best_of_batch(batch)`, `is_better(found, before)` for two such values, and
/// `index_of_best(best, batch)`, the result. These batches have any length.
///
/// An op for which a batch may have an element twice, with the same index, may declare
/// `may_repeat_elements = true`. A GPU then compares no positions: it fills a batch with copies of
/// its last chunk, and counts them in `batch.size()`.
WARPFOLD_ANY_SIDE
template <class Op, class A, class Batch>
WARPFOLD_HD constexpr A fold_batch(const Op& op, const A& seen, const Batch& batch) {
  if constexpr (detail::folds_batch_itself<Op> && requires { op.fold_batch(seen, batch); }) {
    return op.fold_batch(seen, batch);
  } else {
    return static_cast<A>(detail::call(op, seen, batch.fold(op)));
  }
}

namespace detail {

/// An op with `fold_element(seen, x)`, which folds one element into an accumulator in place. It
/// gives the result of `seen = op(seen, op.lift(x))`, and saves the state of one element. Host
/// threads call it.
template <class Op, class A, class T>
concept folds_element = folds_batch_itself<Op> &&
                        requires(const Op& op, A& seen, const T& x) { op.fold_element(seen, x); };

// Folds element `x` into `seen`. `lift()` returns what the op folds for it.
WARPFOLD_ANY_SIDE
template <class Fold, class A, class T, class Lift>
WARPFOLD_HD constexpr void fold_element(const Fold& f, A& seen, const T& x, const Lift& lift) {
  if constexpr (folds_element<decltype(f.op), A, T>) {
    f.op.fold_element(seen, x);
  } else {
    seen = f.apply(seen, lift());
  }
}

// True if an output of `Out` holds the accumulator `A` itself, and not the `Result` of `finish`.
template <class Out, class A, class Result, bool Accumulates = false>
inline constexpr bool holds_accumulator =
    std::is_same_v<Out, A> &&
    (Accumulates || (std::is_class_v<A> && !is_half_v<A> && !std::is_same_v<A, Result>));

// The value that `op` folds for an element: `lift(x)`, or the element itself.
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
// See names_functions.
template <class Op, class T>
concept names_lift = requires(const Op& op, const T& x) { op.name_lift(x); };
template <class Op, class A>
concept names_finish = requires(const Op& op, const A& a) { op.name_finish(a); };

// Calls the user's functions that `op` lifts with, where nvcc checks them; see name_call.
template <class Op, class T>
WARPFOLD_DEVICE void name_lift(const Op& op, const T& x) {
  if constexpr (names_lift<Op, T>) {
    op.name_lift(x);
  } else if constexpr (lifts_indexed<Op, T>) {
    (void)op.lift(x, std::size_t{0});
  } else if constexpr (lifts_element<Op, T>) {
    (void)op.lift(x);
  }
}
// The same for the conversion of an element, or of what `op` lifts, to an `A`.
template <class A, class Op, class T>
WARPFOLD_DEVICE void name_element(const Op& op, const T& x) {
  name_lift(op, x);
  name_conversion<A, decltype(detail::lift_by(op, x, 0))>();
}
// The same for all functions by which `op` folds elements of type `T` in an `A`.
template <class Op, class T, class A>
WARPFOLD_DEVICE void name_op(const Op& op, const T* x, const A* a) {
  name_call_as<A>(op, *a, *a);
  name_identity<A>(op);
  name_element<A>(op, *x);
}
// The same for the functions by which `op` finishes.
template <class Op, class A>
WARPFOLD_DEVICE void name_finish(const Op& op, const A& a) {
  if constexpr (names_finish<Op, A>) {
    op.name_finish(a);
  } else if constexpr (finishes<Op, A>) {
    (void)op.finish(a);
  }
}
#endif

// `lift_by`, with the result guarded if `op` converts the element (op/in_register.hpp).
WARPFOLD_ANY_SIDE
template <class Op, class T>
WARPFOLD_HD constexpr auto lift_by(const Op& op, const in_register& keep, const T& x,
                                   std::size_t i) {
  if constexpr (lifts_indexed<Op, T> || lifts_element<Op, T>) {
    return keep(lift_by(op, x, i));
  } else {
    return x;
  }
}

template <class Op>
struct lift_each {
  static constexpr bool is_cheap = true;  // view/transform.hpp

  Op op;
  in_register keep{};

  WARPFOLD_ANY_SIDE
  template <class T>
  WARPFOLD_HD constexpr auto operator()(const T& x) const {
    return lift_by(op, keep, x, 0);
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
  static constexpr bool is_cheap = true;  // view/transform.hpp

  Op op;
  in_register keep{};

  WARPFOLD_ANY_SIDE
  template <class T>
  WARPFOLD_HD constexpr auto operator()(const tuple<T, std::size_t>& element) const {
    return lift_by(op, keep, get<0>(element), get<1>(element));
  }
#if defined(__CUDACC__)
  template <class T>
  WARPFOLD_DEVICE void name_user_functions(const tuple<T, std::size_t>& element) const {
    name_lift(op, get<0>(element));
  }
#endif
};

// How a lifted view reads its elements: alone, or beside their indices.
template <class View, class Op>
struct lifting {
  using base = transform_view<View, lift_each<Op>>;

  static base make(const View& elements, const Op& op) { return {elements, {op}}; }
  static WARPFOLD_HD base with(const base& v, const View& elements) {
    return {elements, v.function()};
  }
  static WARPFOLD_HD const View& elements(const base& v) { return v.base(); }
  static WARPFOLD_HD auto get(const base& v, const typename base::chunk_type& c, int k) {
    return v.base().get(c, k);
  }
};
template <class View, class Op>
  requires lifts_indexed<Op, typename View::value_type>
struct lifting<View, Op> {
  using zipped = zip_view<View, counting_view<std::size_t>>;
  using base = transform_view<zipped, lift_with_index<Op>>;

  static base make(const View& elements, const Op& op) {
    return {zipped(elements, counting(std::size_t{0}, elements.size())), {op}};
  }
  static WARPFOLD_HD base with(const base& v, const View& elements) {
    return {zipped(elements, counting_view<std::size_t>(0, elements.size())), v.function()};
  }
  static WARPFOLD_HD const View& elements(const base& v) {
    return warpfold::get<0>(v.base().views());
  }
  static WARPFOLD_HD auto get(const base& v, const typename base::chunk_type& c, int k) {
    return elements(v).get(warpfold::get<0>(c).chunks[k / View::chunk_size], k % View::chunk_size);
  }
};

}  // namespace detail

/// The values that `Op` folds for the elements of a view, and those elements. Nothing is stored,
/// and loads keep their width.
template <view View, class Op>
class lifted_view : public detail::lifting<View, Op>::base {
  using lifting = detail::lifting<View, Op>;

 public:
  using lifting_op = Op;
  using elements_view = View;

  lifted_view(const View& elements, const Op& op) : lifting::base(lifting::make(elements, op)) {}

  /// Returns a view of other elements with the same op and guards (op/in_register.hpp). Kernels can
  /// call it.
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD lifted_view with_elements(const View& elements) const {
    return lifted_view(lifting::with(*this, elements));
  }

  /// The elements before `Op` lifts them.
  WARPFOLD_HD const View& elements() const { return lifting::elements(*this); }
  /// Element `k` of a loaded chunk, before `Op` lifts it.
  WARPFOLD_HD typename View::value_type get_element(const typename lifting::base::chunk_type& c,
                                                    int k) const {
    return lifting::get(*this, c, k);
  }
  /// The value that `Op` folds for an element before it is lifted, whose index is `i`.
  WARPFOLD_HD auto lifted_value(const typename View::value_type& x, std::size_t i) const {
    return detail::lift_by(this->function().op, keep(), x, i);
  }
  /// The guard of lifted values; see op/in_register.hpp.
  WARPFOLD_HD const in_register& keep() const { return this->function().keep; }

 private:
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD explicit lifted_view(const typename lifting::base& base) : lifting::base(base) {}
};

/// A view whose elements `Op` has lifted.
template <class View, class Op>
concept lifted_by = requires { requires std::is_same_v<typename View::lifting_op, Op>; };

namespace detail {
// True if `Op` has lifted the view, and folds its elements into an `A` in place.
template <class View, class Op, class A>
concept folds_elements_of =
    lifted_by<View, Op> && folds_element<Op, A, typename View::elements_view::value_type>;
}  // namespace detail

/// Returns the view of the values that `op` folds: the elements themselves if the op has no `lift`.
template <view View, class Op>
auto lifted(const View& elements, const Op& op) {
  using T = typename View::value_type;
  constexpr bool lifts = lifts_indexed<Op, T> || lifts_element<Op, T>;
  if constexpr (lifts && never_compares<Op>) {
    return lifted_view(elements, op);
  } else if constexpr (lifts) {
    return lifted_view(detail::guarded(elements), op);
  } else if constexpr (never_compares<Op>) {
    return elements;
  } else {
    return detail::guarded(elements);
  }
}

/// Returns `lifted(elements, op)` with the op of `like`. `lifted` made `like` from a contiguous
/// view of type `View`. Kernels can call it.
WARPFOLD_ANY_SIDE
template <view Lifted, view View>
WARPFOLD_HD auto lifted_like(const Lifted& like, const View& elements) {
  if constexpr (requires { like.with_elements(elements); }) {
    return like.with_elements(elements);
  } else {
    return elements;
  }
}

}  // namespace warpfold
