// One integer for each exponent: the same sums as number by number.
// needs: boost
#include <warpfold/op/exact_bins.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "contract/exact_oracle.hpp"

namespace wf = warpfold;
namespace detail = warpfold::detail;

namespace {

constexpr std::size_t many = 1 << 16;

template <class T>
wf::exact_sum<T> by_bins(const std::vector<T>& numbers) {
  wf::exact_sum<T> sum;
  detail::exact_bins<T> bins;
  bins.add(sum, numbers.size(), [&](std::size_t i) { return numbers[i]; });
  bins.add_to(sum);
  return sum;
}
template <class T>
wf::exact_sum<T> one_by_one(const std::vector<T>& numbers) {
  wf::exact_sum<T> sum;
  for (const T x : numbers) sum.add(x);
  return sum;
}
template <class T>
bool is_same(const std::vector<T>& numbers) {
  const T a = by_bins(numbers).rounded(), b = one_by_one(numbers).rounded();
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

bool is_zero(double x, bool is_negative) { return x == 0 && std::signbit(x) == is_negative; }

/// A number with any bits: also infinities, NaN and numbers below the normal ones.
template <class T>
T any_number(std::mt19937_64& random) {
  using bits = typename detail::float_format<T>::bits;
  return __builtin_bit_cast(T, static_cast<bits>(random()));
}

}  // namespace

TEST_CASE_TEMPLATE("many zeros and numbers below the normal ones, whose bins carry", T, float,
                   double) {
  using limits = std::numeric_limits<T>;
  for (const T x : {T(0), T(-0.0), limits::denorm_min(), -limits::min() + limits::denorm_min()}) {
    std::vector<T> numbers(20'000, x);
    CHECK(is_same(numbers));
    numbers.push_back(1);
    numbers.push_back(limits::min());
    CHECK(is_same(numbers));
  }
}

TEST_CASE_TEMPLATE("numbers of any bits", T, float, double) {
  std::mt19937_64 random(1);
  std::size_t wrong = 0, finite = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<T> numbers(1 + random() % 40);
    for (T& x : numbers) {
      x = any_number<T>(random);
      if (round % 3 != 0 && !std::isfinite(x)) x = 0;
      if (round % 3 == 2) x = std::ldexp(x, -2 * std::numeric_limits<T>::max_exponent + 20);
    }
    finite += std::isfinite(by_bins(numbers).rounded());
    wrong += !is_same(numbers);
    for (const T x : std::vector<T>(numbers)) numbers.push_back(-x);
    numbers.push_back(std::numeric_limits<T>::denorm_min());
    wrong += !is_same(numbers);
  }
  CHECK(wrong == 0);
  CHECK(finite > 150);
}

TEST_CASE_TEMPLATE("many numbers, of each exponent", T, float, double) {
  using limits = std::numeric_limits<T>;
  for (int e = limits::min_exponent - limits::digits; e < limits::max_exponent;
       e += std::is_same_v<T, float> ? 7 : 61) {
    CAPTURE(e);
    const T greatest = std::ldexp(2 - limits::epsilon(), e);
    std::vector<T> numbers(many, greatest);
    const wf::exact_sum<T> sum = by_bins(numbers);
    CHECK(sum.template quotient<T>(numbers.size()) == greatest);
    numbers.assign(numbers.size(), std::ldexp(T(1), e));  // whole words of first digits
    CHECK(by_bins(numbers).template quotient<T>(numbers.size()) == numbers[0]);
    for (std::size_t i = 0; i < numbers.size(); i += 2) numbers[i] = -numbers[i];
    CHECK(is_zero(by_bins(numbers).rounded(), false));
  }
}

TEST_CASE_TEMPLATE("infinities and NaN", T, float, double) {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  CHECK(by_bins<T>({1, inf, inf, -2}).rounded() == inf);
  CHECK(by_bins<T>({1, -inf}).rounded() == -inf);
  CHECK(std::isnan(by_bins<T>({inf, -inf}).rounded()));
  CHECK(std::isnan(by_bins<T>({1, nan}).rounded()));
  CHECK(std::isnan(by_bins<T>({-nan, inf}).rounded()));
}

TEST_CASE_TEMPLATE("zeros", T, float, double) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{3}, std::size_t{4'096}, many}) {
    CAPTURE(n);
    std::vector<T> numbers(n, T(-0.0));
    CHECK(is_zero(by_bins(numbers).rounded(), true));
    numbers[n / 2] = 0;
    CHECK(is_zero(by_bins(numbers).rounded(), false));
    numbers.assign(n, T(0));
    CHECK(is_zero(by_bins(numbers).rounded(), false));
    numbers[0] = -std::numeric_limits<T>::denorm_min();
    CHECK(by_bins(numbers).rounded() == numbers[0]);
  }
  for (const T x : {T(1), std::numeric_limits<T>::denorm_min()}) {
    CHECK(is_zero(by_bins<T>({T(-0.0), x, -x}).rounded(), false));
  }
}

TEST_CASE("products of floats: doubles whose last digits are below those of the sum") {
  std::mt19937_64 random(3);
  std::size_t wrong = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<float> a(30), b(30);
    wf::exact_sum<float, 2> sum;
    detail::exact_bins<double> bins;
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = any_number<float>(random);
      b[i] = any_number<float>(random);
      if (!std::isfinite(a[i])) a[i] = std::numeric_limits<float>::denorm_min();
      if (!std::isfinite(b[i]) || round % 4 < 2) b[i] = std::numeric_limits<float>::denorm_min();
      if (round % 4 == 0) a[i] = static_cast<float>(i) * b[i];
    }
    bins.add(sum, a.size(),
             [&](std::size_t i) { return static_cast<double>(a[i]) * static_cast<double>(b[i]); });
    bins.add_to(sum);
    wrong += !test::is_nearest(sum.rounded<double>(), test::exactly_dot(a, b), test::of_products());
  }
  CHECK(wrong == 0);
}
