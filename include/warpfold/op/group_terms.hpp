/// @file
/// How threads that hold all elements of a group fold it with less work than the merges of `Op`
/// take: an op may define a class `group_terms<T>` for elements of type `T`.
///
/// - A node of the declared order (op/fold_order.hpp) then needs no number of elements: its threads
///   know it. A node of moments is two sums instead of a count, a mean and squared deviations.
/// - The terms may depend on a reference, which is found first: all exponentials are scaled by the
///   greatest exponent of the group, and a merge is one addition.
/// - A term may be kept for the function of the fold. A softmax needs one exponential for each
///   element instead of two.
/// - The result has the bits of the merges. Groups for which that would fail are refused; they are
///   folded by `Op`.
#pragma once

#include <type_traits>

#include <warpfold/core/callable.hpp>
#include <warpfold/core/config.hpp>
#include <warpfold/op/lift.hpp>

namespace warpfold::detail {

/// In place of a number of elements, if all exist.
struct all_terms {};

WARPFOLD_HD constexpr bool exists(int, all_terms) { return true; }
WARPFOLD_HD constexpr bool exists(int k, unsigned there) {
  return static_cast<unsigned>(k) < there;
}
template <int Count>
WARPFOLD_HD constexpr unsigned number_of(all_terms) {
  return Count;
}
template <int Count>
WARPFOLD_HD constexpr unsigned number_of(unsigned there) {
  return there;
}

/// True if `Op` has `group_terms<T>`, a class of static functions:
///
/// - `node`: a fold of elements whose number is known.
/// - `is_sum`: nodes are numbers of at least +0 that are added; 0 stands for no elements. Otherwise
///   `merge(a, count_a, b, count_b)` returns the node of the neighbors `a` and `b`, where `count_a`
///   is a power of two, and at least `count_b`.
/// - `set_state(state, node, count, reference)`: makes a state of a node of `count` elements.
///   Returns false if the group must be folded by `Op`.
/// - `has_reference`: whether nodes depend on a reference, an unsigned number. The reference of a
///   group is the maximum of those of its parts.
///
/// Without a reference, `fold<Count>(element, there)` returns the node of neighbors: `element(0)`
/// to `element(Count - 1)`, a power of two of them, of which the first `there` exist. The others
/// are copies of any element; `all_terms` says that all exist. With a reference:
///
/// - `reference_of<Count>(element)`: the reference of these elements.
/// - `admits(reference)`: whether the group can be folded as terms.
/// - `fold<Count>(element, there, reference, keep, lose)`: the node. Calls `keep(k, term)` for each
///   element, and `lose()` if the terms do not replace the elements.
template <class Op, class T>
concept has_group_terms =
    folds_batch_itself<Op> && requires { typename Op::template group_terms<T>::node; };

/// The terms by which rows and segments are folded: those with a reference; otherwise a type
/// without nodes. Others need registers for a second fold, which cost more than merges of states.
template <class Op, class T>
struct terms_of_fold {
  using type = void*;
};
template <class Op, class T>
  requires(has_group_terms<Op, T> &&
           requires { requires Op::template group_terms<T>::has_reference; })
struct terms_of_fold<Op, T> {
  using type = typename Op::template group_terms<T>;
};

/// True if the function of the fold can be called with kept terms instead of elements:
/// `Op::kept_function(state)` returns a function of a term, a `float`. `Op::keeps_terms_of` is
/// `Op`: an op that derives from it may have another result.
template <class Op, class T, class State, class F>
concept keeps_terms =
    has_group_terms<Op, T> && std::is_same_v<F, call_fold> && requires(const State& state) {
      requires std::is_same_v<typename Op::keeps_terms_of, Op>;
      Op::kept_function(state);
    };

}  // namespace warpfold::detail
