// skewness and kurtosis of every policy, compared with two passes in long double.
// needs: tbb boost_context
#include <warpfold/statistics.hpp>

#include <doctest/doctest.h>

#include <cmath>

#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>

#include "contract/oracle.hpp"
#include "contract/policy_contract.hpp"

namespace {

struct shape {
  double skewness;
  double kurtosis;
};

template <class T>
shape expected(const std::vector<T>& v) {
  const long double n = static_cast<long double>(v.size());
  long double mean = 0, m2 = 0, m3 = 0, m4 = 0;
  for (const T& x : v) mean += static_cast<long double>(x) / n;
  for (const T& x : v) {
    const long double apart = static_cast<long double>(x) - mean;
    m2 += apart * apart / n;
    m3 += apart * apart * apart / n;
    m4 += apart * apart * apart * apart / n;
  }
  return {static_cast<double>(m3 / std::pow(m2, 1.5L)), static_cast<double>(m4 / (m2 * m2) - 3)};
}

/// Skewed values: squares of numbers below 100, so that a large mean leaves them exact.
template <class T>
std::vector<T> values(std::size_t n, double center) {
  test::random_bits random;
  std::vector<T> v(n);
  for (T& x : v) {
    const auto root = static_cast<int>(random() % 100);
    x = static_cast<T>(center + root * root);
  }
  return v;
}

template <class T>
void check(std::size_t n, double center, double tolerance) {
  const auto v = values<T>(n, center);
  const shape want = expected(v);
  const auto check_policy = [&](const char* name, const auto& policy) {
    INFO(name, ", ", n, " elements around ", center);
    const auto skewness = wf::skewness(policy, v), kurtosis = wf::kurtosis(policy, v);
    CHECK(std::fabs(static_cast<double>(skewness) - want.skewness) <= tolerance);
    CHECK(std::fabs(static_cast<double>(kurtosis) - want.kurtosis) <= tolerance);
  };
  check_policy("seq", wf::seq);
  check_policy("par", wf::par);
  check_policy("emulated", wf::emulated.with_kernel(wf::kernel::single_pass<>{}));
}

}  // namespace

TEST_CASE("of floats, doubles and integers, in their types") {
  static_assert(std::is_same_v<decltype(wf::skewness(wf::seq, std::vector<float>{})), float>);
  static_assert(std::is_same_v<decltype(wf::kurtosis(wf::seq, std::vector<int>{})), double>);
  check<float>(7, 0, 1e-6);
  check<float>(50000, 1e6, 1e-6);
  check<short>(50000, 0, 1e-12);
}

TEST_CASE("a mean 10^9 times the standard deviation") {
  // The sum of 50,000 fourth powers of such numbers, less their mean, would have no digit left.
  check<double>(50000, 3e12, 1e-6);
}

TEST_CASE("of a sample: the unbiased estimates") {
  const std::vector<double> v = {1, 2, 3, 9, 4.5};
  CHECK(wf::skewness(wf::seq, v, wf::variance_of::sample) ==
        doctest::Approx(wf::skewness(wf::seq, v) * std::sqrt(20.0) / 3));
  CHECK(wf::kurtosis(wf::seq, v, wf::variance_of::sample) ==
        doctest::Approx(4.0 / 6 * (6 * wf::kurtosis(wf::seq, v) + 6)));
}

TEST_CASE("without a wait, of iterators too") {
  const std::vector<double> v = {1, 2, 3, 9, 4.5};
  const auto emulated = wf::emulated.with_kernel(wf::kernel::single_pass<>{});
  double out = 0;
  wf::skewness_async(emulated, v, &out);
  CHECK(out == doctest::Approx(wf::skewness(wf::seq, v)));
  wf::kurtosis_async(wf::seq, v.begin(), v.end(), wf::variance_of::sample, &out);
  CHECK(out == wf::kurtosis(wf::seq, v, wf::variance_of::sample));
  test::check_throws<wf::empty_range>(
      [&] { wf::kurtosis_async(wf::seq, std::span(v).first(3), wf::variance_of::sample, &out); },
      "kurtosis of a sample needs at least 4 elements, but the range has 3");
}

TEST_CASE("too few elements, and equal ones") {
  const std::vector<float> v = {2, 2, 2};
  CHECK(std::isnan(wf::skewness(wf::par, v)));
  CHECK(std::isnan(wf::kurtosis(wf::par, v)));
  const auto first = [&](std::size_t n) { return std::span(v.data(), n); };
  test::check_throws<wf::empty_range>([&] { (void)wf::skewness(wf::seq, first(0)); },
                                      "skewness needs at least 1 element, but the range has 0");
  test::check_throws<wf::empty_range>(
      [&] { (void)wf::skewness(wf::seq, first(2), wf::variance_of::sample); },
      "skewness of a sample needs at least 3 elements, but the range has 2");
  test::check_throws<wf::empty_range>(
      [&] { (void)wf::kurtosis(wf::seq, first(3), wf::variance_of::sample); },
      "kurtosis of a sample needs at least 4 elements, but the range has 3");
}
