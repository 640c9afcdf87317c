// moments_to_4_op: merged parts give the powers of the deviations of a plain loop in
// long double, also of bad data: means far from 0, outliers, and elements that are not finite.
#include <warpfold/op/moments_to_4.hpp>

#include <doctest/doctest.h>

#include <cmath>

#include "contract/oracle.hpp"
#include "contract/order_certificate.hpp"

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

using numbers = std::vector<double>;

wf::moments_to_4 expected(const numbers& v) {
  long double sum = 0, powers[3] = {};
  for (const double x : v) sum += x;
  const long double mean = sum / static_cast<long double>(v.size());
  for (const double x : v) {
    long double power = x - mean;
    for (long double& p : powers) p += power *= x - mean;
  }
  return {v.size(), static_cast<double>(mean), static_cast<double>(powers[0]),
          static_cast<double>(powers[1]), static_cast<double>(powers[2])};
}

/// `tolerance` is in units of the powers of the standard deviation.
void check_near(const wf::moments_to_4& got, const wf::moments_to_4& want, double tolerance) {
  INFO("got ", got.count, " ", got.mean, " ", got.m2, " ", got.m3, " ", got.m4);
  INFO("want ", want.count, " ", want.mean, " ", want.m2, " ", want.m3, " ", want.m4);
  const double n = static_cast<double>(want.count), deviation = std::sqrt(want.m2 / n);
  CHECK(got.count == want.count);
  CHECK(std::fabs(got.mean - want.mean) <= tolerance * (std::fabs(want.mean) + deviation));
  CHECK(std::fabs(got.m2 - want.m2) <= tolerance * want.m2);
  CHECK(std::fabs(got.m3 - want.m3) <= tolerance * (std::fabs(want.m3) + want.m2 * deviation));
  CHECK(std::fabs(got.m4 - want.m4) <= tolerance * want.m4);
}

/// Skewed numbers from 0 to 1, moved by `center`.
numbers some(std::size_t n, double center, unsigned seed = 3) {
  test::random_bits random(seed);
  numbers v(n);
  for (double& x : v) {
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    x = center + u * u * u;
  }
  return v;
}
numbers join(numbers a, const numbers& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

wf::moments_to_4 one_by_one(const numbers& v) {
  const wf::moments_to_4_op op;
  wf::moments_to_4 total = op.identity<wf::moments_to_4>();
  for (const double x : v) total = op(total, op.lift(x));
  return total;
}

/// In the declared order.
wf::moments_to_4 as_tree(const numbers& v) {
  const wf::moments_to_4_op op;
  return test::recursive_fold<wf::moments_to_4>(
      op, [&](std::size_t i) { return op.lift(v[i]); }, 0, v.size());
}

constexpr std::size_t sizes[] = {1, 2, 5, 8};

}  // namespace

TEST_CASE("skewness and kurtosis of populations and samples") {
  // 0, 0, 0, 1: the powers of the deviations from 1/4.
  const wf::moments_to_4 m{4, 0.25, 0.75, 0.375, 0.328125};
  CHECK(m.skewness() == doctest::Approx(2 / std::sqrt(3.0)));
  CHECK(m.kurtosis() == doctest::Approx(7.0 / 3 - 3));
  CHECK(m.variance() == 0.1875);
  CHECK(m.sample_variance() == 0.25);
  CHECK(m.sample_skewness() == doctest::Approx(2));
  CHECK(m.sample_kurtosis() == doctest::Approx(4));
  // 1, 2, 3, 4 and 1, 1, 2, as pandas gives them.
  CHECK(one_by_one({1, 2, 3, 4}).sample_kurtosis() == doctest::Approx(-1.2));
  CHECK(one_by_one({1, 2, 3, 4}).skewness() == doctest::Approx(0));
  CHECK(one_by_one({1, 1, 2}).sample_skewness() == doctest::Approx(std::sqrt(3.0)));
  CHECK(std::isnan(one_by_one({1, 1, 2}).sample_kurtosis()));
  CHECK(std::isnan(one_by_one({1, 2}).sample_skewness()));
  CHECK(std::isnan(one_by_one({1}).sample_variance()));
  CHECK(std::isnan(one_by_one({3, 3, 3, 3}).skewness()));
}

TEST_CASE("parts of any size, merged in twos") {
  const wf::moments_to_4_op op;
  const auto none = op.identity<wf::moments_to_4>();
  const auto one = op.lift(3.5f);
  CHECK(one == wf::moments_to_4{1, 3.5, 0, 0, 0});
  CHECK(op(none, one) == one);
  CHECK(op(one, none) == one);
  for (const std::size_t m : sizes) {
    for (const std::size_t n : sizes) {
      INFO(m, " and ", n);
      const auto a = some(m, 100), b = some(n, -3, 4);
      check_near(op(one_by_one(a), one_by_one(b)), expected(join(a, b)), 1e-13);
    }
  }
}

TEST_CASE("equal elements have their own value as mean, and no deviations") {
  for (const double x : {0.1, -1e300, 1e-300}) {
    CHECK(one_by_one(numbers(7, x)) == wf::moments_to_4{7, x, 0, 0, 0});
  }
}

TEST_CASE("trees: an outlier at the front, and a mean far from 0") {
  for (const double center : {0.0, 1e6}) {
    for (const std::size_t n : {1u, 16u, 100u, 4096u}) {
      INFO(n, " around ", center);
      const auto v = some(n, center, 5);
      check_near(as_tree(v), expected(v), n == 1 ? 0 : center == 0 ? 1e-13 : 1e-8);
    }
  }
  numbers far = some(1000, 0);
  far.insert(far.begin(), 1e6);
  check_near(as_tree(far), expected(far), 1e-13);
}

TEST_CASE("infinities and NaN appear in the mean and in the powers") {
  for (const auto& got : {one_by_one({1, inf, 2}), as_tree({1, inf, 2}), as_tree({inf, 1})}) {
    CHECK(got.mean == inf);
    CHECK_FALSE(std::isfinite(got.m2));
    CHECK(std::isnan(got.skewness()));
    CHECK(std::isnan(got.kurtosis()));
  }
  CHECK(std::isnan(as_tree({1, std::nan(""), 2}).mean));
  // Further apart than any double.
  const double most = std::numeric_limits<double>::max();
  CHECK(std::fabs(as_tree({most, -most, most, -most}).mean) <= most * 1e-15);
}
