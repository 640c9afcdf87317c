// exact_sum against integers of any length: all pairs of exponents, halfway cases, the edges of
// overflow and underflow, signs of zero, products, quotients, roots, and states whose words others
// have added.
// needs: boost
#include <warpfold/op/exact_sum.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "contract/exact_oracle.hpp"
#include "op/exponent_pairs.hpp"

namespace wf = warpfold;

namespace {

using test::exact_integer;
using test::exactly;

template <class T>
wf::exact_sum<T> sum_of(const std::vector<T>& numbers) {
  wf::exact_sum<T> sum;
  for (const T x : numbers) sum.add(x);
  return sum;
}

template <class T>
std::size_t wrong_roundings(const std::vector<T>& numbers) {
  const auto sum = sum_of(numbers);
  const auto exact = test::exactly_sum(numbers);
  return !test::is_nearest(sum.template rounded<float>(), exact) +
         !test::is_nearest(sum.template rounded<double>(), exact);
}

/// A number with random digits and the given exponent.
template <class T, class Random>
T random_number(Random& random, int exponent) {
  std::uniform_real_distribution<double> digits(1, 2);
  const double x = std::ldexp(digits(random), exponent);
  return static_cast<T>(random() % 2 == 0 ? x : -x);
}

template <class T>
constexpr bool is_negative_zero(T x) {
  return x == 0 && std::signbit(x);
}

}  // namespace

