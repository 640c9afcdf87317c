/// @file
/// What is said of an op that does not take what it is given: one error of the compiler, with the remedy.
#pragma once

#include <type_traits>

#include <warpfold/op/traits.hpp>

namespace warpfold::detail {

template <class Op, class A, class B>
constexpr bool gives_value() {
  if constexpr (is_device_lambda<Op>()) {
    return true;
  } else if constexpr (std::is_invocable_v<const Op&, A, B>) {
    return !std::is_void_v<std::invoke_result_t<const Op&, A, B>>;
  } else {
    return false;
  }
}

/// What one of the library's ops needs of its operands; its member `needs`.
template <class Op>
constexpr operand_need need_of() {
  if constexpr (requires { requires !std::is_same_v<typename Op::exactly, Op>; }) {
    return operand_need::call;  // derived from one of them
  } else if constexpr (requires { Op::needs; }) {
    return Op::needs;
  } else {
    return operand_need::call;
  }
}

/// Whether `op(a, b)` gives a value; if not, there is an error. An op that is made of others checks those by
/// `check_parts<A>()`.
template <class Op, class A, class B, bool IsInit = false>
constexpr bool check_operands() {
  if constexpr (gives_value<Op, A, B>()) {
    if constexpr (requires { Op::template check_parts<B>(); }) {
      return Op::template check_parts<B>();
    } else {
      return true;
    }
  } else {
    constexpr operand_need need = need_of<Op>();
    static_assert(need != operand_need::addition,
                  "warpfold: plus needs operator+ for the elements, and for the init if there is "
                  "one; define it, or pass another op");
    static_assert(
        need != operand_need::multiplication,
        "warpfold: multiplies needs operator* for the elements, and for the init if there "
        "is one; define it, or pass another op");
    static_assert(need != operand_need::order,
                  "warpfold: minimum and maximum need operator< for the elements, and for the init "
                  "if there is one; project a number, or pass another op");
    static_assert(need != operand_need::number,
                  "warpfold: ignoring_nan() is for numbers; project one, or pass wf::minimum, "
                  "wf::maximum or another op");
    static_assert(need != operand_need::floating_point,
                  "warpfold: plus{}.compensated() is for real floating-point numbers; use plus{} "
                  "for others");
    static_assert(need != operand_need::integer,
                  "warpfold: bit_and, bit_or and bit_xor are for integers; project one, or pass "
                  "another op");
    static_assert(need != operand_need::truth,
                  "warpfold: logical_and and logical_or are for elements that convert to bool; "
                  "project a bool, or pass another op");
    static_assert(need != operand_need::call || IsInit,
                  "warpfold: the op cannot be called as op(x, x) with two of the elements, gives "
                  "nothing, or is not const (a mutable lambda?)");
    static_assert(
        need != operand_need::call || !IsInit,
        "warpfold: the op cannot be called as op(init, x), gives nothing, or is not const "
        "(a mutable lambda?)");
    return false;
  }
}

}  // namespace warpfold::detail
