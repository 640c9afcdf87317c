// Batches of exact sums on host threads, at the edges of what a sum of doubles holds: against the
// same numbers one by one.
// needs: boost tbb
// slow: runs for seconds
#include <warpfold/op/exact_batch.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include <oneapi/tbb/global_control.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <warpfold/dot.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>

#include "contract/exact_oracle.hpp"
#include "op/exponent_pairs.hpp"

namespace wf = warpfold;

namespace {

constexpr auto exact = wf::plus{}.exact();

template <class T>
bool dot_is_nearest(const std::vector<T>& a, const std::vector<T>& b) {
  return test::is_nearest(wf::dot(wf::par, a, b, exact), test::exactly_dot(a, b),
                          test::of_products());
}

/// A number with all digits, of the given exponent.
template <class T>
T full(int exponent) {
  return std::ldexp(2 - std::numeric_limits<T>::epsilon(), exponent);
}

}  // namespace

TEST_CASE_TEMPLATE("products of every exponent, alone and far below others that cancel", T, float,
                   double) {
  using limits = std::numeric_limits<T>;
  std::size_t wrong = 0;
  constexpr int step = std::is_same_v<T, float> ? 3 : 19;
  for (int e = limits::min_exponent - limits::digits; e < limits::max_exponent; e += step) {
    for (const int f : {-20, 0, 100}) {
      const int other = std::min(std::max(f - e, limits::min_exponent - limits::digits),
                                 limits::max_exponent - 1);
      std::vector<T> a(200, 0), b(200, 1);
      a[50] = full<T>(e);
      b[50] = -full<T>(other);
      wrong += !dot_is_nearest(a, b);
      a[1] = a[2] = limits::max();
      b[1] = 5;
      b[2] = -5;
      wrong += !dot_is_nearest(a, b);
      a[1] = a[2] = b[1] = 1;
      b[2] = -1;
      wrong += !dot_is_nearest(a, b);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("every pair of exponents", T, float, double) {
  CHECK(test::wrong_pairs<T>([](T x, T y) {
          const T both[] = {x, y};
          return wf::reduce(wf::seq, both, exact) == x + y;
        }) == 0);
}

TEST_CASE("what lies behind a range does not change the sign of its sum") {
  const std::vector<float> a(64, -0.0f);
  std::vector<float> b(64, -1);
  for (std::size_t i = 0; i < 20; ++i) b[i] = 1;
  const float sum = wf::dot(wf::seq, std::span(a).first(20), std::span(b).first(20), exact);
  CHECK(sum == 0);
  CHECK(std::signbit(sum));
}

TEST_CASE("the error of a product counts down to the least number") {
  // Products near the least one whose errors are doubles, and around the least number.
  std::size_t wrong = 0;
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> digits(1, 2);
  for (int e = -1'160; e < -850; ++e) {
    std::vector<double> a(64), b(64);
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = std::ldexp(digits(random), e / 2);
      b[i] = std::ldexp(digits(random), e - e / 2);
      if (i % 2 == 1) b[i] = -std::nextafter(b[i - 1], 0.0);
      if (i % 2 == 1) a[i] = a[i - 1];
    }
    wrong += !dot_is_nearest(a, b);
  }
  CHECK(wrong == 0);
}

TEST_CASE("factors and products near the greatest number") {
  std::size_t wrong = 0;
  for (int e = 985; e < 1'024; ++e) {
    for (const int f : {-1'000, -24, 0, 30}) {
      std::vector<double> a(2'048, full<double>(e)), b(2'048, full<double>(f));
      for (std::size_t i = 1; i < b.size(); i += 2) b[i] = -std::nextafter(b[i], 0.0);
      wrong += !dot_is_nearest(a, b);
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("the longest sums of products: one far below many large ones, which cancel", T,
                   float, double) {
  for (int distance = 1; distance < 130; ++distance) {
    CAPTURE(distance);
    const T small = std::ldexp(1 + std::numeric_limits<T>::epsilon(), -distance);
    std::vector<T> a(3'001, full<T>(0)), b(3'001, full<T>(0));
    for (std::size_t i = 1'501; i < a.size(); ++i) a[i] = -a[i];
    a[0] = small;
    a[1] = small;
    b[0] = 1;
    b[1] = 1;
    a[1'500] = a[2'999] = a[3'000] = 0;  // leaves as many large products up as down
    a[1'501] = 0;
    a[2] = 0;
    CHECK(dot_is_nearest(a, b));
    CHECK(wf::dot(wf::par, a, b, exact) != 0);
  }
}

TEST_CASE_TEMPLATE("many numbers below a larger one", T, float, double) {
  std::size_t wrong = 0;
  for (int above = 8; above < 40; ++above) {
    for (int distance = 1; distance < 45; ++distance) {
      std::vector<T> v(1'001, full<T>(0));
      const T small = std::ldexp(1 + std::numeric_limits<T>::epsilon(), -distance);
      v[7] = std::ldexp(T(1), above);
      for (const std::size_t i : {5u, 500u, 999u}) v[i] = small;
      wf::exact_sum<T> sum;
      wf::reduce_async(wf::par, v, exact, &sum);
      sum.add(-v[7]);
      for (int i = 0; i < 997; ++i) sum.add(-full<T>(0));
      wrong += sum.rounded() != 3 * small;
    }
  }
  CHECK(wrong == 0);
}

namespace {

/// `n` numbers: 0 of similar exponents; 1 of all exponents; 2 some thousand of each, by turns; 3 of
/// all exponents with zeros.
template <class T>
std::vector<T> some_numbers(std::size_t n, int kind, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> digits(-2, 2);
  const int range = std::numeric_limits<T>::max_exponent - 2;
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; ++i) {
    const bool is_wide = kind == 1 || kind == 3 || (kind == 2 && i / 3'000 % 2 != 0);
    const int exponent = static_cast<int>(random() % static_cast<unsigned>(2 * range)) - range;
    v[i] = static_cast<T>(is_wide ? std::ldexp(digits(random), exponent) : normal(random));
    if (kind == 3 && random() % 2 == 0) v[i] = 0;
  }
  return v;
}

}  // namespace

TEST_CASE_TEMPLATE("every length, of numbers in memory and of others: as number by number", T,
                   float, double) {
  std::mt19937_64 random(5);
  std::vector<std::size_t> lengths{1,     15,    16,    17,     100,    127,    128,    129,
                                   511,   512,   513,   1'023,  1'024,  1'025,  4'095,  4'096,
                                   4'097, 5'121, 9'000, 65'536, 65'537, 65'538, 140'000};
  const auto computed = [](const T& x) { return x; };
  for (const std::size_t n : lengths) {
    for (int kind = 0; kind < 4; ++kind) {
      CAPTURE(n);
      CAPTURE(kind);
      const auto v = some_numbers<T>(n, kind, random), w = some_numbers<T>(n, kind, random);
      wf::exact_sum<T> sum;
      wf::exact_sum<T, 2> products, squares;
      for (std::size_t i = 0; i < n; ++i) {
        sum.add(v[i]);
        products.add(v[i], w[i]);
        squares.add(v[i], v[i]);
      }
      const auto results = [&](const auto& policy) {
        CHECK(wf::reduce(policy, v, exact) == sum.rounded());
        CHECK(wf::reduce(policy, wf::project(v, computed), exact) == sum.rounded());
        CHECK(wf::dot(policy, v, w, exact) == products.rounded());
        CHECK(wf::dot(policy, wf::project(v, computed), w, exact) == products.rounded());
        CHECK(wf::norm_2(policy, v, exact) == squares.template root<double>());
      };
      results(wf::seq);
      results(wf::par);
    }
  }
}

TEST_CASE("any number of threads") {
  std::mt19937_64 random(6);
  for (int kind = 0; kind < 3; ++kind) {
    const auto v = some_numbers<double>(700'000, kind, random);
    const double sum = wf::reduce(wf::seq, v, exact), norm = wf::norm_2(wf::seq, v, exact);
    for (int threads = 1; threads <= 16; ++threads) {
      CAPTURE(threads);
      const oneapi::tbb::global_control allowed(
          oneapi::tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
      CHECK(wf::reduce(wf::par, v, exact) == sum);
      CHECK(wf::norm_2(wf::par, v, exact) == norm);
    }
  }
}

TEST_CASE("2^31 equal numbers, and as many of two exponents") {
  const auto positions = wf::counting(std::size_t{0}, std::size_t{1} << 31);
  const auto sum = [&](const auto& number) {
    return wf::reduce(wf::par, wf::project(positions, number), wf::plus{}.exact<double>());
  };
  CHECK(sum([](std::size_t) { return 0.1f; }) == std::ldexp(double{0.1f}, 31));
  const auto both = [](std::size_t i) { return i % 2 == 0 ? full<float>(100) : 0x1.000002p-60f; };
  const auto without_large = [&](std::size_t i) { return i % 4 == 2 ? -both(i) : both(i); };
  CHECK(sum(without_large) == std::ldexp(double{0x1.000002p-60f}, 30));
}

#if defined(__SSE2__)
TEST_CASE("sums below the normal numbers where the processor takes them for zero") {
  std::vector<double> least(40, 0x1p-1070), cancelling(40, 0x1.00000000001p-1000);
  for (std::size_t i = 0; i < cancelling.size(); i += 2) cancelling[i] = -0x1p-1000;
  std::vector<double> factors(40, 1);
  factors[3] = 0x1p-1074;
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x40);
  const double a = wf::reduce(wf::seq, least, exact), b = wf::reduce(wf::seq, cancelling, exact);
  const double c = wf::dot(wf::seq, cancelling, factors, exact);
  _mm_setcsr(before);
  CHECK(a == 40 * 0x1p-1070);
  CHECK(b == 20 * 0x1p-1044);
  CHECK(test::is_nearest(c, test::exactly_dot(cancelling, factors), test::of_products()));
}

TEST_CASE("products leave the flags of the caller as they were") {
  const std::vector<double> large(40, 1e200);
  std::vector<float> special(200, std::numeric_limits<float>::infinity());
  special[7] = 0;
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before & ~0x3fu);
  const double norm = wf::norm_2(wf::seq, large, exact);
  const float none = wf::dot(wf::seq, special, std::vector<float>(200, 0), exact);
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  CHECK(norm == std::sqrt(40.0) * 1e200);
  CHECK(std::isnan(none));
  CHECK((after & 0x1du) == 0);  // all but "inexact", which rounding to the result may set
}

TEST_CASE("a processor that flushes small numbers to zero") {
  std::vector<double> a{0, 0x1p-500, 0x1.0000000000001p-500, -0x1p-500, 0x1p-1060};
  std::vector<double> b{0, 0x1p-560, 0x1.0000000000001p-560, -0x1p-560, 1};
  std::vector<float> c{1e-40f, 1}, d{1, 0};
  for (const bool are_many : {false, true}) {
    CAPTURE(are_many);
    if (are_many) {
      a.resize(3'000, 1);
      b.resize(3'000, 0x1p-1070);
      c.resize(3'000, 3e-40f);
      d.resize(3'000, 2e-38f);
      c[5] = 1e38f;  // too large for a sum in double with the others
      d[5] = 0.5;
    }
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040);
    const double sum = wf::dot(wf::par, a, b, exact);
    const float of_c = wf::reduce(wf::par, c, exact);
    const double of_floats = wf::dot(wf::par, c, d, wf::plus{}.exact<double>());
    const double of_both = wf::dot(wf::par, c, std::vector<double>(d.begin(), d.end()), exact);
    _mm_setcsr(before);
    CHECK(test::is_nearest(sum, test::exactly_dot(a, b), test::of_products()));
    CHECK(test::is_nearest(of_c, test::exactly_sum(c)));
    CHECK(test::is_nearest(of_floats, test::exactly_dot(c, d), test::of_products()));
    CHECK(of_floats == of_both);
  }
}
#endif

TEST_CASE_TEMPLATE("zeros, and zeros beside other numbers", T, float, double) {
  std::vector<T> a(3'000, T(-0.0)), b(3'000, 2);
  CHECK(std::signbit(wf::dot(wf::par, a, b, exact)));
  CHECK(std::signbit(wf::reduce(wf::par, a, exact)));
  b[2'000] = -2;
  CHECK_FALSE(std::signbit(wf::dot(wf::par, a, b, exact)));
  b[2'000] = 2;
  for (const T size : {T(1), std::numeric_limits<T>::min()}) {
    for (const int others : {0, 1}) {  // far smaller, so that no sum in double is exact
      a[5] = size;
      a[6] = -size;
      if (others != 0) a[7] = -(a[8] = std::numeric_limits<T>::max());
      CHECK_FALSE(std::signbit(wf::dot(wf::par, a, b, exact)));
      CHECK_FALSE(std::signbit(wf::reduce(wf::par, a, exact)));
    }
  }
}
