/// @file
/// Numbers of one and two bytes, packed in 32-bit registers as they are in memory.
///
/// Source: "Coalesced access to global memory" (in Czech), which packs four chars in an int.
#pragma once

#include <cstdint>
#include <type_traits>

#include <warpfold/core/config.hpp>
#include <warpfold/core/number.hpp>

namespace warpfold {

namespace detail {

/// An integer of one or two bytes.
template <class T>
concept small_integer = std::is_integral_v<T> && sizeof(T) <= 2 && !std::is_same_v<T, bool>;

/// An element that can be packed in registers: such an integer, or a 16-bit float.
template <class T>
concept packable = small_integer<T> || is_half_v<T>;

/// Number of elements of type `T` in a 32-bit register.
template <packable T>
inline constexpr int packed_count = static_cast<int>(4 / sizeof(T));

/// Element `k` of a register: that in the k-th lowest bytes, as in memory on a little-endian
/// machine. Signed elements keep their sign.
template <packable T>
WARPFOLD_HD constexpr T unpack(std::uint32_t packed, int k) {
  const std::uint32_t bits = packed >> (k * 8 * static_cast<int>(sizeof(T)));
  if constexpr (small_integer<T>) {
    return static_cast<T>(bits);
  } else {
    return __builtin_bit_cast(T, static_cast<std::uint16_t>(bits));
  }
}

/// The register that holds `elements`, the first in the lowest bits; the inverse of `unpack`.
template <packable T>
WARPFOLD_HD constexpr std::uint32_t pack(const T (&elements)[packed_count<T>]) {
  using bits = std::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint16_t>;
  std::uint32_t packed = 0;
  for (int k = 0; k < packed_count<T>; ++k) {
    packed |= static_cast<std::uint32_t>(__builtin_bit_cast(bits, elements[k]))
              << (k * 8 * static_cast<int>(sizeof(T)));
  }
  return packed;
}

}  // namespace detail

}  // namespace warpfold
