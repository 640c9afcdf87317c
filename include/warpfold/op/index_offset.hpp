/// @file
/// Reductions of a part of a range whose indices are those of the whole range.
#pragma once

#include <cstddef>

#include <warpfold/op/lift.hpp>

namespace warpfold {

/// A view whose elements an op has lifted with their indices (`lift(x, i)`).
template <class View>
concept lifts_with_indices = requires {
  typename View::lifting_op;
} && lifts_indexed<typename View::lifting_op, typename View::elements_view::value_type>;

namespace detail {

/// An op that can move the indices in its accumulator A after the fold of elements of type T. It
/// must not round: the bits are the same as if the elements had been at other indices.
///
/// `op.moved(a, by)` returns the accumulator `a` for elements whose indices are `by` greater.
/// `all` has `moved_parts`.
template <class Op, class T, class A>
concept moves_indices_of = requires(const Op& op, const A& a, std::size_t by) {
  op.moved(a, by);
} || requires { requires Op::template moves_parts<T, A>; };

}  // namespace detail

/// The same for the elements of a view that the op lifts.
template <class Op, class View, class A>
concept moves_indices = lifted_by<View, Op> &&
                        detail::moves_indices_of<Op, typename View::elements_view::value_type, A>;

/// Returns the accumulator for elements whose indices are `by` greater; see `moves_indices`.
WARPFOLD_ANY_SIDE
template <class Op, class A>
WARPFOLD_HD constexpr A moved_indices(const Op& op, const A& a, std::size_t by) {
  if constexpr (requires { op.moved(a, by); }) {
    return op.moved(a, by);
  } else {
    return op.moved_parts(a, by);
  }
}

namespace detail {

// Lifts the element at index i as `op` lifts one at index first + i.
template <class Op>
struct lift_from {
  Op op;
  std::size_t first;

  WARPFOLD_ANY_SIDE
  template <class T>
    requires lifts_indexed<Op, T>
  WARPFOLD_HD constexpr auto lift(const T& x, std::size_t i) const {
    return op.lift(x, first + i);
  }
#if defined(__CUDACC__)
  template <class T>
  WARPFOLD_DEVICE void name_lift(const T& x) const {
    detail::name_lift(op, x);
  }
#endif
};

}  // namespace detail

/// Returns the same view, with elements that are lifted as if the first one were at index `first`.
///
/// Works with every op. The op no longer folds batches of elements, which is slower than
/// `moved_indices` for the index of an extremum.
template <lifts_with_indices View>
auto with_indices_from(const View& v, std::size_t first) {
  using lifter = detail::lift_from<typename View::lifting_op>;
  return lifted_view<typename View::elements_view, lifter>(v.elements(), {v.function().op, first});
}

}  // namespace warpfold
