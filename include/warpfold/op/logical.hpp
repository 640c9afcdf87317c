/// @file
/// Logical ops: `logical_and` (are all elements true) and `logical_or` (is any).
#pragma once

#include <warpfold/op/traits.hpp>

namespace warpfold {

/// `a && b`, with every element converted to bool. Identity: true. Accumulator: `bool`.
struct logical_and {
  static constexpr auto needs = detail::operand_need::truth;

  template <class T>
  using accumulator = bool;

  template <class T>
    requires std::is_same_v<T, bool>
  WARPFOLD_HD constexpr T identity() const {
    return true;
  }

  WARPFOLD_ANY_SIDE
  template <class T, class U>
    requires(std::is_constructible_v<bool, const T&> && std::is_constructible_v<bool, const U&>)
  WARPFOLD_HD constexpr bool operator()(const T& a, const U& b) const {
    return static_cast<bool>(a) && static_cast<bool>(b);
  }
};

/// `a || b`, with every element converted to bool. Identity: false. Accumulator: `bool`.
struct logical_or {
  static constexpr auto needs = detail::operand_need::truth;

  template <class T>
  using accumulator = bool;

  template <class T>
    requires std::is_same_v<T, bool>
  WARPFOLD_HD constexpr T identity() const {
    return false;
  }

  WARPFOLD_ANY_SIDE
  template <class T, class U>
    requires(std::is_constructible_v<bool, const T&> && std::is_constructible_v<bool, const U&>)
  WARPFOLD_HD constexpr bool operator()(const T& a, const U& b) const {
    return static_cast<bool>(a) || static_cast<bool>(b);
  }
};

template <>
inline constexpr bool never_compares<logical_and> = true;
template <>
inline constexpr bool never_compares<logical_or> = true;

template <class A>
inline constexpr bool same_in_any_order<logical_and, A> = true;
template <class A>
inline constexpr bool same_in_any_order<logical_or, A> = true;

}  // namespace warpfold
