/// @file
/// Numbers of the kinds that exact sums tell apart, and the comparison of their sums.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace test {

enum class exact_kind {
  similar,         ///< their sums fit a double
  wide,            ///< of all exponents
  by_turns,        ///< 300 similar ones, then 300 wide ones
  special,         ///< infinities, NaN and zeros among similar ones
  negative_zeros,  ///< only -0
  zeros,           ///< of both signs
  tiny             ///< 0, and numbers below the normal ones
};

/// @param row counts for `by_turns`
template <class T>
T number_of_kind(exact_kind kind, std::size_t row, std::mt19937_64& random) {
  using limits = std::numeric_limits<T>;
  std::normal_distribution<double> normal;
  const auto any = random();
  if (kind == exact_kind::negative_zeros) return T(-0.0);
  if (kind == exact_kind::zeros) return any % 9 == 0 ? T(0) : T(-0.0);
  if (kind == exact_kind::tiny) return static_cast<T>(any % 9) * -limits::denorm_min();
  if (kind == exact_kind::special) {
    if (any % 40 == 0) return any % 80 == 0 ? limits::infinity() : -limits::infinity();
    if (any % 41 == 0) return limits::quiet_NaN();
    if (any % 7 == 0) return T(-0.0);
  }
  const auto x = static_cast<T>(normal(random));
  const bool is_wide =
      kind == exact_kind::wide || (kind == exact_kind::by_turns && row / 300 % 2 != 0);
  const int range = limits::max_exponent - 4;
  return is_wide ? std::ldexp(x, static_cast<int>(any % static_cast<unsigned>(2 * range)) - range)
                 : x;
}

constexpr exact_kind all_exact_kinds[] = {
    exact_kind::similar, exact_kind::wide,           exact_kind::by_turns, exact_kind::special,
    exact_kind::zeros,   exact_kind::negative_zeros, exact_kind::tiny};

template <class T>
std::vector<T> numbers_of_kind(exact_kind kind, std::size_t n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = number_of_kind<T>(kind, i, random);
  return v;
}

/// True for equal sums: of the same sign if they are 0, or both NaN.
inline bool is_same_sum(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}
template <class T>
bool is_same_sum(const std::complex<T>& a, const std::complex<T>& b) {
  return is_same_sum(a.real(), b.real()) && is_same_sum(a.imag(), b.imag());
}

}  // namespace test
