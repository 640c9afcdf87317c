// Exact means, variances and standard deviations on the policies of the host and in the emulation.
// needs: boost tbb boost_context
// slow: runs for seconds
#include <warpfold/op/exact_moments.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <warpfold/op/exact.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/view/where.hpp>

#include "contract/exact_numbers.hpp"
#include "contract/exact_oracle.hpp"

namespace wf = warpfold;

namespace {

using test::exact_integer;
using test::numbers;
using test::shape;

constexpr auto exact = wf::plus{}.exact();
constexpr auto population = wf::variance_of::population, sample = wf::variance_of::sample;

template <class T>
bool same(T a, T b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

/// n * sum of squares - square of the sum, in 2^-2148.
template <class T>
exact_integer squared_deviations(const std::vector<T>& v) {
  const exact_integer sum = test::exactly_sum(v);
  return v.size() * test::exactly_dot(v, v) - sum * sum;
}

template <class Call>
auto everywhere(const Call& call) {
  const auto result = call(wf::par);
  CHECK(same(call(wf::seq), result));
  CHECK(same(call(wf::emulated), result));
  return result;
}
template <class T, class Op>
auto mean_of(const std::vector<T>& v, Op op) {
  return everywhere([&](const auto& policy) { return wf::mean(policy, v, op); });
}
template <class T, class Op>
auto variance_of(const std::vector<T>& v, wf::variance_of what, Op op) {
  return everywhere([&](const auto& policy) { return wf::variance(policy, v, what, op); });
}
template <class T, class Op>
auto stddev_of(const std::vector<T>& v, wf::variance_of what, Op op) {
  return everywhere([&](const auto& policy) { return wf::stddev(policy, v, what, op); });
}

}  // namespace

TEST_CASE_TEMPLATE("means, variances and deviations are the nearest numbers", T, float, double) {
  for (const std::size_t n : {2u, 3u, 33u, 1'100u}) {
    for (const shape s : test::shapes) {
      CAPTURE(n);
      CAPTURE(static_cast<int>(s));
      const auto v = numbers<T>(s, n);
      const exact_integer sum = test::exactly_sum(v), squares = squared_deviations(v);
      const exact_integer all = exact_integer(n) * n, but_one = exact_integer(n) * (n - 1);
      const auto unit = test::of_products();
      const T mean = mean_of(v, exact);
      CHECK(test::is_nearest(mean, sum, n));
      CHECK(test::is_nearest(mean_of(v, wf::plus{}.exact<double>()), sum, n));
      CHECK(
          test::is_nearest(variance_of(v, population, exact), squares, exact_integer(all * unit)));
      const T of_sample = variance_of(v, sample, exact);
      CHECK(test::is_nearest(of_sample, squares, exact_integer(but_one * unit)));
      CHECK(test::is_nearest_root(stddev_of(v, population, exact), squares, all));
      CHECK(test::is_nearest_root(stddev_of(v, sample, exact), squares, but_one));
      const double wide = stddev_of(v, population, wf::plus{}.exact<double>());
      CHECK(test::is_nearest_root(wide, squares, all));
    }
  }
}

TEST_CASE("a mean far above the deviations, and sums that overflow") {
  const std::vector<double> far{1e16, 1e16 + 2, 1e16 + 4};
  CHECK(variance_of(far, sample, exact) == 4);
  CHECK(stddev_of(far, sample, exact) == 2);
  const double max = std::numeric_limits<double>::max();
  CHECK(mean_of(std::vector<double>(5, max), exact) == max);
  CHECK(variance_of(std::vector<double>(5, max), population, exact) == 0);
  CHECK(stddev_of(std::vector<double>{max, -max}, population, exact) == max);
  CHECK(variance_of(std::vector<double>{max, -max}, population, exact) ==
        std::numeric_limits<double>::infinity());
  const double tiny = std::numeric_limits<double>::denorm_min();
  CHECK(stddev_of(std::vector<double>{tiny, -tiny}, population, exact) == tiny);
  CHECK(mean_of(std::vector<double>{tiny, 0}, exact) == 0);
}

TEST_CASE("the overloads for a population, and without waiting") {
  const std::vector<float> v{1, 2, 4};
  CHECK(wf::variance(wf::seq, v, exact) == wf::variance(wf::seq, v, population, exact));
  CHECK(wf::stddev(wf::seq, v, exact) == wf::stddev(wf::seq, v, population, exact));
  CHECK(wf::variance(wf::seq, v.data(), 3, sample, exact) == 7.0f / 3);
  CHECK(wf::mean(wf::seq, v.begin(), v.end(), exact) == 7.0f / 3);
  double out = 0;
  const auto wide = wf::plus{}.exact<double>();
  wf::mean_async(wf::par, v, wide, &out);
  CHECK(out == 7.0 / 3);
  wf::variance_async(wf::emulated, v, sample, wide, &out);
  CHECK(out == 7.0 / 3);
  wf::variance_async(wf::par, v, wide, &out);
  CHECK(out == 14.0 / 9);
  wf::stddev_async(wf::par, v, sample, wide, &out);
  CHECK(out == wf::stddev(wf::seq, v, sample, wide));
  wf::stddev_async(wf::seq, v, wide, &out);
  CHECK(out == wf::stddev(wf::seq, v, wide));
  static_assert(std::is_same_v<decltype(wf::mean(wf::seq, v, exact)), float>);
  static_assert(std::is_same_v<decltype(wf::mean(wf::seq, v, wide)), double>);
}

TEST_CASE("too few elements, masked elements, and special values") {
  const std::vector<double> none, one{3};
  CHECK_THROWS_AS(wf::mean(wf::par, none, exact), wf::empty_range);
  CHECK_THROWS_AS(wf::variance(wf::par, none, exact), wf::empty_range);
  CHECK_THROWS_AS(wf::variance(wf::par, one, sample, exact), wf::empty_range);
  CHECK(wf::variance(wf::par, one, exact) == 0);
  const std::vector<double> v{1e300, 1, 5, -1e300, 7};
  const std::vector<std::uint32_t> bits{0b01111}, nothing{0};
  CHECK(wf::mean(wf::par, wf::where(v, bits), exact) == 1.5);
  CHECK_THROWS_AS(wf::mean(wf::par, wf::where(v, nothing), exact), wf::empty_range);
  double out = 0;
  wf::mean_async(wf::seq, wf::where(v, nothing), exact, &out);
  CHECK(std::isnan(out));
  wf::variance_async(wf::seq, wf::where(v, nothing), sample, exact, &out);
  CHECK(std::isnan(out));
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(mean_of(std::vector<double>{inf, 1}, exact) == inf);
  CHECK(std::isnan(mean_of(std::vector<double>{inf, -inf}, exact)));
  CHECK(std::isnan(variance_of(std::vector<double>{inf, 1}, population, exact)));
  CHECK(std::isnan(stddev_of(std::vector<double>{inf, 1}, sample, exact)));
  CHECK(std::signbit(mean_of(std::vector<double>{-0.0, -0.0}, exact)));
}
