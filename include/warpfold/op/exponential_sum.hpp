/// @file
/// The sum of the exponentials of numbers, which neither overflows nor underflows: for softmax and
/// `log_sum_exp`.
///
/// - Idea: e^x is 2^k times a number near 1, with an integer k. The exponent of a sum is the
///   greatest k of its terms. A merge scales by powers of two, which is exact, and then adds. There
///   is one exponential for each element, and none for a merge.
/// - The exponential is the Taylor polynomial of degree 7 or 13 of the remainder, which is at most
///   half of ln(2) for numbers up to 2^20. All products are rounded, so every processor gives the
///   same bits.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <warpfold/op/fold_order.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/rounded_product.hpp>
#include <warpfold/op/traits.hpp>

namespace warpfold {

/// A sum of exponentials: `sum` times 2^`exponent`.
struct exponential_sum {
  double sum;
  double exponent;  ///< an integer; any number if elements exceed 2^50

  /// The natural logarithm; -infinity without elements.
  WARPFOLD_HD double log() const {
    return detail::rounded_product(exponent, 0x1.62e42fefa39efp-1) + ::log(sum);
  }

  friend WARPFOLD_HD constexpr bool operator==(const exponential_sum& a, const exponential_sum& b) {
    return a.sum == b.sum && a.exponent == b.exponent;
  }
};

namespace detail {

// e^r for |r| up to about ln(2) / 2, by its Taylor polynomial.
template <class R>
WARPFOLD_HD constexpr R exponential_near_1(R r) {
  constexpr int degree = sizeof(R) == 4 ? 7 : 13;
  constexpr double inverse_factorial[] = {1.0,
                                          1.0,
                                          1.0 / 2,
                                          1.0 / 6,
                                          1.0 / 24,
                                          1.0 / 120,
                                          1.0 / 720,
                                          1.0 / 5040,
                                          1.0 / 40320,
                                          1.0 / 362880,
                                          1.0 / 3628800,
                                          1.0 / 39916800,
                                          1.0 / 479001600,
                                          1.0 / 6227020800};
  R e = static_cast<R>(inverse_factorial[degree]);
  WARPFOLD_UNROLL
  for (int k = degree - 1; k >= 0; --k) {
    e = rounded_product(e, r) + static_cast<R>(inverse_factorial[k]);
  }
  return e;
}

// 2^-distance for a distance from 0 on, without its fraction. From 1000 on 2^-1000: no sum that is
// not 0 changes by a term so much smaller.
template <class Distance>
WARPFOLD_HD constexpr double power_of_half(Distance distance) {
  const int whole = distance < 1000 ? static_cast<int>(distance) : 1000;
  return __builtin_bit_cast(double, static_cast<std::uint64_t>(1023 - whole) << 52);
}

}  // namespace detail

/// Adds the exponentials of numbers. Its result is the natural logarithm of the sum, a `double`; an
/// output of `exponential_sum` gets the sum.
///
/// - Order: as for `reduce`. `finish` takes a logarithm of the processor, so the last bit of the
///   result may differ between a GPU and a host.
/// - Error: an exponential has at most 3 roundings, of `float` for `float` and 16-bit floats, and
///   of `double` for others. For elements above 10^6, the remainder has the rounding of the
///   element. Sums are in `double`. Elements beyond 1.24e308 count as 1.24e308, of either sign.
/// - Cost: a state of 16 bytes; about 20 operations an element.
/// - Identity: the sum of no exponentials, whose logarithm is -infinity.
struct log_sum_exp_op {
  using exactly = log_sum_exp_op;

  template <class>
  using accumulator = exponential_sum;

