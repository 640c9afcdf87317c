/// @file
/// An op on the results of a function of each element.
#pragma once

#include <cstddef>

#include <warpfold/op/fold.hpp>
#include <warpfold/op/lift.hpp>

namespace warpfold::detail {

// Folds `function(x)` with `op`: kernels that load elements as they are then compute in registers.
template <class Op, class F>
struct op_after {
  Op op;
  F function;
  in_register keep{};

  template <class T>
  using accumulator = typename op_traits<Op, T>::accumulator;
  template <class A>
  static constexpr bool is_long = is_long_op<Op, A>;

  WARPFOLD_ANY_SIDE
  template <class T>
    requires(!lifts_indexed<Op, op_result_t<F, T>>)
  WARPFOLD_HD constexpr auto lift(const T& x) const {
    return lift_by(op, keep, keep(call(function, x)), 0);
  }
  WARPFOLD_ANY_SIDE
  template <class T>
    requires lifts_indexed<Op, op_result_t<F, T>>
  WARPFOLD_HD constexpr auto lift(const T& x, std::size_t i) const {
    return lift_by(op, keep, keep(call(function, x)), i);
  }
  WARPFOLD_ANY_SIDE
  template <class A>
  WARPFOLD_HD constexpr auto operator()(const A& a, const A& b) const {
    return call(op, a, b);
  }
  WARPFOLD_ANY_SIDE
  template <class A>
    requires(op_traits<Op, A>::has_identity)
  WARPFOLD_HD constexpr A identity() const {
    return op_traits<Op, A>::identity(op);
  }
  WARPFOLD_ANY_SIDE
  template <class A>
    requires finishes<Op, A>
  WARPFOLD_HD constexpr auto finish(const A& a) const {
    return op.finish(a);
  }
  /// What the op folds in place of element `k`. Not a lambda: in one, nvcc refuses functions of the
  /// host.
  template <class Element>
  struct changed_element {
    const op_after& own;
    const Element& element;

    WARPFOLD_ANY_SIDE
    template <class Index>
    WARPFOLD_HD constexpr auto operator()(Index k) const {
      return own.keep(call(own.function, element(k)));
    }
  };
  WARPFOLD_ANY_SIDE
  template <int Count, class Element, class Lifted>
    requires folds_neighbors<Op, Element, Lifted>
  WARPFOLD_HD constexpr auto fold_neighbors(const Element& element, const Lifted& lifted) const {
    return op.template fold_neighbors<Count>(changed_element<Element>{*this, element}, lifted);
  }
  WARPFOLD_ANY_SIDE
  template <class States>
    requires folds_states<Op, States>
  WARPFOLD_HD constexpr auto fold_states(const States& states) const {
    return op.fold_states(states);
  }

#if defined(__CUDACC__)
  template <class T>
  WARPFOLD_DEVICE void name_lift(const T& x) const {
    name_call(function, x);
    detail::name_lift(op, call(function, x));
  }
  template <class A>
  WARPFOLD_DEVICE void name_user_functions(const A& a, const A& b) const {
    name_call(op, a, b);
    name_identity<A>(op);
  }
  template <class A>
  WARPFOLD_DEVICE void name_finish(const A& a) const {
    detail::name_finish(op, a);
  }
#endif
};

template <class Op, class F>
inline constexpr bool names_fold_batch<op_after<Op, F>> = names_fold_batch<Op>;

}  // namespace warpfold::detail

namespace warpfold {

template <class Op, class F>
inline constexpr bool never_compares<detail::op_after<Op, F>> = never_compares<Op>;
template <class Op, class F, class A>
inline constexpr bool same_in_any_order<detail::op_after<Op, F>, A> = same_in_any_order<Op, A>;

}  // namespace warpfold
