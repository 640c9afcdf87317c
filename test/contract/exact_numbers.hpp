/// Numbers that are hard to add.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

namespace test {

enum class shape { normal, uniform, lognormal, any_exponent, cancelling, below_normal };

/// @param seed other numbers of the same shape
template <class T>
std::vector<T> numbers(shape s, std::size_t n, std::size_t seed = 0) {
  std::mt19937_64 random(n + (seed << 32));
  std::normal_distribution<double> normal;
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double x = normal(random);
    constexpr int exponents = std::numeric_limits<T>::max_exponent - 2;
    switch (s) {
      case shape::normal:
        v[i] = static_cast<T>(x);
        break;
      case shape::uniform:
        v[i] = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-53);
        break;
      case shape::lognormal:
        v[i] = static_cast<T>(std::exp(10 * x));
        break;
      case shape::any_exponent:
        v[i] = static_cast<T>(
            std::ldexp(x / 8, static_cast<int>(random() % (2 * exponents)) - exponents));
        break;
      case shape::cancelling:
        v[i] = i % 2 == 0 ? static_cast<T>(1e6 * x) : static_cast<T>(-v[i - 1]);
        if (i % 97 == 1) v[i] = std::numeric_limits<T>::epsilon();
        break;
      case shape::below_normal:
        v[i] = static_cast<T>(x) * (16 * std::numeric_limits<T>::min());
        break;
    }
  }
  return v;
}

constexpr shape shapes[] = {shape::normal,       shape::uniform,    shape::lognormal,
                            shape::any_exponent, shape::cancelling, shape::below_normal};

}  // namespace test
