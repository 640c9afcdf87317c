/// @file
/// The sum and the maximum of integers over a warp, with the hardware's of 32-bit integers.
///
/// A shuffle step takes about 30 cycles for 64 bits, and five steps are needed. redux.sync (compute
/// capability 8.0) is one instruction for 32 bits. Three of them, on parts whose 32-fold sums fit
/// 32 bits, give the 64-bit sum, and they overlap.
#pragma once

#include <cstdint>
#include <type_traits>

#include <warpfold/collective/shuffle.hpp>
#include <warpfold/op/fold.hpp>

namespace warpfold::collective {

namespace detail {

// True if a fold is such a sum. Derived ops are other ops.
template <class Fold>
inline constexpr bool sums_words = false;
template <class Op, class A>
  requires(std::is_integral_v<A> && sizeof(A) == 8 &&
           requires {
             requires std::is_same_v<typename Op::exactly, Op>;
             requires Op::adds_integers;
           })
inline constexpr bool sums_words<fold<Op, A, true>> = true;

}  // namespace detail

/// The sum over the 32 lanes, all of which must call it; it wraps. Valid in every lane.
template <class T>
WARPFOLD_DEVICE T warp_sum(T value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  using word = std::conditional_t<sizeof(T) <= 4, std::uint32_t, std::uint64_t>;
  auto bits = static_cast<word>(value);
  for (unsigned apart = warp_size / 2; apart > 0; apart /= 2) bits += shuffle_xor(bits, apart);
  return static_cast<T>(bits);
#else
  if constexpr (sizeof(T) <= 4) {
    return static_cast<T>(__reduce_add_sync(full_warp, static_cast<std::uint32_t>(value)));
  } else {
    constexpr std::uint32_t piece = (1u << 27) - 1;
    const auto bits = static_cast<std::uint64_t>(value);
    const std::uint64_t low =
        __reduce_add_sync(full_warp, static_cast<std::uint32_t>(bits) & piece);
    const std::uint64_t middle =
        __reduce_add_sync(full_warp, static_cast<std::uint32_t>(bits >> 27) & piece);
    const std::uint64_t high = __reduce_add_sync(full_warp, static_cast<std::uint32_t>(bits >> 54));
    return static_cast<T>(low + (middle << 27) + (high << 54));
  }
#endif
}

/// The largest value of the 32 lanes, all of which must call it. Result: valid in every lane.
WARPFOLD_DEVICE inline unsigned warp_max(unsigned value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  for (unsigned apart = warp_size / 2; apart > 0; apart /= 2) {
    const unsigned other = shuffle_xor(value, apart);
    if (other > value) value = other;
  }
  return value;
#else
  return __reduce_max_sync(full_warp, value);
#endif
}

}  // namespace warpfold::collective
