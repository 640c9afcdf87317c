// Sums in double: exact where they say so, and they say so where they can. The arithmetic of the
// thread is the same afterwards.
// needs: boost
#include <warpfold/op/exact_in_double.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "contract/exact_oracle.hpp"

namespace detail = warpfold::detail;
using detail::numbers_in_memory;
using detail::numbers_in_three_parts;
using detail::products_in_memory;
using detail::sum_in_double;
using detail::sums_in_double;

namespace {

test::exact_integer total_of(const sums_in_double& s) {
  return test::exactly(s.parts[0]) + test::exactly(s.parts[1]) + test::exactly(s.parts[2]);
}
template <class T>
std::vector<T> numbers_of(std::size_t n, std::mt19937_64& random, int binades) {
  std::uniform_real_distribution<T> digits(1, 2);
  std::vector<T> v(n);
  for (T& x : v) {
    x = std::ldexp(digits(random), static_cast<int>(random() % static_cast<unsigned>(binades)));
    if (random() % 2 == 0) x = -x;
  }
  return v;
}

#if WARPFOLD_HAS_INEXACT_FLAG
const bool has_flag = detail::default_fp_environment::has_inexact_flag();

/// With vectors of 16 bytes.
template <class Source>
sums_in_double narrow_sum(const Source& from, std::size_t n) {
  const detail::default_fp_environment own;
  sums_in_double s;
  detail::accumulators_in_double<16, Source::parts>::sum(from, n, s);
  s.are_exact = has_flag && !own.is_inexact();
  return s;
}
#else
const bool has_flag = false;
template <class Source>
sums_in_double narrow_sum(const Source& from, std::size_t n) {
  return sum_in_double(from, n);
}
#endif

}  // namespace

TEST_CASE_TEMPLATE("exact sums of every length", T, float, double) {
  std::mt19937_64 random(1);
  std::size_t wrong = 0, refused = 0;
  for (std::size_t n = 1; n < 300; ++n) {
    const auto v = numbers_of<T>(n, random, 8);
    const numbers_in_memory<T> numbers{v.data()};
    for (const sums_in_double& s : {sum_in_double(numbers, n), narrow_sum(numbers, n)}) {
      refused += !s.are_exact;
      wrong += s.are_exact && total_of(s) != test::exactly_sum(v);
    }
  }
  CHECK(wrong == 0);
  CHECK(refused == (has_flag ? 0 : 2 * 299));
}

TEST_CASE_TEMPLATE("numbers of all exponents: exact, or refused", T, float, double) {
  std::mt19937_64 random(2);
  std::size_t wrong = 0, exact = 0, refused = 0;
  for (int binades = 1; binades < 60; ++binades) {
    for (const std::size_t n : {40u, 1'000u}) {
      const auto v = numbers_of<T>(n, random, binades);
      for (const bool three : {false, true}) {
        sums_in_double s = sum_in_double(numbers_in_memory<T>{v.data()}, n);
        if constexpr (std::is_same_v<T, double>) {
          if (three) s = sum_in_double(numbers_in_three_parts{{v.data()}}, n);
        }
        (s.are_exact ? exact : refused) += 1;
        wrong += s.are_exact && total_of(s) != test::exactly_sum(v);
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(refused > 20);
  if (has_flag) CHECK(exact > 20);
}

TEST_CASE("products of floats") {
  std::mt19937_64 random(3);
  std::size_t wrong = 0, refused = 0;
  for (const std::size_t n : {1u, 15u, 16u, 17u, 100u, 1'000u}) {
    const auto a = numbers_of<float>(n, random, 5), b = numbers_of<float>(n, random, 5);
    const products_in_memory<float> products{a.data(), b.data()};
    for (const sums_in_double& s : {sum_in_double(products, n), narrow_sum(products, n)}) {
      refused += !s.are_exact;
      wrong += s.are_exact && test::exact_integer(total_of(s) << 1074U) != test::exactly_dot(a, b);
    }
  }
  CHECK(wrong == 0);
  CHECK(refused == (has_flag ? 0 : 12));
}

TEST_CASE_TEMPLATE("zeros have their sign; infinities, NaN and sums that overflow are refused", T,
                   float, double) {
  using limits = std::numeric_limits<T>;
  std::vector<T> v(70, T(-0.0));
  const auto sum = [&] { return sum_in_double(numbers_in_memory<T>{v.data()}, v.size()); };
  CHECK(sum().parts[0] == 0);
  CHECK(std::signbit(sum().parts[0]) == has_flag);
  v[69] = 0;
  CHECK(sum().parts[0] == 0);
  CHECK_FALSE(std::signbit(sum().parts[0]));
  for (const T x : {limits::infinity(), -limits::infinity(), limits::quiet_NaN(),
                    limits::signaling_NaN(), T(-limits::quiet_NaN())}) {
    v.assign(70, 1);
    v[3] = x;
    CHECK_FALSE(sum().are_exact);
    v[5] = -x;
    CHECK_FALSE(sum().are_exact);
  }
  std::vector<double> w(70, std::numeric_limits<double>::max());
  CHECK_FALSE(sum_in_double(numbers_in_memory<double>{w.data()}, w.size()).are_exact);
}

#if defined(__SSE2__)
TEST_CASE("the caller's arithmetic does not matter, and is as before") {
  std::mt19937_64 random(4);
  auto v = numbers_of<double>(1'000, random, 8);
  v.push_back(std::numeric_limits<double>::denorm_min());
  const auto f = numbers_of<float>(1'000, random, 8);
  std::vector<float> least(50, std::numeric_limits<float>::denorm_min());
  const unsigned before = _mm_getcsr();
  // Rounding upward; small numbers are zeros, as operands and results; all exceptions raise a
  // signal; flags that are set.
  for (const unsigned state : {0x5f80u, 0x9fc0u, 0u, 0x1fbfu}) {
    CAPTURE(state);
    _mm_setcsr(state);
    const sums_in_double of_all = sum_in_double(numbers_in_memory<double>{v.data()}, v.size());
    const sums_in_double of_floats = sum_in_double(numbers_in_memory<float>{f.data()}, f.size());
    const sums_in_double of_least =
        sum_in_double(numbers_in_memory<float>{least.data()}, least.size());
    const unsigned after = _mm_getcsr();
    _mm_setcsr(before);
    CHECK(after == state);
    CHECK_FALSE(of_all.are_exact);
    CHECK(of_floats.are_exact == has_flag);
    if (!has_flag) continue;
    CHECK(total_of(of_floats) == test::exactly_sum(f));
    CHECK(of_least.parts[0] == 50 * 0x1p-149);
  }
}
#endif
