/// @file
/// An op on its own accumulators, for folds whose elements are the folds of parts.
#pragma once

#include <cstddef>

#include <warpfold/op/fold.hpp>
#include <warpfold/op/index_offset.hpp>
#include <warpfold/op/lift.hpp>

namespace warpfold::detail {

/// Where the elements of each part begin in the whole.
struct part_offsets {
  static constexpr std::size_t most = 16;

  std::size_t of[most] = {};
};

/// Combines accumulators of `Op`, which are the elements. With `Moves`, element `i` is that of part
/// `i`, and its indices move to those of the whole.
template <class Op, class A, bool Moves>
struct combining_op {
  Op op;
  part_offsets begin;

  template <class>
  using accumulator = A;
  template <class>
  static constexpr bool is_long = is_long_op<Op, A>;

  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr A lift(const A& a, std::size_t part) const
    requires Moves
  {
    return moved_indices(op, a, begin.of[part]);
  }
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr auto operator()(const A& a, const A& b) const { return call(op, a, b); }
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr A identity() const
    requires op_traits<Op, A>::has_identity
  {
    return op_traits<Op, A>::identity(op);
  }
  WARPFOLD_ANY_SIDE
  template <class B>
    requires finishes<Op, B>
  WARPFOLD_HD constexpr auto finish(const B& a) const {
    return op.finish(a);
  }

#if defined(__CUDACC__)
  WARPFOLD_DEVICE void name_user_functions(const A& a, const A& b) const {
    name_call(op, a, b);
    name_identity<A>(op);
  }
  WARPFOLD_DEVICE void name_finish(const A& a) const { detail::name_finish(op, a); }
#endif
};

/// Combines states of `Fold`, which are the elements. Every state may be that of no element.
template <class Fold>
struct combining_states {
  using state = typename Fold::state;
  Fold fold;

  template <class>
  using accumulator = state;
  template <class>
  static constexpr bool is_long = Fold::is_long;

  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr state operator()(const state& s, const state& t) const {
    return fold.combine(s, t);
  }
  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr state identity() const { return fold.start(); }
};

}  // namespace warpfold::detail

namespace warpfold {

template <class Op, class A, bool Moves>
inline constexpr bool never_compares<detail::combining_op<Op, A, Moves>> = never_compares<Op>;

}  // namespace warpfold
