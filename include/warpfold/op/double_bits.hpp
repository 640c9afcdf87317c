/// @file
/// Predicates of a double, computed from its bits: a compiler may assume that every number is
/// finite, and a processor may take small numbers for zero.
///
/// Source: IEEE 754, binary64.
#pragma once

#include <cstdint>

#include <warpfold/core/config.hpp>

namespace warpfold::detail {

WARPFOLD_HD constexpr bool is_finite(double x) {
  constexpr std::uint64_t infinity = std::uint64_t{0x7ff} << 52, sign = std::uint64_t{1} << 63;
  return (__builtin_bit_cast(std::uint64_t, x) & ~sign) < infinity;
}
WARPFOLD_HD constexpr bool is_negative_zero(double x) {
  return __builtin_bit_cast(std::uint64_t, x) == std::uint64_t{1} << 63;
}
WARPFOLD_HD constexpr bool is_zero(double x) {
  return __builtin_bit_cast(std::uint64_t, x) << 1 == 0;
}

}  // namespace warpfold::detail
