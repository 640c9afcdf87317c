/// @file
/// e^x as 2^k times a number near 1, with an integer k: the arithmetic of `exponential_sum`.
///
/// - The number near 1 is a polynomial of the remainder x - k ln(2), of degree 6 for `float` and 11
///   for `double`. All products are rounded or exact, so every processor gives the same bits.
/// - Cost: GPUs convert numbers at a quarter of the rate of additions, and to and from 64 bits at
///   less. So k is rounded by an addition, and stays in the last places of its sum. Terms of
///   `float` become doubles, and are scaled, by operations on their bits.
#pragma once

#include <cstdint>

#include <warpfold/op/rounded_product.hpp>

namespace warpfold {

namespace detail {

// e^r for |r| up to ln(2) / 2. The coefficients of least error, each rounded before the next is
// found: the error is at most 2^-28 of the result, besides the roundings.
WARPFOLD_HD constexpr float exponential_near_1(float r) {
  float e = 0x1.6a4f82p-10f;
  e = rounded_product(e, r) + 0x1.123984p-7f;
  e = rounded_product(e, r) + 0x1.5558aep-5f;
  e = rounded_product(e, r) + 0x1.555492p-3f;
  e = rounded_product(e, r) + 0x1.fffffcp-2f;
  e = rounded_product(e, r) + 1;
  return rounded_product(e, r) + 1;
}

// The same for doubles: at most 2^-57. No loop over an array, which GCC does not unroll in time to
// vectorize the loop over elements.
WARPFOLD_HD constexpr double exponential_near_1(double r) {
  double e = 0x1.ad9f07b5b965ap-26;
  e = rounded_product(e, r) + 0x1.28ae0980dd77ep-22;
  e = rounded_product(e, r) + 0x1.71df1114c80c1p-19;
  e = rounded_product(e, r) + 0x1.a01999529732ap-16;
  e = rounded_product(e, r) + 0x1.a01a013392177p-13;
  e = rounded_product(e, r) + 0x1.6c16c1847ae01p-10;
  e = rounded_product(e, r) + 0x1.1111111125ff3p-7;
  e = rounded_product(e, r) + 0x1.55555555506b0p-5;
  e = rounded_product(e, r) + 0x1.5555555555501p-3;
  e = rounded_product(e, r) + 0x1.000000000000ap-1;
  e = rounded_product(e, r) + 1;
  return rounded_product(e, r) + 1;
}

// x / ln(2) as an integer, for |x| up to 2^50. Such a large sum has no fraction.
WARPFOLD_HD constexpr double nearest_exponent(double x) {
  const double power = rounded_product(x, 0x1.71547652b82fep0);
#if defined(__FAST_MATH__)
  return static_cast<double>(static_cast<long long>(power));  // the sums would cancel
#else
  return (power + 0x1.8p52) - 0x1.8p52;
#endif
}

// x - k ln(2). In two parts: the product with the first one is exact for k up to 2^21.
WARPFOLD_HD constexpr double remainder_for(double x, double k) {
  return (x - rounded_product(k, 0x1.62e42feep-1)) - rounded_product(k, 0x1.a39ef35793c76p-33);
}

// e^x as e^remainder times 2^k. `biased` is k + `bias`.
template <class R>
struct split_exponential;

template <>
struct split_exponential<float> {
  float remainder;
  std::uint32_t biased;

  // The bits of 1.5 * 2^23. The last places of 1.5 * 2^23 + k hold k.
  static constexpr std::uint32_t bias = 0x4b400000;

  // |k| is then at most 370: it has 9 bits, and a term of a sum is not subnormal.
  static WARPFOLD_HD constexpr bool admits(float x) { return __builtin_fabsf(x) < 256; }

  static WARPFOLD_HD constexpr split_exponential of(float x) {
    const float sum = rounded_product(x, 0x1.715476p0f) + 0x1.8p23f;
    const auto biased = __builtin_bit_cast(std::uint32_t, sum);
#if defined(__FAST_MATH__)
    const auto k = static_cast<float>(static_cast<std::int32_t>(biased - bias));
#else
    const float k = sum - 0x1.8p23f;
#endif
    // Both parts of ln(2) have 15 bits. So both products are exact, also if they are fused.
    return {(x - k * 0x1.62e4p-1f) - k * 0x1.7f7cp-20f, biased};
  }
};

template <>
struct split_exponential<double> {
  double remainder;
  std::uint32_t biased;

  static constexpr std::uint32_t bias = 0x80000000;

  // |k| then has less than 31 bits.
  static WARPFOLD_HD constexpr bool admits(double x) { return __builtin_fabs(x) < 0x1p29; }

  static WARPFOLD_HD constexpr split_exponential of(double x) {
    const double k = nearest_exponent(x);
    const auto bits = __builtin_bit_cast(std::uint64_t, k + (0x1p52 + bias));
    return {remainder_for(x, k), static_cast<std::uint32_t>(bits)};
  }
};

// near_1 * 2^-distance by its bits; it must not be subnormal.
WARPFOLD_HD constexpr double scaled(float near_1, std::uint32_t distance) {
  const std::uint64_t bits = __builtin_bit_cast(std::uint32_t, near_1);
  const std::uint64_t exponent = 1023 - 127 - distance;
  return __builtin_bit_cast(double, (bits << 29) + (exponent << 52));
}
WARPFOLD_HD constexpr double scaled(double near_1, std::uint32_t distance) {
  const auto bits = __builtin_bit_cast(std::uint64_t, near_1);
  return __builtin_bit_cast(double, bits - (static_cast<std::uint64_t>(distance) << 52));
}

// k of `biased`, without a conversion of an integer.
template <class R>
WARPFOLD_HD constexpr double exponent_of(std::uint32_t biased) {
  const std::uint64_t bits = 0x4330000000000000 | biased;
  return __builtin_bit_cast(double, bits) - (0x1p52 + split_exponential<R>::bias);
}

// 2^-|distance|, without its fraction. From 1000 on, and for NaN, 2^-1000: no sum that is not 0
// changes by a term so much smaller. The first word of a double has all bits of such a distance.
WARPFOLD_HD constexpr double power_of_half(double distance) {
  constexpr std::uint32_t limit = 0x408f4000;  // the first word of 1000.0
  const auto bits = __builtin_bit_cast(std::uint64_t, distance);
  const std::uint32_t word = static_cast<std::uint32_t>(bits >> 32) & 0x7fffffff;
  const std::uint64_t clamped = word < limit ? word : limit;
  const double sum = __builtin_bit_cast(double, clamped << 32) + 0x1p52;
  const auto whole = static_cast<std::uint32_t>(__builtin_bit_cast(std::uint64_t, sum));
  return __builtin_bit_cast(double, static_cast<std::uint64_t>(1023 - whole) << 52);
}

}  // namespace detail

}  // namespace warpfold
