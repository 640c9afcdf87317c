/// @file
/// The least or greatest integer, float or double of a warp, by reductions of 32-bit integers.
///
/// redux.sync (compute capability 8.0) is one instruction for all 32 lanes; shuffles take five
/// steps. 64 bits take two: one for the upper halves, and one for the lower halves of the lanes
/// with that upper half. Minima of 64 KB, H100, graph replay, shuffles -> this: ints 2.23 -> 2.15
/// us, 64-bit integers 2.56 -> 2.43 us, floats 2.34 -> 2.28 us.
#pragma once

#include <cstdint>
#include <type_traits>

#include <warpfold/collective/shuffle.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/fold.hpp>

namespace warpfold::collective {

/// True if `Op` is such an extremum of `A`s. Derived ops are other ops.
template <class Op, class A>
inline constexpr bool extremum_by_word =
    (std::is_same_v<Op, minimum> || std::is_same_v<Op, maximum>) &&
    ((std::is_integral_v<A> && sizeof(A) <= 8) || warpfold::detail::is_ieee_v<A>);

namespace detail {

// True if a fold is such an extremum.
template <class Fold>
inline constexpr bool is_extremum_by_word = false;
template <class Op, class A>
inline constexpr bool is_extremum_by_word<fold<Op, A, true>> = extremum_by_word<Op, A>;

}  // namespace detail

/// The extremum over the 32 lanes, all of which must call it. Valid in every lane.
template <class Op, class T>
WARPFOLD_DEVICE T warp_extremum(T value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  for (unsigned apart = warp_size / 2; apart > 0; apart /= 2) {
    value = Op{}(value, shuffle_xor(value, apart));
  }
  return value;
#else
  constexpr bool is_least = std::is_same_v<Op, minimum>;
  using register_type = std::conditional_t<std::is_signed_v<T>, int, unsigned>;
  const auto of_registers = [](register_type x) {
    return is_least ? __reduce_min_sync(full_warp, x) : __reduce_max_sync(full_warp, x);
  };
  if constexpr (warpfold::detail::is_ieee_v<T>) {
    // Numbers map to integers in the same order, a NaN beyond all and back to a NaN.
    using integer = std::make_signed_t<warpfold::detail::bits_of<T>>;
    constexpr auto greatest =
        static_cast<integer>(static_cast<warpfold::detail::bits_of<T>>(-1) >> 1);
    integer bits;  // a bit_cast crashes nvcc 13.0 here
    __builtin_memcpy(&bits, &value, sizeof bits);
    const integer number = bits < 0 ? bits ^ greatest : bits;
    const integer beyond = is_least ? -greatest - 1 : greatest;
    const integer found = warp_extremum<Op>(value == value ? number : beyond);
    bits = found < 0 ? found ^ greatest : found;
    __builtin_memcpy(&value, &bits, sizeof bits);
    return value;
  } else if constexpr (sizeof(T) <= 4) {
    return static_cast<T>(of_registers(static_cast<register_type>(value)));
  } else {
    const auto high = static_cast<register_type>(value >> 32);
    const register_type best = of_registers(high);
    const unsigned none = is_least ? 0xffffffffu : 0;
    const unsigned low = high == best ? static_cast<unsigned>(value) : none;
    const unsigned best_low =
        is_least ? __reduce_min_sync(full_warp, low) : __reduce_max_sync(full_warp, low);
    return static_cast<T>(static_cast<std::uint64_t>(static_cast<unsigned>(best)) << 32 | best_low);
  }
#endif
}

}  // namespace warpfold::collective
