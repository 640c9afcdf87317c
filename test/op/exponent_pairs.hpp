/// Two numbers of every pair of exponents. The processor rounds their sum and their product once,
/// and so it is an oracle for exact sums.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace test {

/// A number of each exponent, those below the normal numbers among them, with digits of its own.
template <class T>
std::vector<T> numbers_of_all_exponents(std::uint64_t seed) {
  using limits = std::numeric_limits<T>;
  std::vector<T> numbers;
  std::uint64_t bits = seed * 2 + 1;
  for (int e = limits::min_exponent - limits::digits; e < limits::max_exponent; ++e) {
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    const double digits = 1 + static_cast<double>(bits >> 12) * 0x1p-52;
    const T x = std::ldexp(static_cast<T>(digits < 2 ? digits : 1), e);
    numbers.push_back((bits & 1) != 0 ? x : -x);
  }
  return numbers;
}

/// The number of pairs for which `is_right(x, y)` is false.
template <class T, class F>
std::size_t wrong_pairs(const F& is_right) {
  const std::vector<T> left = numbers_of_all_exponents<T>(1),
                       right = numbers_of_all_exponents<T>(2);
  std::size_t wrong = 0;
  for (const T x : left) {
    for (const T y : right) wrong += is_right(x, y) ? 0 : 1;
  }
  return wrong;
}

}  // namespace test
