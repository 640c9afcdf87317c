/// @file
/// How a reduction folds the elements of `where`: only those whose bit is set.
///
/// If the op has an identity, every other element becomes that identity, in the accumulator, and
/// the op folds the rest. Without one, states are optional: `set_op` combines those that hold a
/// value.
#pragma once

#include <type_traits>

#include <warpfold/core/error.hpp>
#include <warpfold/op/fold.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/view/where.hpp>
#include <warpfold/work/reduction.hpp>

namespace warpfold::detail {

// Lifts an element with its bit to a state of type `State`: the accumulator `A` of `Op`, or
// `maybe<A>`.
template <class Op, class A, class State>
struct lift_where_set {
  Op op;

  WARPFOLD_ANY_SIDE
  template <class T>
    requires(!lifts_indexed<Op, T>)
  WARPFOLD_HD constexpr State lift(const masked<T>& x) const {
    return state_of(x, 0);
  }
  WARPFOLD_ANY_SIDE
  template <class T>
    requires lifts_indexed<Op, T>
  WARPFOLD_HD constexpr State lift(const masked<T>& x, std::size_t i) const {
    return state_of(x, i);
  }
#if defined(__CUDACC__)
  template <class T>
  WARPFOLD_DEVICE void name_lift(const masked<T>& x) const {
    name_element<A>(op, x.value);
  }
#endif

 private:
  WARPFOLD_ANY_SIDE
  template <class T>
  WARPFOLD_HD constexpr State state_of(const masked<T>& x, std::size_t i) const {
    if (x.is_set) return State(static_cast<A>(lift_by(op, x.value, i)));
    if constexpr (std::is_same_v<State, A>) {
      return op_traits<Op, A>::identity(op);
    } else {
      return State{};
    }
  }
};

// An op without an identity, on values that may be missing.
template <class Op>
struct set_op {
  template <class State>
  using accumulator = State;

  Op op;

  template <class State>
  WARPFOLD_HD constexpr State identity() const {
    return State{};
  }

  WARPFOLD_ANY_SIDE
  template <class A>
  WARPFOLD_HD constexpr maybe<A> operator()(const maybe<A>& a, const maybe<A>& b) const {
    if (!a.engaged()) return b;
    if (!b.engaged()) return a;
    return maybe<A>(static_cast<A>(call(op, a.value, b.value)));
  }
  // For an init that is in memory.
  WARPFOLD_ANY_SIDE
  template <class Init, class A>
    requires std::is_convertible_v<const Init&, A>
  WARPFOLD_HD constexpr maybe<A> operator()(const Init& init, const maybe<A>& x) const {
    return (*this)(maybe<A>(static_cast<A>(init)), x);
  }

#if defined(__CUDACC__)
  template <class A>
  WARPFOLD_DEVICE void name_user_functions(const maybe<A>& a, const maybe<A>& b) const {
    name_call_as<A>(op, a.value, b.value);
  }
#endif
};

// Hides the identity of an op, for calls to which no element is an error.
template <class Op>
struct without_identity {
  template <class T>
  using accumulator = typename op_traits<Op, T>::accumulator;

  Op op;

  WARPFOLD_ANY_SIDE
  template <class A, class B>
    requires callable<Op, const A&, const B&>
  WARPFOLD_HD constexpr auto operator()(const A& a, const B& b) const {
    return call(op, a, b);
  }
  WARPFOLD_ANY_SIDE
  template <class T>
    requires lifts_element<Op, T>
  WARPFOLD_HD constexpr auto lift(const T& x) const {
    return op.lift(x);
  }
  WARPFOLD_ANY_SIDE
  template <class T>
    requires lifts_indexed<Op, T>
  WARPFOLD_HD constexpr auto lift(const T& x, std::size_t i) const {
    return op.lift(x, i);
  }
  WARPFOLD_ANY_SIDE
  template <class A>
    requires finishes<Op, A>
  WARPFOLD_HD constexpr auto finish(const A& a) const {
    return op.finish(a);
  }
#if defined(__CUDACC__)
  template <class T>
  WARPFOLD_DEVICE void name_lift(const T& x) const {
    detail::name_lift(op, x);
  }
  template <class A>
  WARPFOLD_DEVICE void name_user_functions(const A& a, const A& b) const {
    detail::name_call(op, a, b);
  }
  template <class A>
  WARPFOLD_DEVICE void name_finish(const A& a) const {
    detail::name_finish(op, a);
  }
#endif
};

// The init, if there is one, in the type of the states; one that is in memory stays there.
template <class A, class State, class All>
auto init_of_set(const All& all) {
  if constexpr (All::has_init && !All::is_init_stored) {
    return State(static_cast<A>(all.init));
  } else {
    return all.init;
  }
}

// Calls `then` with the reduction of the elements of `of` whose bit is set. `all` is the
// reduction of all its elements, from which the types follow.
//
// Returns what `then` returns. A result of the reduction is converted to the type of that of `all`.
// @throws empty_range if the result of `then` is that of no element
template <class View, class All, class Then>
auto with_elements_that_are_set(const View& of, const All& all, const Then& then) {
  using op_type = typename All::op_type;
  using A = typename All::accumulator;
  const auto elements = [&] {
    if constexpr (never_compares<op_type>) {
      return of;
    } else {
      return of.with(guarded(of.values()));
    }
  }();
  using state = std::conditional_t<All::has_identity, A, maybe<A>>;
  using fold_op = std::conditional_t<All::has_identity, op_type, set_op<op_type>>;
  const lifted_view view(elements, lift_where_set<op_type, A, state>{all.op});
  const auto init = init_of_set<A, state>(all);
  const reduction<std::remove_const_t<decltype(view)>, fold_op, std::remove_const_t<decltype(init)>>
      r{view, fold_op{all.op}, init};
  if constexpr (!std::is_same_v<decltype(then(r)), typename decltype(r)::result_type>) {
    return then(r);
  } else if constexpr (All::has_identity) {
    return static_cast<typename All::result_type>(then(r));
  } else {
    const maybe<A> found = then(r);
    if (!found.engaged()) {
      throw_error<empty_range>(
          "warpfold: no bit of the mask of where is set, and the call has no result without an "
          "element. Pass an init or wf::with_identity(op, value), or test the mask first");
    }
    return finished(all.op, static_cast<typename All::result_type>(found.value));
  }
}

}  // namespace warpfold::detail
