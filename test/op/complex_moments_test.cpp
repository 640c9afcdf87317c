// Means, variances and standard deviations of complex numbers: the bits of the parts, and exact
// ones beside integer arithmetic.
// needs: boost_context tbb
#include <warpfold/op/complex_moments.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include <warpfold/op/exact.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/view/where.hpp>

namespace wf = warpfold;

namespace {

template <class R>
struct numbers {
  std::vector<std::complex<R>> complex;
  std::vector<R> real, imag;

  explicit numbers(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      real.push_back(static_cast<R>(static_cast<double>(i * 7919 % 1001) / 7 - 50));
      imag.push_back(static_cast<R>(static_cast<double>(i * 104729 % 997) / 3));
      complex.emplace_back(real.back(), imag.back());
    }
  }
};

template <class Policy, class R>
void check_parts(const Policy& policy, std::size_t n) {
  CAPTURE(n);
  const numbers<R> v(n);
  const std::complex<R> mean = wf::mean(policy, v.complex);
  CHECK(mean.real() == wf::mean(wf::seq, v.real));
  CHECK(mean.imag() == wf::mean(wf::seq, v.imag));
  const auto both = [&](wf::variance_of what) {
    const wf::moments a = wf::reduce(wf::seq, v.real, wf::moments_op{});
    const wf::moments b = wf::reduce(wf::seq, v.imag, wf::moments_op{});
    return what == wf::variance_of::sample ? a.sample_variance() + b.sample_variance()
                                           : a.variance() + b.variance();
  };
  for (const auto what : {wf::variance_of::population, wf::variance_of::sample}) {
    CHECK(wf::variance(policy, v.complex, what) == static_cast<R>(both(what)));
    CHECK(wf::stddev(policy, v.complex, what) == static_cast<R>(std::sqrt(both(what))));
  }
  static_assert(std::is_same_v<decltype(wf::variance(policy, v.complex)), R>);
}

}  // namespace

TEST_CASE_TEMPLATE("moments of complex numbers have the bits of their parts", R, float, double) {
  for (const std::size_t n : {2, 3, 31, 1000, 4097}) {
    check_parts<wf::seq_policy, R>(wf::seq, n);
    check_parts<wf::emulated_policy<>, R>(wf::emulated, n);
  }
}

namespace {

/// Small integers: n times the squares, less the squared sums, is an integer of 53 bits.
template <class R, class Policy>
void check_exact(const Policy& policy, long long size) {
  std::vector<std::complex<R>> v;
  long long n = 0, sums[2] = {}, squares = 0;
  for (; n < size; ++n) {
    const long long x = n * 37 % 101 - 50, y = n * 53 % 97;
    v.emplace_back(static_cast<R>(x), static_cast<R>(y));
    sums[0] += x;
    sums[1] += y;
    squares += x * x + y * y;
  }
  const auto exactly = wf::plus{}.exact<double>();
  const auto mean = wf::mean(policy, v, exactly);
  CHECK(mean.real() == static_cast<double>(sums[0]) / static_cast<double>(n));
  CHECK(mean.imag() == static_cast<double>(sums[1]) / static_cast<double>(n));
  const auto spread = static_cast<double>(n * squares - sums[0] * sums[0] - sums[1] * sums[1]);
  CHECK(wf::variance(policy, v, exactly) == spread / static_cast<double>(n * n));
  CHECK(wf::variance(policy, v, wf::variance_of::sample, exactly) ==
        spread / static_cast<double>(n * (n - 1)));
  // With 64 binary digits, rounded.
  const long double root =
      std::sqrt(static_cast<long double>(spread)) / static_cast<long double>(n);
  CHECK(wf::stddev(policy, v, exactly) == static_cast<double>(root));

  // The mean is far larger than the deviations, and other numbers far smaller.
  const std::vector<std::complex<R>> far{{R(1e8), R(1e8)}, {R(1e8) + 8, R(1e8)}};
  CHECK(wf::variance(policy, far, exactly) == 16);
  CHECK(wf::stddev(policy, far, exactly) == 4);
  CHECK(wf::mean(policy, far, exactly) == std::complex<double>(1e8 + 4, 1e8));
  const std::vector<std::complex<R>> wide{
      {R(1e30), R(1e-30)}, {1, 0}, {R(-1e30), R(1e-30)}, {2, 0}};
  CHECK(wf::mean(policy, wide, exactly) ==
        std::complex<double>(0.75, static_cast<double>(R(1e-30)) / 2));
}

}  // namespace

TEST_CASE("exact ones are rounded once, on every policy") {
  check_exact<float>(wf::seq, 40'001);
  check_exact<double>(wf::seq, 40'001);
  check_exact<float>(wf::par, 40'001);
  check_exact<double>(wf::par, 40'001);
  check_exact<float>(wf::emulated, 1'001);
}

TEST_CASE("too few complex numbers, NaN, masks and the form that does not wait") {
  using complex = std::complex<double>;
  const std::vector<complex> none, one{{1, 2}}, two{{1, 2}, {3, 6}};
  CHECK_THROWS_AS((void)wf::mean(wf::seq, none), wf::empty_range);
  CHECK_THROWS_AS((void)wf::variance(wf::seq, one, wf::variance_of::sample), wf::empty_range);
  CHECK(wf::variance(wf::seq, one) == 0);
  CHECK(wf::variance(wf::seq, two) == 5);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<complex> with_nan{{1, 2}, {3, nan}};
  CHECK(wf::mean(wf::seq, with_nan).real() == 2);
  CHECK(std::isnan(wf::mean(wf::seq, with_nan).imag()));
  CHECK(std::isnan(wf::variance(wf::seq, with_nan)));
  CHECK(std::isnan(wf::variance(wf::seq, with_nan, wf::plus{}.exact())));
  complex mean;
  double variance = 0;
  wf::mean_async(wf::seq, two, &mean);
  wf::variance_async(wf::seq, two, &variance);
  CHECK(mean == complex(2, 4));
  CHECK(variance == 5);
  const std::vector<complex> three{{1, 2}, {100, 100}, {3, 6}};
  const std::vector<std::uint8_t> bits{0b101};
  CHECK(wf::mean(wf::seq, wf::where(three, bits)) == complex(2, 4));
  CHECK(wf::stddev(wf::seq, wf::where(three, bits)) == doctest::Approx(std::sqrt(5.0)));
}