  template <class T>
    requires is_number_v<T>
  WARPFOLD_HD constexpr exponential_sum lift(const T& number) const {
    using R = std::conditional_t<is_short<T>, float, double>;
    const double x = detail::as_double{}(number);
    const double power = detail::rounded_product(x, 0x1.71547652b82fep0);
    const double rounded = power + __builtin_copysign(0.5, power);
    if (x < 0x1p50 && x > -0x1p50) [[likely]] {
      const auto k = static_cast<double>(static_cast<long long>(rounded));
      return {static_cast<double>(detail::exponential_near_1(static_cast<R>(remainder(x, k)))), k};
    }
    // So large that the remainder is less than the rounding of the element; infinite; or NaN.
    if (x >= -greatest && x <= greatest) {
      return {1, power < -greatest ? -greatest : power > greatest ? greatest : power};
    }
    if (x < 0) return {0, -infinity};
    return {x, 0};
  }

  template <std::same_as<exponential_sum> State>
  WARPFOLD_HD constexpr State identity() const {
    return {0, -infinity};
  }

  WARPFOLD_HD constexpr exponential_sum operator()(const exponential_sum& a,
                                                   const exponential_sum& b) const {
    const double most = a.exponent < b.exponent ? b.exponent : a.exponent;
    return {scaled(a, most) + scaled(b, most), most};
  }

  /// Folds `Count` neighbors with the bits of the merges (`folds_neighbors`, op/lift.hpp): all are
  /// scaled by one power of two each. Loops that compilers vectorize.
  WARPFOLD_ANY_SIDE
  template <int Count, class Element, class Lifted>
  WARPFOLD_HD exponential_sum fold_neighbors(const Element& element, const Lifted& lifted) const {
    using R =
        std::conditional_t<is_short<std::remove_cvref_t<decltype(element(0))>>, float, double>;
    double x[std::size_t{Count}] = {};
    bool are_near = true;
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k) {
      x[k] = detail::as_double{}(element(k));
      are_near = are_near & is_near(x[k]);
    }
    if (!are_near) [[unlikely]] {
      exponential_sum own[std::size_t{Count}] = {};
      WARPFOLD_UNROLL
      for (int k = 0; k < Count; ++k) own[k] = lifted(k);
      return detail::fold_node<Count>(*this, [&](std::size_t k) { return own[k]; }, 0);
    }
    int exponents[std::size_t{Count}] = {}, most = 0;
    R terms[std::size_t{Count}] = {};
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k) {
      const double power = detail::rounded_product(x[k], 0x1.71547652b82fep0);
      exponents[k] = static_cast<int>(power + __builtin_copysign(0.5, power));
      terms[k] = static_cast<R>(remainder(x[k], exponents[k]));
    }
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k) terms[k] = detail::exponential_near_1(terms[k]);
    most = exponents[0];
    WARPFOLD_UNROLL
    for (int k = 1; k < Count; ++k) most = most < exponents[k] ? exponents[k] : most;
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k) {
      x[k] = static_cast<double>(terms[k]) * detail::power_of_half(most - exponents[k]);
    }
    const auto add = [](double a, double b) { return a + b; };
    return {detail::fold_levels<std::size_t{Count}>(add, x), static_cast<double>(most)};
  }

  WARPFOLD_HD double finish(const exponential_sum& a) const { return a.log(); }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr double greatest = 0x1.fffffffffffffp1023;

  template <class T>
  static constexpr bool is_short = is_half_v<T> || std::is_same_v<T, float>;

  // The sum for the exponent `most`: exact. No difference of two infinities.
  static WARPFOLD_HD constexpr double scaled(const exponential_sum& a, double most) {
    return a.exponent == most ? a.sum : a.sum * detail::power_of_half(most - a.exponent);
  }
  // So that the difference of two exponents fits an int.
  static WARPFOLD_HD constexpr bool is_near(double x) { return x < 0x1p29 && x > -0x1p29; }

  // x - k ln(2). In two parts: the product with the first one is exact for k up to 2^21.
  static WARPFOLD_HD constexpr double remainder(double x, double k) {
    return (x - detail::rounded_product(k, 0x1.62e42feep-1)) -
           detail::rounded_product(k, 0x1.a39ef35793c76p-33);
  }
};

}  // namespace warpfold
