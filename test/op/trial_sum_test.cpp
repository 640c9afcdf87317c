// Exact sums as two or three doubles, against exact sums of integers: of random numbers, special
// values, zeros of both signs and none; merged, rounded, and marked when they are too few.
#include <warpfold/op/trial_sum.hpp>

#include <cfenv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "op/exact_kinds.hpp"
#include "op/exponent_pairs.hpp"

namespace wf = warpfold;

namespace {

template <class T, int Factors>
using trial = wf::detail::trial_sum<T, Factors>;

/// Compares a sum, if it is not marked, with the exact one.
template <class T, int Factors>
void check_same(const trial<T, Factors>& sum, const wf::exact_sum<T, Factors>& want) {
  if (sum.is_marked()) return;
  CHECK(test::is_same_sum(sum.template rounded<T>(), want.template rounded<T>()));
  CHECK(test::is_same_sum(sum.template rounded<double>(), want.template rounded<double>()));
  CHECK(test::is_same_sum(sum.exact().template rounded<double>(), want.template rounded<double>()));
}

}  // namespace

TEST_CASE("the sum of no number is a zero without a sign") {
  const auto check = [](const auto& sum) {
    CHECK(sum.is_empty());
    CHECK_FALSE(sum.is_marked());
    CHECK(test::is_same_sum(sum.template rounded<double>(), 0.0));
  };
  check(trial<float, 1>());
  check(trial<double, 1>());
  check(trial<float, 2>());
  check(trial<double, 2>());
}

TEST_CASE("a sum that is not exact gets an odd last bit, or keeps it") {
  constexpr double odd = 1 + 0x1p-52, even = 1 + 0x1p-51;
  using wf::detail::sum_to_odd;
  for (const double sign : {1.0, -1.0}) {
    CHECK(sum_to_odd(sign * odd, 0x1p-60) == sign * odd);
    CHECK(sum_to_odd(sign * odd, -0x1p-60) == sign * odd);
    CHECK(sum_to_odd(sign * even, sign * 0x1p-60) == sign * (even + 0x1p-52));
    CHECK(sum_to_odd(sign * even, sign * -0x1p-60) == sign * odd);
    CHECK(sum_to_odd(sign * even, 0) == sign * even);
  }
}

TEST_CASE("large sums are marked, and those of other rounding modes") {
  for (const double x : {0x1p1022, -0x1p1022}) {
    trial<double, 1> sum;
    sum.add(x);
    CHECK(sum.is_marked());
    sum.add(-x / 2);
    CHECK_FALSE(sum.is_marked());
  }
  trial<double, 2> product, merged;
  product.add(0x1p511, 0x1p511);
  merged.add(product);
  CHECK(merged.is_marked());
  std::fesetround(FE_UPWARD);
  trial<float, 1> sum;
  sum.add(1);
  std::fesetround(FE_TONEAREST);
  CHECK(sum.is_marked());
}

TEST_CASE_TEMPLATE("sums of numbers, added and merged", T, float, double) {
  for (const test::exact_kind kind : test::all_exact_kinds) {
    for (const std::size_t n : {0u, 1u, 2u, 7u, 300u}) {
      for (unsigned seed = 0; seed < 20; ++seed) {
        trial<T, 1> sum, parts[3], merged;
        wf::exact_sum<T> want;
        std::size_t i = 0;
        for (const T x : test::numbers_of_kind<T>(kind, n, seed)) {
          sum.add(x);
          parts[i++ % 3].add(x);
          want.add(x);
        }
        for (const auto& part : parts) merged.add(part);
        check_same(sum, want);
        check_same(merged, want);
        CHECK(sum.is_empty() == (n == 0));
        CHECK((merged.is_marked() || merged.is_empty() == (n == 0)));
      }
    }
  }
}

TEST_CASE_TEMPLATE("every pair of exponents is rounded as the processor does, or marked", T, float,
                   double) {
  std::size_t marked = 0;
  CHECK(test::wrong_pairs<T>([&](T x, T y) {
          trial<T, 1> sum;
          trial<T, 2> product;
          sum.add(x);
          sum.add(y);
          product.add(x, y);
          marked += sum.is_marked() + product.is_marked();
          return (sum.is_marked() || sum.template rounded<T>() == x + y) &&
                 (product.is_marked() || product.template rounded<T>() == x * y);
        }) == 0);
  // Products of doubles below 2^-916, and numbers from 2^1022 on.
  CHECK(marked < (std::is_same_v<T, float> ? 1 : 2'000'000));
}

TEST_CASE_TEMPLATE("sums of products", T, float, double) {
  for (const test::exact_kind kind : test::all_exact_kinds) {
    for (unsigned seed = 0; seed < 20; ++seed) {
      const auto a = test::numbers_of_kind<T>(kind, 100, seed);
      const auto b = test::numbers_of_kind<T>(test::exact_kind::similar, 100, seed + 100);
      trial<T, 2> sum, odd;
      wf::exact_sum<T, 2> want;
      for (std::size_t i = 0; i < a.size(); ++i) {
        (i % 2 == 0 ? sum : odd).add(a[i], b[i]);
        want.add(a[i], b[i]);
      }
      sum.add(odd);
      check_same(sum, want);
    }
  }
}