TEST_CASE_TEMPLATE("sums of a few numbers of any exponents are the nearest numbers", T, float,
                   double) {
  using limits = std::numeric_limits<T>;
  std::mt19937_64 random(1);
  std::size_t wrong = 0;
  constexpr int step = std::is_same_v<T, float> ? 3 : 29;
  for (int a = limits::min_exponent - limits::digits; a < limits::max_exponent; a += step) {
    for (int b = limits::min_exponent - limits::digits; b < limits::max_exponent; b += step) {
      const T x = random_number<T>(random, a), y = random_number<T>(random, b);
      if (std::isinf(x) || std::isinf(y)) continue;
      wrong += wrong_roundings<T>({x, y});
      wrong += wrong_roundings<T>({x, y, static_cast<T>(-x)});
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("every pair of exponents: sums and products as the processor rounds them", T,
                   float, double) {
  CHECK(test::wrong_pairs<T>([](T x, T y) {
          wf::exact_sum<T> sum(x);
          sum.add(y);
          return sum.rounded() == x + y;
        }) == 0);
  // Of doubles the pairs of every eighth sum of exponents: they take seconds.
  CHECK(test::wrong_pairs<T>([](T x, T y) {
          if (!std::is_same_v<T, float> && (std::ilogb(x) + std::ilogb(y)) % 8 != 0) return true;
          wf::exact_sum<T, 2> sum;
          sum.add(x, y);
          const T product = sum.rounded();
          sum.add(x);
          return product == x * y && sum.rounded() == std::fma(x, y, x);
        }) == 0);
}

TEST_CASE_TEMPLATE("halfway cases round to even, unless a far smaller number decides", T, float,
                   double) {
  using limits = std::numeric_limits<T>;
  const T half = limits::epsilon() / 2, tiny = limits::denorm_min();
  CHECK(sum_of<T>({1, half}).rounded() == 1);
  CHECK(sum_of<T>({1, half, tiny}).rounded() == 1 + limits::epsilon());
  CHECK(sum_of<T>({1, half, -tiny}).rounded() == 1);
  const T odd = 1 + limits::epsilon();
  CHECK(sum_of<T>({odd, half}).rounded() == 1 + 2 * limits::epsilon());
  CHECK(sum_of<T>({odd, half, -tiny}).rounded() == odd);
  CHECK(sum_of<T>({-odd, -half}).rounded() == -(1 + 2 * limits::epsilon()));
  // The rounding carries into the next exponent.
  CHECK(sum_of<T>({2 - limits::epsilon(), half}).rounded() == 2);
}

TEST_CASE_TEMPLATE("only the exact sum overflows, never a sum on the way", T, float, double) {
  using limits = std::numeric_limits<T>;
  const T max = limits::max(), last = max - std::nextafter(max, T(0));
  CHECK(sum_of<T>({max, max, -max}).rounded() == max);
  CHECK(sum_of<T>({max, max}).rounded() == limits::infinity());
  CHECK(sum_of<T>({-max, -max}).rounded() == -limits::infinity());
  CHECK(sum_of<T>({max, last / 2}).rounded() == limits::infinity());  // a tie
  CHECK(sum_of<T>({max, last / 2, -limits::denorm_min()}).rounded() == max);
  CHECK(sum_of<T>({max, last / 4}).rounded() == max);
}

TEST_CASE_TEMPLATE("sums below the normal numbers are exact", T, float, double) {
  using limits = std::numeric_limits<T>;
  const T tiny = limits::denorm_min(), normal = limits::min();
  CHECK(sum_of<T>({tiny}).rounded() == tiny);
  CHECK(sum_of<T>({normal, -tiny}).rounded() == normal - tiny);
  CHECK(sum_of<T>({normal - tiny, tiny}).rounded() == normal);
  CHECK(sum_of<T>({3 * tiny, -5 * tiny}).rounded() == -2 * tiny);
}

TEST_CASE("a sum of doubles rounds once to float") {
  // To double first, this would be halfway between two floats.
  const double half = std::ldexp(1, -24);
  CHECK(sum_of<double>({1, half, std::ldexp(1, -80)}).rounded<float>() ==
        1 + std::numeric_limits<float>::epsilon());
  CHECK(sum_of<double>({1, half}).rounded<float>() == 1);
  CHECK(sum_of<double>({1e300}).rounded<float>() == std::numeric_limits<float>::infinity());
  CHECK(sum_of<double>({-1e-300}).rounded<float>() == 0);
  CHECK(is_negative_zero(sum_of<double>({-1e-300}).rounded<float>()));
  const auto least = static_cast<double>(std::numeric_limits<float>::denorm_min());
  CHECK(sum_of<double>({least / 2}).rounded<float>() == 0);  // a tie
  CHECK(static_cast<double>(sum_of<double>({least / 2, 1e-300}).rounded<float>()) == least);
  CHECK(sum_of<float>({1, static_cast<float>(std::ldexp(1, -30))}).rounded<double>() ==
        1 + std::ldexp(1, -30));
}

TEST_CASE_TEMPLATE("zeros, infinities and NaN", T, float, double) {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  CHECK_FALSE(std::signbit(sum_of<T>({}).rounded()));
  CHECK(is_negative_zero(sum_of<T>({T(-0.0), T(-0.0)}).rounded()));
  CHECK_FALSE(is_negative_zero(sum_of<T>({T(-0.0), T(0)}).rounded()));
  CHECK_FALSE(is_negative_zero(sum_of<T>({T(-0.0), 1, -1}).rounded()));
  CHECK(sum_of<T>({1, inf, 2}).rounded() == inf);
  CHECK(sum_of<T>({1, -inf, -inf}).rounded() == -inf);
  CHECK(std::isnan(sum_of<T>({inf, 1, -inf}).rounded()));
  CHECK(std::isnan(sum_of<T>({1, nan, inf}).rounded()));
  const T result = sum_of<T>({-nan, 1}).rounded();  // always the same NaN, which is quiet
  CHECK(std::memcmp(&result, &nan, sizeof nan) == 0);
}

TEST_CASE_TEMPLATE("words add up to the state of all numbers, however they were split", T, float,
                   double) {
  std::mt19937_64 random(2);
  std::vector<T> numbers(999);
  for (T& x : numbers) x = random_number<T>(random, static_cast<int>(random() % 200) - 100);
  const T whole = sum_of(numbers).rounded();
  CHECK(test::is_nearest(whole, test::exactly_sum(numbers)));
  wf::exact_sum<T> by_words, by_states;
  for (std::size_t i = 0; i < numbers.size(); i += 37) {
    wf::exact_sum<T> part = sum_of(std::vector<T>(numbers.begin() + static_cast<long>(i),
                                                  numbers.begin() + static_cast<long>(i) + 37));
    by_states.add(part);
    part.normalize();
    for (int k = 0; k < part.word_count; ++k) by_words.words()[k] += part.words()[k];
  }
  CHECK(by_words.rounded() == whole);
  CHECK(by_states.rounded() == whole);
  static_assert(sizeof(wf::exact_sum<T>) == 8 * wf::exact_sum<T>::word_count);
}

TEST_CASE_TEMPLATE("2^62 of the largest numbers have room", T, float, double) {
  wf::exact_sum<T> up(std::numeric_limits<T>::max()), down(-std::numeric_limits<T>::max());
  for (int n = 0; n < 62; ++n) {
    up.add(wf::exact_sum<T>(up));
    down.add(wf::exact_sum<T>(down));
  }
  up.add(T(3));
  CHECK(up.rounded() == std::numeric_limits<T>::infinity());
  CHECK(down.rounded() == -std::numeric_limits<T>::infinity());
  up.add(down);
  CHECK(up.rounded() == 3);
}

TEST_CASE_TEMPLATE("words carry before they overflow", T, float, double) {
  // Doubling a state many times is the sum of 2^n equal numbers.
  const T x = 1 - std::numeric_limits<T>::epsilon() / 2;  // all digits
  wf::exact_sum<T> sum = sum_of<T>({x, -std::numeric_limits<T>::denorm_min()});
  for (int n = 1; n <= 62; ++n) {
    sum.add(wf::exact_sum<T>(sum));
    if (n % 10 != 0 && n != 62) continue;
    const auto exact = test::exactly_sum<T>({x, -std::numeric_limits<T>::denorm_min()})
                       << static_cast<unsigned>(n);
    CHECK(test::is_nearest(sum.rounded(), exact));
  }
}

TEST_CASE_TEMPLATE("sums of products of any exponents are the nearest numbers", T, float, double) {
  using limits = std::numeric_limits<T>;
  std::mt19937_64 random(3);
  std::size_t wrong = 0;
  constexpr int step = std::is_same_v<T, float> ? 7 : 53;
  for (int a = limits::min_exponent - limits::digits; a < limits::max_exponent; a += step) {
    for (int b = limits::min_exponent - limits::digits; b < limits::max_exponent; b += step) {
      const T x = random_number<T>(random, a), y = random_number<T>(random, b);
      if (std::isinf(x) || std::isinf(y)) continue;
      wf::exact_sum<T, 2> sum;
      sum.add(x, y);
      auto exact = exact_integer(exactly(x) * exactly(y));
      const auto check = [&] {
        wrong += !test::is_nearest(sum.template rounded<float>(), exact, test::of_products());
        wrong += !test::is_nearest(sum.template rounded<double>(), exact, test::of_products());
      };
      check();
      // The product is gone, and what is left is far below it.
      const T z = random_number<T>(random, (a + b) / 2 - 30);
      sum.add(static_cast<T>(-x), y);
      sum.add(z, z);
      exact = exactly(z) * exactly(z);
      check();
      sum.add(x);
      exact += exactly(x) << 1074U;
      check();
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("products that overflow cancel, and products that underflow count", T, float,
                   double) {
  using limits = std::numeric_limits<T>;
  const T max = limits::max(), tiny = limits::denorm_min(), inf = limits::infinity();
  wf::exact_sum<T, 2> sum;
  sum.add(max, max);
  CHECK(sum.rounded() == inf);
  sum.add(max, 3);
  sum.add(-max, max);
  sum.add(max, -2);
  CHECK(sum.rounded() == max);
  sum.add(-max);
  CHECK(sum.rounded() == 0);
  CHECK_FALSE(std::signbit(sum.rounded()));
  sum.add(tiny, tiny);
  CHECK(sum.rounded() == 0);
  CHECK(sum.root() == tiny);
  for (int n = 0; n < 62; ++n) sum.add(wf::exact_sum<T, 2>(sum));
  sum.add(tiny);
  sum.add(tiny, static_cast<T>(0.5));
  CHECK(sum.rounded() == 2 * tiny);  // a tie, and 2^62 times the least product
  // 2^62 of the largest products have room.
  wf::exact_sum<T, 2> up, down;
  up.add(max, max);
  down.add(max, -max);
  for (int n = 0; n < 62; ++n) {
    up.add(wf::exact_sum<T, 2>(up));
    down.add(wf::exact_sum<T, 2>(down));
  }
  up.add(3, 2);
  CHECK(up.rounded() == inf);
  CHECK(down.rounded() == -inf);
  up.add(down);
  CHECK(up.rounded() == 6);
}

TEST_CASE_TEMPLATE("signs and special values of products", T, float, double) {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T factors[] = {0, T(-0.0), 1, -2, inf, -inf, nan, -nan, std::numeric_limits<T>::max()};
  for (const T x : factors) {
    for (const T y : factors) {
      CAPTURE(x);
      CAPTURE(y);
      wf::exact_sum<T, 2> sum;
      sum.add(x, y);
      const T got = sum.rounded(), want = x * y;
      CHECK((std::isnan(want) ? std::isnan(got)
                              : got == want && std::signbit(got) == std::signbit(want)));
    }
  }
}

TEST_CASE_TEMPLATE("quotients and roots are the nearest numbers", T, float, double) {
  using limits = std::numeric_limits<T>;
  std::mt19937_64 random(4);
  std::size_t wrong = 0;
  constexpr int step = std::is_same_v<T, float> ? 3 : 29;
  for (int a = limits::min_exponent - limits::digits; a < limits::max_exponent; a += step) {
    const T x = random_number<T>(random, a), y = random_number<T>(random, a - 20);
    if (std::isinf(x)) continue;
    for (const std::uint64_t n :
         {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{1000},
          (std::uint64_t{1} << 62) + 5, std::uint64_t{1} << 63, random() >> 1}) {
      const auto sum = sum_of<T>({x, y});
      const auto exact = test::exactly_sum<T>({x, y});
      wrong += !test::is_nearest(sum.template quotient<float>(n), exact, exact_integer(n));
      wrong += !test::is_nearest(sum.template quotient<double>(n), exact, exact_integer(n));
    }
    wf::exact_sum<T, 2> squares;
    squares.add(x, x);
    const T half = random() % 2 == 0 ? limits::epsilon() : limits::epsilon() * limits::epsilon();
    CHECK(squares.root() == std::fabs(x));
    squares.add(x * half, x);
    exact_integer exact = exactly(x) * exactly(x) + exactly(x * half) * exactly(x);
    wrong += !test::is_nearest_root(squares.template root<float>(), exact);
    wrong += !test::is_nearest_root(squares.template root<double>(), exact);
    squares.add(y, y);
    exact += exactly(y) * exactly(y);
    wrong += !test::is_nearest_root(squares.template root<float>(), exact);
    wrong += !test::is_nearest_root(squares.template root<double>(), exact);
    // The root of a sum of numbers, of any exponent.
    const auto sum = sum_of<T>({std::fabs(x)});
    wrong += !test::is_nearest_root(sum.template root<double>(),
                                    exact_integer(exactly(std::fabs(x)) << 1074U));
  }
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("halfway quotients and roots round to even", T, float, double) {
  const T epsilon = std::numeric_limits<T>::epsilon();
  CHECK(sum_of<T>({2, epsilon}).quotient(2) == 1);
  CHECK(sum_of<T>({2, epsilon, std::numeric_limits<T>::denorm_min()}).quotient(2) == 1 + epsilon);
  CHECK(sum_of<T>({-2, -3 * epsilon}).quotient(2) == -(1 + 2 * epsilon));
  // (1 + e/2)^2 = 1 + e + e^2/4
  CHECK(sum_of<T>({1, epsilon, epsilon * epsilon / 4}).root() == 1);
  const T tiny = std::numeric_limits<T>::denorm_min();
  CHECK(sum_of<T>({1, epsilon, epsilon * epsilon / 4, tiny}).root() == 1 + epsilon);
  CHECK(sum_of<T>({1, epsilon, epsilon * epsilon / 2}).root() == 1 + epsilon);
  CHECK(sum_of<T>({4}).root() == 2);
  CHECK(sum_of<T>({2}).root() == std::sqrt(T(2)));
}

TEST_CASE_TEMPLATE("quotients and roots of zeros, infinities and NaN", T, float, double) {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  CHECK(sum_of<T>({}).quotient(3) == 0);
  CHECK(is_negative_zero(sum_of<T>({T(-0.0)}).quotient(3)));
  CHECK(sum_of<T>({-inf, 1}).quotient(3) == -inf);
  CHECK(std::isnan(sum_of<T>({-inf, inf}).quotient(3)));
  CHECK(is_negative_zero(sum_of<T>({-std::numeric_limits<T>::denorm_min()}).quotient(2)));
  CHECK(sum_of<T>({}).root() == 0);
  CHECK(is_negative_zero(sum_of<T>({T(-0.0)}).root()));
  CHECK(sum_of<T>({inf, 1}).root() == inf);
  CHECK(std::isnan(sum_of<T>({-inf}).root()));
  CHECK(std::isnan(sum_of<T>({nan}).root()));
  CHECK(std::isnan(sum_of<T>({-1}).root()));
}
