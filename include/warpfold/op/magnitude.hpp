/// @file
/// `magnitude`: the absolute value of a real or complex number.
#pragma once

#include <cmath>
#include <type_traits>

#include <warpfold/op/complex.hpp>
#include <warpfold/op/extrema.hpp>

namespace warpfold {

/// The absolute value, as a projection: unsigned for integers, `float` for 16-bit floats, otherwise
/// the number's own type. The magnitude of -0 is 0.
///
/// For complex numbers it is the square root of the sum of both squares, in the type of the parts,
/// without overflow or underflow. NaN if a part is NaN, otherwise infinity if a part is infinite
/// (C's hypot prefers infinity).
struct magnitude {
  template <class T>
    requires is_number_v<T>
  WARPFOLD_HD constexpr auto operator()(const T& x) const {
    if constexpr (is_half_v<T>) {
      return without_sign(static_cast<float>(x));
    } else if constexpr (std::is_integral_v<T>) {
      // Unsigned, so that the least value has a magnitude too.
      using U = typename std::conditional_t<(sizeof(T) > 8), std::make_unsigned<T>,
                                            std::type_identity<unsigned long long>>::type;
      if constexpr (std::is_signed_v<T>) {
        return x < T{0} ? U{0} - static_cast<U>(x) : static_cast<U>(x);
      } else {
        return static_cast<U>(x);
      }
    } else if constexpr (detail::is_ieee_v<T>) {
      return without_sign(x);
    } else {
      return x < T{0} ? -x : x + T{0};
    }
  }

  template <complex_number T>
  WARPFOLD_HD auto operator()(const T& z) const {
    using R = std::conditional_t<is_half_v<complex_part_t<T>>, float, complex_part_t<T>>;
    const auto parts = detail::parts_of(z);
    const R x = static_cast<R>(parts.first), y = static_cast<R>(parts.second);
    return x != x || y != y ? x + y : std::hypot(x, y);
  }

 private:
  // No branch, and no special case for -0.
  template <class T>
  static WARPFOLD_HD constexpr T without_sign(T x) {
    using bits = detail::bits_of<T>;
    return __builtin_bit_cast(
        T, static_cast<bits>(__builtin_bit_cast(bits, x) & (static_cast<bits>(~bits{}) >> 1)));
  }
};

}  // namespace warpfold
