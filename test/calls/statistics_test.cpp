// Compares means and variances with exact ones: for integers, the sum and the sum of squares are
// exact, and the variance is a quotient of integers.
// needs: tbb boost_context
#include <doctest/doctest.h>

#include <span>
#include <string>

#include <warpfold/op/moments.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/view/transform.hpp>

#include "contract/oracle.hpp"

namespace {

struct exact_moments {
  long double mean;
  long double variance;
};

// For at most 2^20 numbers of at most 32 bits, all operations except the last divisions are exact.
template <class Range>
exact_moments exact(const Range& v) {
  __int128 sum = 0, squares = 0;
  for (const auto x : v) {
    sum += static_cast<long long>(x);
    squares += static_cast<__int128>(x) * static_cast<__int128>(x);
  }
  const auto n = static_cast<__int128>(v.size());
  return {static_cast<long double>(sum) / n,
          static_cast<long double>(n * squares - sum * sum) / static_cast<long double>(n * n)};
}

template <class Policy, class Range>
void check(const Policy& policy, const Range& range, const exact_moments& expected) {
  const wf::moments m = wf::reduce(policy, range, wf::moments_op{});
  const auto n = static_cast<double>(wf::as_view(range).size());
  const auto mean = static_cast<double>(expected.mean);
  const auto variance = static_cast<double>(expected.variance);
  // The bound of op/moments.hpp: n rounding errors, times the condition number for the variance.
  const double roundings = (n + 4) * 0x1p-53;
  CHECK(static_cast<double>(m.count) == n);
  CHECK(std::abs(m.mean - mean) <= roundings * std::sqrt(mean * mean + variance));
  const double bound =
      variance == 0 ? 0 : roundings * variance * std::sqrt(1 + mean * mean / variance);
  CHECK(std::abs(m.variance() - variance) <= bound);
  CHECK(std::abs(wf::variance(policy, range) - variance) <= bound);
}

struct negate {
  template <class T>
  WARPFOLD_HD auto operator()(const T& x) const {
    return -static_cast<long long>(x);
  }
};

template <class T>
void check_type() {
  using limits = std::numeric_limits<T>;
  // Lengths around those of runs on the host, 4096 and 65536, and of parts, 16384.
  for (const std::size_t n :
       {1u, 2u, 3u, 33u, 1000u, 4096u, 4097u, 4098u, 8193u, 16384u, 16385u, 65537u, 200001u}) {
    CAPTURE(n);
    // Values of the whole type; close together and far from 0; only two values.
    for (const int kind : {0, 1, 2}) {
      CAPTURE(kind);
      test::random_bits random(n + 7);
      std::vector<T> values(n);
      for (T& x : values) {
        if (kind == 0) x = static_cast<T>(random());
        if (kind == 1) x = static_cast<T>(limits::max() - static_cast<T>(random() % 5));
        if (kind == 2) x = static_cast<T>(random() % 2 == 0 ? 3 : 7);
      }
      const exact_moments expected = exact(values);
      check(wf::seq, values, expected);
      check(wf::par, values, expected);
      const auto negated = wf::project(values, negate{});
      check(wf::seq, negated, {-expected.mean, expected.variance});
      check(wf::par, negated, {-expected.mean, expected.variance});
      if (n <= 20000) check(wf::emulated, values, expected);
    }
  }
}

}  // namespace

TEST_CASE("variances of signed chars") { check_type<signed char>(); }
TEST_CASE("variances of unsigned chars") { check_type<unsigned char>(); }
TEST_CASE("variances of shorts") { check_type<short>(); }
TEST_CASE("variances of unsigned shorts") { check_type<unsigned short>(); }
TEST_CASE("variances of ints") { check_type<int>(); }
TEST_CASE("variances of unsigned ints") { check_type<unsigned>(); }

TEST_CASE("the variance of half 3s and half 7s is 4") {
  std::vector<signed char> chars(100000);
  std::vector<short> shorts(chars.size());
  for (std::size_t i = 0; i < chars.size(); ++i) {
    shorts[i] = chars[i] = static_cast<signed char>(i % 2 == 0 ? 3 : 7);
  }
  CHECK(wf::variance(wf::par, chars) == doctest::Approx(4).epsilon(1e-14));
  CHECK(wf::variance(wf::par, shorts) == doctest::Approx(4).epsilon(1e-14));
  CHECK(wf::mean(wf::par, chars) == doctest::Approx(5).epsilon(1e-14));
}
