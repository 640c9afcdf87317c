// softmax_term and log_softmax_term beside long double, for elements and sums of every size, and
// the ops that return them.
#include <warpfold/op/softmax.hpp>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>

namespace wf = warpfold;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr wf::log_sum_exp_op op;

// e^x / sum, for results that a long double holds.
template <class T>
long double share(T x, const wf::exponential_sum& sum) {
  const long double log_2 = std::log(2.0L);
  return std::exp(static_cast<long double>(x) - static_cast<long double>(sum.exponent) * log_2) /
         static_cast<long double>(sum.sum);
}

// The error in roundings of the result; of the least normal one if it is less.
template <class T>
double off(T x, const wf::exponential_sum& sum) {
  using R = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const R found = wf::softmax_term(sum)(x);
  const long double expected = share(static_cast<R>(x), sum);
  if (expected > static_cast<long double>(std::numeric_limits<R>::max())) {
    return std::isinf(found) ? 0 : 1e9;
  }
  const long double unit = static_cast<long double>(std::numeric_limits<R>::epsilon()) / 2;
  // A subnormal number has one rounding more, of half a unit of its last place.
  const long double subnormal = static_cast<long double>(std::numeric_limits<R>::denorm_min()) / 2;
  const long double normal = static_cast<long double>(std::numeric_limits<R>::min());
  const long double error = std::fabs(static_cast<long double>(found) - expected);
  return static_cast<double>((expected < normal ? std::fmax(0.0L, error - subnormal) : error) /
                             (unit * expected));
}

const double sums[] = {1,   1.5, 0x1.fffffffffffffp0, 0x1.0000000000001p0, 0.7072, 3, 100.7,
                       1e6, 1e12};

}  // namespace

TEST_CASE("floats have 4 roundings, near and far from the sum, also subnormal ones") {
  for (const double exponent : {0.0, 1.0, -1.0, 60.0, -60.0, 250.0, -250.0, 340.0, 384.0, 385.0,
                                -384.0, -385.0, 1442.0, -1442.0, 1e5, -1e5}) {
    for (const double s : sums) {
      const wf::exponential_sum sum{s, exponent};
      double most = 0;
      for (int i = -6000; i < 6000; ++i) {
        const double apart = i / 50.0 + i * 0.000013;  // from -120 to 120
        const auto x = static_cast<float>(exponent * std::log(2.0) + apart);
        most = std::fmax(most, off(x, sum));
      }
      CAPTURE(exponent);
      CAPTURE(s);
      CHECK(most < 4);
    }
  }
}

TEST_CASE("doubles and 16-bit floats") {
  for (const double exponent : {0.0, 300.0, -1000.0, 20000.0, -20000.0}) {
    for (const double s : sums) {
      const wf::exponential_sum sum{s, exponent};
      double most = 0;
      for (int i = -2000; i < 2000; ++i) {
        most = std::fmax(most, off(exponent * std::log(2.0) + i * 0.377, sum));  // -754 to 754
      }
      CAPTURE(exponent);
      CAPTURE(s);
      CHECK(most < 5);  // also the rounding of k ln(2)
    }
  }
  const wf::softmax_term term(wf::exponential_sum{1.25, 3});
  CHECK(term(__float2half(2.5f)) == term(2.5f));
  CHECK(term(__float2bfloat16(-3)) == term(-3.0f));
  CHECK(term(2) == term(2.0));
  static_assert(std::is_same_v<decltype(term(__half{})), float>);
  static_assert(std::is_same_v<decltype(term(1.0f)), float>);
  static_assert(std::is_same_v<decltype(term(1)), double>);
}