TEST_CASE("products that are only -0 have the sum -0") {
  trial<double, 2> sum, more;
  sum.add(-0.0, 1);
  more.add(0.0, -3);
  sum.add(more);
  CHECK(test::is_same_sum(sum.rounded<double>(), -0.0));
  sum.add(0.0, 1);
  CHECK(test::is_same_sum(sum.rounded<double>(), 0.0));
}

TEST_CASE("numbers with similar exponents are not marked, and others are") {
  for (unsigned seed = 0; seed < 100; ++seed) {
    trial<float, 1> floats;
    trial<double, 1> doubles;
    trial<float, 2> float_products;
    trial<double, 2> products;
    for (const double x : test::numbers_of_kind<double>(test::exact_kind::similar, 3000, seed)) {
      floats.add(static_cast<float>(x));
      doubles.add(x);
      float_products.add(static_cast<float>(x), 0.3f);
      products.add(x, 1 / 3.0);
    }
    CHECK(!floats.is_marked());
    CHECK(!doubles.is_marked());
    CHECK(!float_products.is_marked());
    CHECK(!products.is_marked());
  }
  for (const double outlier : {0x1p150, 0x1p-200, std::numeric_limits<double>::infinity()}) {
    trial<double, 1> sum;
    for (const double x : {1 / 3.0, outlier, 0x1.123456789abcdp-30}) sum.add(x);
    CHECK(sum.is_marked());
    sum.add(1.0);
    CHECK(sum.is_marked());
    trial<double, 1> other;
    other.add(1.0);
    other.add(sum);
    CHECK(other.is_marked());
  }
  trial<double, 2> tiny;  // its error has digits below those of a double
  tiny.add(0x1.23456789abcdfp-500, 0x1.23456789abcdfp-500);
  CHECK(tiny.is_marked());
}

TEST_CASE("ties are rounded once") {
  // Of a float: half of its last digit, and a little more, less or none.
  for (const double little : {0.0, 0x1p-90, -0x1p-90}) {
    for (const double odd : {0.0, 0x1p-23}) {
      trial<double, 1> sum;
      wf::exact_sum<double> want;
      for (const double x : {1 + odd, 0x1p-24, little}) {
        sum.add(x);
        want.add(x);
      }
      REQUIRE(!sum.is_marked());
      CHECK(sum.rounded<float>() == want.rounded<float>());
      CHECK(sum.rounded<double>() == want.rounded<double>());
    }
  }
  // Of a product, whose three parts decide.
  for (const double little : {0.0, 0x1p-140, -0x1p-140}) {
    trial<double, 2> sum;
    wf::exact_sum<double, 2> want;
    for (const double x : {1.0, 0x1p-53, little}) {
      sum.add(x, 1.0);
      want.add(x, 1.0);
    }
    REQUIRE(!sum.is_marked());
    CHECK(sum.rounded<double>() == want.rounded<double>());
    CHECK(sum.rounded<float>() == want.rounded<float>());
  }
  // Floats below the normal ones, and above the largest.
  for (const double x : {0x1.8p-149, 0x1p-150, 0x1.000001p-126, 0x1.ffffffp127}) {
    trial<double, 1> sum;
    sum.add(x);
    CHECK(sum.rounded<float>() == static_cast<float>(x));
  }
}

TEST_CASE("batches of floats") {
  std::size_t added = 0;
  for (const test::exact_kind kind : test::all_exact_kinds) {
    for (unsigned seed = 0; seed < 200; ++seed) {
      const auto v = test::numbers_of_kind<float>(kind, 16, seed);
      trial<float, 1>::batch<16> all;
      trial<float, 1> sum;
      wf::exact_sum<float> want;
      for (const float x : v) {
        all.add(x);
        want.add(x);
      }
      if (!all.add_to(sum)) continue;
      ++added;
      check_same(sum, want);
    }
  }
  CHECK(added > 600);
  // The exponents differ by as many as a double has room for, and by one more.
  for (const int apart : {25, 26}) {
    trial<float, 1>::batch<16> all;
    trial<float, 1> sum;
    all.add(0x1.fffffep0f);
    for (int i = 0; i < 15; ++i) all.add(std::ldexp(0x1.fffffep0f, -apart));
    CHECK(all.add_to(sum) == (apart == 25));
  }
}

TEST_CASE("sums in one double") {
  using floats = trial<float, 1>;
  floats sum;
  sum.add(1.5f);
  CHECK(sum.single() == 1.5);
  sum.add(0x1p-60f);
  CHECK(std::isnan(sum.single()));
  CHECK(floats::add_singles(1, 0x1p-52) == 1 + 0x1p-52);
  CHECK(std::isnan(floats::add_singles(1, 0x1p-53)));
  CHECK(std::isnan(floats::add_singles(0x1p-53, 1)));
  CHECK(!floats::of_single(2).is_empty());
  CHECK(floats::of_single(2).rounded<float>() == 2);
  CHECK(!std::signbit(floats::zero().rounded<float>()));
}

TEST_CASE("sums near the largest double are left to exact ones") {
  constexpr double largest = std::numeric_limits<double>::max();
  trial<double, 1> sum;
  trial<double, 2> products;
  for (const double x : {largest, 0x1p969, 0x1p969}) {
    sum.add(x);
    products.add(x, 1.0);
  }
  CHECK(sum.is_marked());
  CHECK(products.is_marked());
  trial<double, 1> below;
  below.add(0x1p1021);
  CHECK(!below.is_marked());
  CHECK(below.rounded<float>() == std::numeric_limits<float>::infinity());
}
