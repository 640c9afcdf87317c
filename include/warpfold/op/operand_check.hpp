/// @file
/// Compile-time checks that an op can be called with its operands. Misuse gives one compiler error
/// with the remedy.
#pragma once

#include <type_traits>

#include <warpfold/op/traits.hpp>

namespace warpfold::detail {

// True if `op(a, b)` compiles and does not return void.
template <class Op, class A, class B>
constexpr bool gives_value() {
  if constexpr (is_device_lambda<Op>()) {
    return true;
  } else if constexpr (callable<Op, A, B>) {
    return !std::is_void_v<call_result_t<Op, A, B>>;
  } else {
    return false;
  }
}

/// The operands that an op requires: the member `needs` of the library's ops; for any other op,
/// only the call.
template <class Op>
constexpr operand_need need_of() {
  if constexpr (requires { requires !std::is_same_v<typename Op::exactly, Op>; }) {
    return operand_need::call;  // a user's op that derives from one of the library's
  } else if constexpr (requires {
                         requires std::is_same_v<decltype(Op::needs), const operand_need>;
                       }) {
    return Op::needs;
  } else {
    return operand_need::call;
  }
}

// Compilers show it with its types in the errors below.
template <class Op, class A, class B>
inline constexpr bool op_combines = gives_value<Op, A, B>();

template <class Op, class... Args>
inline constexpr bool calls_with = std::is_invocable_v<const Op&, Args...>;

// Reports what is wrong with `op(a, b)`.
template <class Op, class A, class B, bool IsInit>
constexpr void report_call() {
  if constexpr (callable<Op, A, B>) {
    static_assert(op_combines<Op, A, B>,
                  "warpfold: the op returns nothing; return the combination of both arguments");
  } else if constexpr (calls_with<Op, A&, B&>) {
    static_assert(op_combines<Op, A, B>,
                  "warpfold: the op takes an argument by a reference to non-const; take both by "
                  "value or by reference to const");
  } else if constexpr (calls_with<Op, const B&>) {
    static_assert(op_combines<Op, A, B>,
                  "warpfold: the op takes one argument, but it is called with two, as op(x, x); to "
                  "apply a function to each element, call transform_reduce");
  } else if constexpr (calls_with<Op, const A&, const B&, const B&>) {
    static_assert(op_combines<Op, A, B>,
                  "warpfold: the op takes three arguments, but it is called with two, as op(x, x)");
  } else if constexpr (IsInit) {
    static_assert(op_combines<Op, A, B>,
                  "warpfold: the op cannot be called as op(init, x) with the init and an element; "
                  "the types are those of op_combines<op, init, element>");
  } else {
    static_assert(
        op_combines<Op, A, B>,
        "warpfold: the op cannot be called as op(x, x) with two of the elements; the types "
        "are those of op_combines<op, element, element>");
  }
}

/// True if `op(a, b)` returns a value; otherwise reports an error. An op that consists of others
/// has `check_parts<B>()`, which checks those.
/// @tparam IsInit true if `A` is the type of an init
template <class Op, class A, class B, bool IsInit = false>
constexpr bool check_operands() {
  if constexpr (gives_value<Op, A, B>()) {
    if constexpr (requires { Op::template check_parts<B>(); }) {
      return Op::template check_parts<B>();
    } else {
      return true;
    }
  } else {
    constexpr bool is_number = std::is_arithmetic_v<Op>;
    constexpr bool is_swapped =
        IsInit && (gives_value<A, B, B>() || (is_number && std::is_class_v<A>));
    static_assert(!is_swapped,
                  "warpfold: the op stands where the init goes, and the init where the op goes; "
                  "exchange them");
    static_assert(is_swapped || !is_number,
                  "warpfold: a number stands where the op goes; pass an init and an op, "
                  "reduce(policy, range, init, op)");
    constexpr operand_need need = is_swapped || is_number ? operand_need::nothing : need_of<Op>();
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
    constexpr bool is_init_of_lifted = IsInit && requires(const B& x) { x.dropped; };
    constexpr bool is_init_of_exact = IsInit && requires { B::digit_words; };
    static_assert(need != operand_need::floating_point || is_init_of_lifted || is_init_of_exact,
                  "warpfold: plus{}.compensated() and plus{}.exact() are for floating-point "
                  "numbers, compensated() only for real ones; use plus{} for others");
    static_assert(need != operand_need::floating_point || !is_init_of_exact,
                  "warpfold: the init of plus{}.exact() must have the type of the sum: float for "
                  "elements of float and of 16-bit floats, double for those of double, and the "
                  "same complex type for complex ones");
    static_assert(
        need != operand_need::floating_point || !is_init_of_lifted,
        "warpfold: the init of plus{}.compensated() must be a compensated_sum of the type that it "
        "folds; pass wf::compensated_sum<T>{init, 0}");
    static_assert(need != operand_need::integer,
                  "warpfold: bit_and, bit_or and bit_xor are for integers; project one, or pass "
                  "another op");
    static_assert(need != operand_need::truth,
                  "warpfold: logical_and and logical_or are for elements that convert to bool; "
                  "project a bool, or pass another op");
    if constexpr (need == operand_need::call) report_call<Op, A, B, IsInit>();
    return false;
  }
}

}  // namespace warpfold::detail