TEST_CASE("edges: the least results, masks, infinities, NaN and nothing") {
  const wf::softmax_term one(wf::exponential_sum{1, 0});
  CHECK(one(0.0f) == 1);
  CHECK(one(-0.0f) == 1);
  CHECK(one(1e-45f) == 1);
  CHECK(one(-87.5f) > 0);
  CHECK(one(-103.0f) == 0x1p-149f);
  CHECK(one(-103.97f) == 0x1p-149f);  // more than half of it
  CHECK(one(-103.98f) == 0);
  CHECK(one(88.7f) == doctest::Approx(std::exp(88.7)).epsilon(1e-5));
  CHECK(one(88.73f) == INFINITY);
  CHECK(one(-745.0) == 0x1p-1074);
  CHECK(one(-746.0) == 0);
  CHECK(one(710.0) == infinity);
  for (const double s : {1.0, 1.5, 1e9}) {
    for (const double exponent : {0.0, 100.0, -100.0, 500.0, -500.0}) {
      const wf::softmax_term term(wf::exponential_sum{s, exponent});
      for (const float mask : {-1e4f, -65504.0f, -1e6f, -1e30f, -3.4e38f, -INFINITY}) {
        CHECK(term(mask) == 0);
        CHECK(term(static_cast<double>(mask)) == 0);
      }
      for (const float large : {1e4f, 1e6f, 1e30f, INFINITY}) {
        CHECK(term(large) == INFINITY);
        CHECK(term(static_cast<double>(large)) == infinity);
      }
      for (const float nan : {NAN, -NAN}) {
        CHECK(std::isnan(term(nan)));
        CHECK(std::isnan(term(static_cast<double>(nan))));
      }
    }
  }
  const auto check = [](const wf::exponential_sum& sum, auto least, auto middle, auto greatest) {
    const wf::softmax_term term(sum);
    const auto same = [](auto a, auto b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    for (const float x : {0.0f, 2.0f, -1e5f, 1e9f}) {
      CHECK(same(term(x), static_cast<float>(middle)));
      CHECK(same(term(static_cast<double>(x)), middle));
    }
    CHECK(same(term(-INFINITY), static_cast<float>(least)));
    CHECK(same(term(INFINITY), static_cast<float>(greatest)));
    CHECK(same(term(-infinity), least));
    CHECK(same(term(infinity), greatest));
    CHECK(std::isnan(term(NAN)));
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  check({0, -infinity}, nan, infinity, infinity);
  check({infinity, 0}, 0.0, 0.0, nan);
  check({nan, 5}, nan, nan, nan);
}

TEST_CASE("several elements have the bits of single ones") {
  const float kinds[] = {0,    1,   -3.5f, 80,    -80,       -87.2f,   -90,
                         -104, 300, 2e3f,  -1e9f, -INFINITY, INFINITY, NAN};
  const auto check = [&]<class T>(T, std::size_t taken, unsigned random, const auto& sum) {
    const wf::softmax_term term(sum);
    T x[8];
    using R = decltype(term(T{}));
    R results[8];
    for (auto& element : x) {
      random = random * 1664525 + 1013904223;
      element = static_cast<T>(kinds[(random >> 8) % taken]);
    }
    term.template each<8>([&](int k) { return x[k]; }, [&](int k, R y) { results[k] = y; });
    bool same = true;
    for (int k = 0; k < 8; ++k) {
      const R single = term(x[k]);
      same = same && (results[k] == single || (std::isnan(results[k]) && std::isnan(single)));
    }
    CHECK(same);
  };
  for (unsigned seed = 0; seed < 300; ++seed) {
    for (const std::size_t taken : {5u, 9u, 12u, 14u}) {
      for (const wf::exponential_sum sum :
           {wf::exponential_sum{1.3, 2}, {5, 400}, {0, -infinity}}) {
        check(0.0f, taken, seed, sum);
        check(0.0, taken, seed, sum);
        check(__half{}, taken, seed, sum);
      }
    }
  }
}

TEST_CASE("results grow with the element, also where the formulas change") {
  for (const double exponent : {0.0, 7.0, 300.0, 384.0}) {
    const wf::softmax_term term(wf::exponential_sum{1.7, exponent});
    const double center = exponent * std::log(2.0);
    for (const double apart : {-86.0, -87.0, -85.95, 88.0, 87.3, -103.3, -106.0, -107.0}) {
      auto x = static_cast<float>(center + apart - 0.01);
      float before = term(x);
      bool grows = true;
      for (int i = 0; i < 20000; ++i) {
        x = std::nextafter(x, 1e9f);
        const float next = term(x);
        grows = grows && next >= before * (1 - 0x1p-21f);
        before = next;
      }
      CHECK(grows);
    }
  }
}

TEST_CASE("the logarithm has two roundings") {
  for (const double exponent : {0.0, 17.0, -300.0, 1e5}) {
    for (const double s : sums) {
      const wf::exponential_sum sum{s, exponent};
      const wf::log_softmax_term term(sum);
      const long double log = static_cast<long double>(exponent) * std::log(2.0L) +
                              std::log(static_cast<long double>(s));
      for (int i = -1000; i < 1000; ++i) {
        const double x = static_cast<double>(log) + i / 10.0;
        const auto f = static_cast<float>(x);
        const auto apart = static_cast<long double>(f) - log;
        const auto wrong = std::fabs(static_cast<long double>(term(f)) - apart);
        CHECK(wrong <= 2.01L * 0x1p-24L * std::fabs(apart) + 0x1p-48L * std::fabs(log));
      }
    }
  }
}

TEST_CASE("ops") {
  const std::vector<float> v{1, 2, 3, -INFINITY, 90, 88};
  wf::exponential_sum sum{};
  wf::reduce_async(wf::seq, v, op, &sum);
  const wf::softmax_term softmax = wf::reduce(wf::seq, v, wf::softmax_op{});
  const wf::log_softmax_term log_softmax = wf::reduce(wf::seq, v, wf::log_softmax_op{});
  float total = 0;
  for (const float x : v) {
    total += softmax(x);
    if (!std::isinf(x)) CHECK(off(x, sum) < 4);
    CHECK(std::exp(log_softmax(x)) == doctest::Approx(softmax(x)).epsilon(1e-5));
  }
  CHECK(total == doctest::Approx(1).epsilon(1e-6));
  wf::exponential_sum same{};
  wf::reduce_async(wf::seq, v, wf::softmax_op{}, &same);
  CHECK(same == sum);
}

TEST_CASE_TEMPLATE("equal elements of any size have equal shares", T, float, double) {
  const wf::log_sum_exp_op op;
  for (const double x : {1e15, 2e15, 1e16, 1e20, 1e30, 3.4e38}) {
    for (const double sign : {1.0, -1.0}) {
      for (const int count : {1, 2, 3, 5, 1000}) {
        const auto element = static_cast<T>(sign * x);
        wf::exponential_sum sum = op.lift(element);
        for (int k = 1; k < count; ++k) sum = op(sum, op.lift(element));
        CAPTURE(static_cast<double>(element));
        CHECK(wf::softmax_term(sum)(element) == doctest::Approx(1.0 / count).epsilon(1e-6));
        CHECK(wf::softmax_term(sum)(static_cast<T>(element - element / 8)) ==
              (sign < 0 ? std::numeric_limits<T>::infinity() : T{0}));
      }
    }
  }
}
