/// @file
/// Bitwise ops on integers: and, or, exclusive or.
#pragma once

#include <warpfold/op/traits.hpp>

namespace warpfold {

/// `a & b` on integers. Identity: all bits set. Accumulator: the element's type.
struct bit_and {
  static constexpr auto needs = detail::operand_need::integer;

  template <class T>
  using accumulator = T;

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
    requires(std::is_integral_v<T> && std::is_integral_v<U>)
  WARPFOLD_HD constexpr std::common_type_t<T, U> operator()(T a, U b) const {
    return static_cast<std::common_type_t<T, U>>(a & b);
  }
};

/// `a | b` on integers. Identity: zero. Accumulator: the element's type.
struct bit_or {
  static constexpr auto needs = detail::operand_need::integer;

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
    return static_cast<std::common_type_t<T, U>>(a | b);
  }
};

/// `a ^ b` on integers. Identity: zero. Accumulator: the element's type.
struct bit_xor {
  static constexpr auto needs = detail::operand_need::integer;

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
    return static_cast<std::common_type_t<T, U>>(a ^ b);
  }
};

template <>
inline constexpr bool never_compares<bit_and> = true;
template <>
inline constexpr bool never_compares<bit_or> = true;
template <>
inline constexpr bool never_compares<bit_xor> = true;

template <class A>
inline constexpr bool same_in_any_order<bit_and, A> = true;
template <class A>
inline constexpr bool same_in_any_order<bit_or, A> = true;
template <class A>
inline constexpr bool same_in_any_order<bit_xor, A> = true;

}  // namespace warpfold
