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

/// The sum of products, an integer number of 2^-2148.
template <class T, class U>
exact_integer exactly_dot(const std::vector<T>& a, const std::vector<U>& b) {
  exact_integer sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += exactly(static_cast<double>(a[i])) * exactly(static_cast<double>(b[i]));
  }
  return sum;
}

/// The divisor that makes an integer number of 2^-2148 one of 2^-1074.
inline exact_integer of_products() { return exact_integer(1) << 1074U; }

/// A number, or the one that would come after the greatest: it rounds to infinity.
template <class T>
exact_integer exactly_or_beyond(T x) {
  if (!std::isinf(x)) return exactly(static_cast<double>(x));
  const T max = std::numeric_limits<T>::max();
  const exact_integer greatest = exactly(static_cast<double>(max));
  const exact_integer beyond =
      greatest + (greatest - exactly(static_cast<double>(std::nextafter(max, T(0)))));
  return x > 0 ? beyond : exact_integer(-beyond);
}

/// True if no neighbor of `rounded` is right instead of it. `halfway(a, b)` is -1 if the exact
/// result is below the middle between two numbers, 1 if it is above, and 0 if it is there; the even
/// number is then right, and infinity counts as even.
template <class T, class Halfway>
bool is_right_neighbor(T rounded, const Halfway& halfway) {
  using limits = std::numeric_limits<T>;
  for (const T toward : {-limits::infinity(), limits::infinity()}) {
    if (rounded == toward) continue;
    const T neighbor = std::nextafter(rounded, toward);
    const exact_integer a = exactly_or_beyond(rounded), b = exactly_or_beyond(neighbor);
    const int side = halfway(a, b) * (toward > 0 ? 1 : -1);
    const exact_integer step = abs(exact_integer(b - a));
    const bool is_odd = !std::isinf(rounded) && (a / step) % 2 != 0;
    if (side > 0 || (side == 0 && is_odd)) return false;
  }
  return true;
}

/// True if `rounded` is the number of type T nearest to `sum` / `by`, and even if two are.
template <class T>
bool is_nearest(T rounded, const exact_integer& sum, const exact_integer& by = 1) {
  return is_right_neighbor(rounded, [&](const exact_integer& a, const exact_integer& b) {
    return exact_integer(2 * sum).compare(exact_integer((a + b) * by));
  });
}

/// True if `rounded` is nearest to the square root of `sum` / `by`. The unit of `sum` is 2^-2148.
template <class T>
bool is_nearest_root(T rounded, const exact_integer& sum, const exact_integer& by = 1) {
  if (sum == 0) return rounded == 0;
  return rounded >= 0 &&
         is_right_neighbor(rounded, [&](const exact_integer& a, const exact_integer& b) {
           const exact_integer both = a + b;
           if (both < 0) return 1;
           return exact_integer(4 * sum).compare(exact_integer(both * both * by));
         });
}

}  // namespace test
