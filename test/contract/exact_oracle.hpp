/// Exact sums by an integer library, and rounding by comparison of neighbors.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace test {

/// An integer number of 2^-1074.
using exact_integer = boost::multiprecision::cpp_int;

inline exact_integer exactly(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);  // 53 digits after the point
  exact_integer digits = static_cast<long long>(std::ldexp(fraction, 53));
  const int shift = exponent - 53 + 1074;
  if (shift >= 0) return digits << static_cast<unsigned>(shift);
  return digits / (exact_integer(1) << static_cast<unsigned>(-shift));  // below the normal numbers
}

template <class T>
exact_integer exactly_sum(const std::vector<T>& numbers) {
  exact_integer sum = 0;
  for (const T x : numbers) sum += exactly(static_cast<double>(x));
  return sum;
}

/// True if `rounded` is the number of type T nearest to `sum`, and even if two are.
template <class T>
bool is_nearest(T rounded, const exact_integer& sum) {
  using limits = std::numeric_limits<T>;
  // The number that would come after the greatest rounds to infinity.
  const exact_integer beyond = exactly(static_cast<double>(limits::max())) +
                               (exactly(static_cast<double>(limits::max())) -
                                exactly(static_cast<double>(std::nextafter(limits::max(), T(0)))));
  const auto value = [&](T x) -> exact_integer {
    if (std::isinf(x)) return x > 0 ? beyond : exact_integer(-beyond);
    return exactly(static_cast<double>(x));
  };
  const exact_integer distance = abs(exact_integer(value(rounded) - sum));
  if (std::isinf(rounded) && abs(sum) >= beyond && (rounded > 0) == (sum > 0)) return true;
  for (const T toward : {-limits::infinity(), limits::infinity()}) {
    if (rounded == toward) continue;
    const T neighbor = std::nextafter(rounded, toward);
    const exact_integer other = abs(exact_integer(value(neighbor) - sum));
    if (other < distance) return false;
    if (other == distance) {  // a tie: the last digit is even; infinity counts as even
      const exact_integer step = abs(exact_integer(value(neighbor) - value(rounded)));
      if (!std::isinf(rounded) && (value(rounded) / step) % 2 != 0) return false;
    }
  }
  return true;
}

}  // namespace test
