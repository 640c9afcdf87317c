/// @file
/// What an op is: a function object that combines two values, with optional members.
///
/// `op(a, b)` is all that a reduction needs. The optional members, and the code that calls each:
///
/// For results:
/// - `template <class T> using accumulator`: the type that the op folds elements of type `T` in.
///   Default: the type of `op(T, T)`. Called by op_traits (op/traits.hpp).
/// - `identity<T>()`, or `identity()` of an op for one type: `op(identity, x) == x`. Without it, an
///   empty range needs an init, and the fold tracks which threads have a value (op/fold.hpp).
///   Called by op_traits.
/// - `lift(x)`, `lift(x, i)`: the value to fold for element `x` at index `i`. Default: the element
///   (op/lift.hpp).
/// - `finish(a)`: the result, computed from the last accumulator. Default: the accumulator
///   (op/lift.hpp).
/// - `moved(a, by)`, of an op with `lift(x, i)`: the accumulator of the same elements at indices
///   that are greater by `by`, without rounding. With `same_in_any_order`, `across` then exchanges
///   no sizes (policy/across.hpp). `all` has `moved_parts` and `moves_parts` instead.
/// - `product_for_dot`, `squares_op`, `mean_op` and `moments_op`, of an op that adds: the
///   projection and the ops by which `dot`, `norm_2`, `mean`, `variance` and `stddev` use it
///   (dot.hpp, norm.hpp, statistics.hpp). `rounded_type<T>` is the type of their results.
///
/// For speed, on both sides:
/// - `fold_neighbors<Count>(element, lifted)`: folds 2^k neighbors at once, with the bits of the
///   declared order (`folds_neighbors` in op/lift.hpp; called by collective/thread_fold.hpp,
///   axis_loads.hpp, group_fold.hpp, kernel/axis/transformed_rows.hpp, host/host_axis.hpp and
///   ordered_fold.hpp).
/// - `fold_batch(seen, batch)`: folds a batch of elements at once, where the order does not matter.
///   With `reads_batch_once<Batch>` the host uses long batches. With `finds_best_batch<T>`,
///   `best_of_batch`, `is_better` and `index_of_best` it searches one batch only. With
///   `may_repeat_elements` a batch may have copies of elements (op/lift.hpp; called by
///   host/batch_fold.hpp and collective/loaded_batch.hpp).
///
/// For speed, on host threads, if the result is the same in any order:
/// - `add_rows(accumulators, columns, from, step, rows)`: adds rows of neighboring numbers to the
///   accumulators of their columns (called by host/host_axis.hpp).
/// - `fold_segments(segments, data, results)`: writes the results of many short segments of
///   numbers, or returns false. `short_segments` is the type of `segments` (called by
///   host/host_segments.hpp).
///
/// For speed, on a GPU:
/// - `partial<T>` and `partial_batch`: the narrower type in which short batches fold without loss
///   (`folds_partially` in op/traits.hpp; called by collective/thread_fold.hpp).
/// - `group<T>` and `in_group<T>`: the number of neighbors that fold in a narrower type without
///   loss (`folds_groups` in op/traits.hpp; called by collective/thread_fold.hpp).
/// - `fold_packed<T>(registers)`: folds short elements as they are packed in four registers
///   (op/packed.hpp; called by collective/thread_fold.hpp and axis_loads.hpp).
/// - `fold_states(states)`: folds the states of all lanes of a warp, or of a group of lanes
///   (op/fold.hpp; called by collective/warp_reduce.hpp and group_fold.hpp).
/// - `adds_integers`: the op is addition for integers, so that the hardware sum of a warp may
///   replace it (collective/warp_sum.hpp).
/// - `group_terms<T>` and `kept_function(state)`: fold a group of elements as terms, and write a
///   function of the terms (op/group_terms.hpp; called by collective/term_group.hpp,
///   collective/term_tile.hpp and kernel/axis/transformed_tiles.hpp).
/// - `is_long<A>`: the code of `op(a, a)` is long, so that kernels contain few copies of it
///   (op/fold.hpp).
///
/// For speed, on the host:
/// - `fold_element(seen, x)`: folds one element into an accumulator in place, instead of
///   `seen = op(seen, lift(x))` (op/lift.hpp). Only with `same_in_any_order<Op, A>`.
/// - `without_branches(a, b)`: the same as `op(a, b)`, in a form that compilers vectorize
///   (host/interleaved_fold.hpp).
///
/// For checks:
/// - `exactly`: the op itself. The library's ops use it so that an op derived from one of them does
///   not inherit its members for speed. It does inherit the identity: an op with another call needs
///   its own.
/// - `needs`: what the op requires of its operands, for error messages (op/operand_check.hpp).
///   `all` has `check_parts` and `check_projections` instead.
/// - `name_user_functions(a, b)`, `name_lift(x)`, `name_finish(a)`: call the user functions behind
///   the op, for nvcc to check (kernel/body.hpp).
///
/// Beside the op, two variable templates to specialize (op/traits.hpp): `never_compares<Op>`, for
/// an op whose computed elements need no guard, and `same_in_any_order<Op, A>`, for an op whose
/// folds need not take the declared order.
#pragma once

#include <warpfold/op/traits.hpp>

namespace warpfold {

/// An op that can fold values of type `A`: the result of `op(A, A)` converts to `A`.
template <class Op, class A>
concept reduction_op = detail::is_device_lambda<Op>() || requires {
  static_cast<A>(std::declval<detail::call_result_t<Op, const A&, const A&>>());
};

}  // namespace warpfold
