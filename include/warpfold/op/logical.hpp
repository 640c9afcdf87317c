/// @file
/// Logical ops: `logical_and` (are all elements true) and `logical_or` (is any).
#pragma once

#include <warpfold/op/traits.hpp>

namespace warpfold {

namespace detail {

// The members of a logical op, whose identity is `IsAnd`.
template <bool IsAnd>
struct logical_op {
  static constexpr auto needs = operand_need::truth;

  template <class T>
  using accumulator = bool;

  template <class T>
    requires std::is_same_v<T, bool>
  WARPFOLD_HD constexpr T identity() const {
    return IsAnd;
  }

  WARPFOLD_ANY_SIDE
  template <class T, class U>
    requires(std::is_constructible_v<bool, const T&> && std::is_constructible_v<bool, const U&>)
  WARPFOLD_HD constexpr bool operator()(const T& a, const U& b) const {
    if constexpr (IsAnd) {
      return static_cast<bool>(a) && static_cast<bool>(b);
    } else {
      return static_cast<bool>(a) || static_cast<bool>(b);
    }
  }
};

}  // namespace detail

/// `a && b`, with every element converted to bool. Identity: true. Accumulator: `bool`.
struct logical_and : detail::logical_op<true> {};

/// `a || b`, with every element converted to bool. Identity: false. Accumulator: `bool`.
struct logical_or : detail::logical_op<false> {};

template <>
inline constexpr bool never_compares<logical_and> = true;
template <>
inline constexpr bool never_compares<logical_or> = true;

template <class A>
inline constexpr bool same_in_any_order<logical_and, A> = true;
template <class A>
inline constexpr bool same_in_any_order<logical_or, A> = true;

}  // namespace warpfold
