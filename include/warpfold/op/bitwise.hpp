/// @file
/// Bitwise ops on integers: and, or, exclusive or.
#pragma once

#include <warpfold/op/traits.hpp>

namespace warpfold {

namespace detail {

// The members of `Op`, a bitwise op: `Op::combined(a, b)` combines two integers.
template <class Op>
struct bitwise_op {
  static constexpr auto needs = operand_need::integer;

  template <class T>
  using accumulator = T;

  template <class T>
    requires std::is_integral_v<T>
  WARPFOLD_HD constexpr T identity() const {
    return T{};
  }

  template <class T, class U>
    requires(std::is_integral_v<T> && std::is_integral_v<U>)
  WARPFOLD_HD constexpr std::common_type_t<T, U> operator()(T a, U b) const {
    return static_cast<std::common_type_t<T, U>>(Op::combined(a, b));
  }
};
template <class Op>
concept is_bitwise = std::is_class_v<Op> && std::is_base_of_v<bitwise_op<Op>, Op>;

}  // namespace detail

/// `a & b` on integers. Identity: all bits set. Accumulator: the element's type.
struct bit_and : detail::bitwise_op<bit_and> {
  template <class T>
    requires std::is_integral_v<T>
  WARPFOLD_HD constexpr T identity() const {
    if constexpr (std::is_same_v<T, bool>) {
      return true;
    } else {
      return static_cast<T>(~T{});
    }
  }
  template <class T, class U>
  static WARPFOLD_HD constexpr auto combined(T a, U b) {
    return a & b;
  }
};

/// `a | b` on integers. Identity: zero. Accumulator: the element's type.
struct bit_or : detail::bitwise_op<bit_or> {
  template <class T, class U>
  static WARPFOLD_HD constexpr auto combined(T a, U b) {
    return a | b;
  }
};

/// `a ^ b` on integers. Identity: zero. Accumulator: the element's type.
struct bit_xor : detail::bitwise_op<bit_xor> {
  template <class T, class U>
  static WARPFOLD_HD constexpr auto combined(T a, U b) {
    return a ^ b;
  }
};

template <detail::is_bitwise Op>
inline constexpr bool never_compares<Op> = true;
template <detail::is_bitwise Op, class A>
inline constexpr bool same_in_any_order<Op, A> = true;

}  // namespace warpfold
