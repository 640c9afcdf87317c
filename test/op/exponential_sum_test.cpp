// log_sum_exp_op: the sum of exponentials beside long double, for numbers of every size and type,
// and the bits of merges in every order of neighbors.
#include <warpfold/op/exponential_sum.hpp>

#include <cuda_fp16.h>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>

#include "contract/order_certificate.hpp"

namespace wf = warpfold;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr wf::log_sum_exp_op op;

template <class T>
long double reference(const std::vector<T>& v) {
  long double most = -INFINITY;
  for (const T x : v) most = std::fmax(most, static_cast<long double>(x));
  long double sum = 0;
  for (const T x : v) sum += std::exp(static_cast<long double>(x) - most);
  return most + std::log(sum);
}

// The error in units of `unit`.
template <class T>
double error(const std::vector<T>& v, double unit) {
  const long double expected = reference(v);
  const double found = wf::reduce(wf::seq, v, op);
  return static_cast<double>(std::fabs(found - expected)) /
         (unit * std::fmax(1.0, std::fabs(found)));
}

template <class T>
std::vector<T> numbers(std::size_t n, double center, double spread) {
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto bits = static_cast<double>((i + 1) * 0xbf58476d1ce4e5b9 >> 11) * 0x1p-53;
    v[i] = static_cast<T>(center + spread * (bits - 0.5));
  }
  return v;
}

}  // namespace

static_assert(op(op.identity<wf::exponential_sum>(), op.identity<wf::exponential_sum>()).sum == 0);

TEST_CASE("the exponential of one number has few roundings") {
  double of_float = 0, of_double = 0;
  for (int i = -200000; i <= 200000; ++i) {
    const auto x = static_cast<double>(i) / 3000;
    const auto f = static_cast<float>(x);
    const wf::exponential_sum a = op.lift(f), b = op.lift(x);
    const auto value = [](const wf::exponential_sum& s) {
      return std::ldexp(static_cast<long double>(s.sum), static_cast<int>(s.exponent));
    };
    const auto off = [](long double found, long double expected) {
      return static_cast<double>(std::fabs(found / expected - 1));
    };
    of_float = std::fmax(of_float, off(value(a), std::exp(static_cast<long double>(f))));
    of_double = std::fmax(of_double, off(value(b), std::exp(static_cast<long double>(x))));
  }
  CHECK(of_float < 3 * 0x1p-24);
  CHECK(of_double < 3 * 0x1p-53);
  CHECK(of_float > 0);
}

TEST_CASE("floats of every exponent, and near the bounds of the formulas") {
  // In roundings of the result. An element above 2^16 makes the remainder's error the greater one.
  const auto off = [](float x) {
    const wf::exponential_sum s = op.lift(x);
    if (s.exponent != std::nearbyint(s.exponent) || !(s.sum > 0.7 && s.sum < 1.4145)) return 1e9;
    // e^x / 2^k, where e^x overflows even a long double.
    const long double rest =
        static_cast<long double>(x) - static_cast<long double>(s.exponent) * std::log(2.0L);
    return static_cast<double>(std::fabs(s.sum / std::exp(rest) - 1)) * 0x1p24;
  };
  for (int exponent = -149; exponent < 21; ++exponent) {
    double most = 0;
    for (int i = 0; i < 2000; ++i) {
      const float x = std::ldexp(1 + static_cast<float>(i) / 2000, exponent);
      most = std::fmax(most, std::fmax(off(x), off(-x)));
    }
    CAPTURE(exponent);
    CHECK(most < 2.25);
  }
  for (const float edge :
       {0.0f, 88.7f, 88.72284f, 103.97f, 255.99998f, 256.0f, 256.00003f, 512.0f, 65504.0f, 1e6f}) {
    for (const float x : {edge, -edge}) {
      CHECK(off(x) < 2.25);
      CHECK(off(std::nextafter(x, 1e7f)) < 2.25);
      CHECK(off(std::nextafter(x, -1e7f)) < 2.25);
    }
  }
  // Where two values of k are equally near.
  for (int k = -369; k < 369; ++k) {
    const auto x = static_cast<float>((k + 0.5) * std::log(2.0));
    CHECK(off(std::nextafter(x, 1e7f)) < 2.25);
    CHECK(off(x) < 2.25);
    CHECK(off(std::nextafter(x, -1e7f)) < 2.25);
  }
  CHECK(op.lift(0.0f) == wf::exponential_sum{1, 0});
  CHECK(op.lift(-0.0f) == wf::exponential_sum{1, 0});
  CHECK(op.lift(1e-45f) == wf::exponential_sum{1, 0});
  CHECK(op.lift(__float2half(-300)) == op.lift(-300.0f));
  CHECK(op.lift(__float2half(3)) == op.lift(3.0f));
}

TEST_CASE("sums of many numbers, near and far from 0, and far apart") {
  for (const std::size_t n : {1u, 2u, 3u, 17u, 1000u, 30'000u}) {
    for (const double center : {0.0, -90.0, 700.0, -1e5}) {
      for (const double spread : {0.0, 1.0, 50.0, 3000.0}) {
        CAPTURE(n);
        CAPTURE(center);
        CAPTURE(spread);
        CHECK(error(numbers<double>(n, center, spread), 0x1p-53) < 8);
        CHECK(error(numbers<float>(n, center, spread), 0x1p-24) < 4);
      }
    }
  }
  CHECK(error(numbers<int>(1000, 0, 100), 0x1p-53) < 8);
  CHECK(error(numbers<std::uint8_t>(1000, 100, 200), 0x1p-53) < 8);
  CHECK(wf::reduce(wf::seq, std::vector<__half>{__float2half(1), __float2half(1)}, op) ==
        doctest::Approx(1 + std::log(2)).epsilon(1e-7));
}

TEST_CASE("numbers of any size, infinities, NaN and nothing") {
  const auto of = [](const std::vector<double>& v) { return wf::reduce(wf::seq, v, op); };
  CHECK(of({}) == -infinity);
  CHECK(of({-infinity, -infinity}) == -infinity);
  CHECK(of({-infinity, 3}) == 3);
  CHECK(of({3, -infinity, 3}) == doctest::Approx(3 + std::log(2)));
  CHECK(of({3, infinity}) == infinity);
  CHECK(of({infinity, -infinity, -1e300}) == infinity);
  CHECK(std::isnan(of({1, NAN, 2})));
  CHECK(std::isnan(of({NAN, infinity})));
  CHECK(of({0x1p31}) == doctest::Approx(0x1p31).epsilon(1e-15));
  CHECK(of({0x1p40, 0x1p40 - 1}) == doctest::Approx(0x1p40 + 0.3133).epsilon(1e-12));
  CHECK(of({1e30, -1e30}) == doctest::Approx(1e30).epsilon(1e-15));
  CHECK(of({1e300, 1e300}) == doctest::Approx(1e300).epsilon(1e-15));
  CHECK(of({-1e300, 5}) == 5);
  CHECK(of({1.7e308}) == doctest::Approx(1.246e308).epsilon(1e-3));  // counts as 1.24e308
  CHECK(wf::reduce(wf::seq, std::vector<float>{3e38f, -3e38f}, op) ==
        doctest::Approx(static_cast<double>(3e38f)).epsilon(1e-15));
}

TEST_CASE("neighbors far apart have the bits of merges") {
  const auto check = []<class T>(T most) {
    for (const int at : {0, 5, 31}) {
      std::vector<T> v(32, static_cast<T>(-most));
      v[static_cast<std::size_t>(at)] = most;
      v[7] = static_cast<T>(most - 3);
      const auto lifted = [&](std::size_t i) { return op.lift(v[i]); };
      const auto merged = test::recursive_fold<wf::exponential_sum>(op, lifted, 0, 32);
      const auto together =
          op.fold_neighbors<32>([&](int k) { return v[static_cast<std::size_t>(k)]; },
                                [&](int k) { return lifted(static_cast<std::size_t>(k)); });
      CAPTURE(static_cast<double>(most));
      CHECK(together == merged);
      CHECK(op.finish(together) == doctest::Approx(static_cast<double>(most)).epsilon(1e-8));
    }
  };
  for (const double most : {5.3e8, 5.4e8, 1e9, 1.1e9, 1e12, 1e17}) {
    check(most);
    check(static_cast<float>(most));
  }
  check(1'000'000'959);
  check(2'147'483'647);
}

TEST_CASE("neighbors of any size, infinite and NaN, have the bits of merges") {
  const float kinds[] = {0,        -0.0f,   1e-45f,    3.5f,     -88.7f,   255.99998f, 256,
                         -256,     300,     -103.97f,  1e4f,     -65504,   -1e6f,      1e6f,
                         5.3e8f,   -5.3e8f, 5.4e8f,    -6e8f,    -0x1p30f, -1.1e9f,    -1e30f,
                         -3.4e38f, 1e30f,   -INFINITY, INFINITY, NAN};
  const auto check = [&]<class T>(T, std::size_t kinds_taken, unsigned seed) {
    unsigned random = seed;
    std::vector<T> v(16);
    for (auto& x : v) {
      random = random * 1664525 + 1013904223;
      x = static_cast<T>(kinds[(random >> 8) % kinds_taken]);
      // A few other elements: of a mask, or near ones.
      if ((seed & 1) != 0 && (random >> 24) % 8 != 0)
        x = static_cast<T>((seed & 2) != 0 ? 2 : -1e9);
    }
    const auto lifted = [&](std::size_t i) { return op.lift(v[i]); };
    const auto merged = test::recursive_fold<wf::exponential_sum>(op, lifted, 0, 16);
    const auto together =
        op.fold_neighbors<16>([&](int k) { return v[static_cast<std::size_t>(k)]; },
                              [&](int k) { return lifted(static_cast<std::size_t>(k)); });
    CAPTURE(seed);
    CAPTURE(kinds_taken);
    CHECK(together.exponent == merged.exponent);
    CHECK((together.sum == merged.sum || (std::isnan(together.sum) && std::isnan(merged.sum))));
    for (const unsigned there : {1u, 2u, 7u, 15u, 16u}) {
      const auto tree = test::recursive_fold<wf::exponential_sum>(op, lifted, 0, there);
      const auto first =
          op.fold_first_neighbors<16>([&](int k) { return v[static_cast<std::size_t>(k)]; }, there);
      CAPTURE(there);
      CHECK(first.exponent == tree.exponent);
      CHECK((first.sum == tree.sum || (std::isnan(first.sum) && std::isnan(tree.sum))));
    }
  };
  for (unsigned seed = 0; seed < 2000; ++seed) {
    for (const std::size_t kinds_taken : {6u, 8u, 12u, 15u, 22u, 24u, 26u}) {
      check(0.0f, kinds_taken, seed);
      check(0.0, kinds_taken, seed);
    }
  }
  // Masks with one value, and all masked.
  for (const float mask : {-1e9f, -1e30f, -3.4e38f, -INFINITY}) {
    std::vector<float> v(8, mask);
    const auto of = [&] {
      return op.fold_neighbors<8>([&](int k) { return v[static_cast<std::size_t>(k)]; },
                                  [&](int k) { return op.lift(v[static_cast<std::size_t>(k)]); });
    };
    CHECK(static_cast<float>(op.finish(of())) == mask);
    v[5] = 2.5f;
    CHECK(of() == op.lift(2.5f));
  }
}

TEST_CASE("neighbors have the bits of merges") {
  for (const double spread : {1.0, 100.0, 5000.0}) {
    const auto v = numbers<float>(4096, 3, spread);
    const auto lifted = [&](std::size_t i) { return op.lift(v[i]); };
    for (std::size_t first = 0; first < v.size(); first += 64) {
      const auto merged = test::recursive_fold<wf::exponential_sum>(op, lifted, first, first + 64);
      const auto together =
          op.fold_neighbors<64>([&](int k) { return v[first + static_cast<std::size_t>(k)]; },
                                [&](int k) { return lifted(first + static_cast<std::size_t>(k)); });
      CHECK(together == merged);
    }
  }
}

TEST_CASE("wf::seq has the tree of the merges, and its bits do not change") {
  for (const std::size_t n : {1u, 31u, 32u, 33u, 100u, 4097u}) {
    const auto v = numbers<float>(n, 0, 80);
    const auto merged = test::recursive_fold<wf::exponential_sum>(
        op, [&](std::size_t i) { return op.lift(v[i]); }, 0, n);
    wf::exponential_sum found{};
    wf::reduce_async(wf::seq, v, op, &found);
    CHECK(found == merged);
  }
  wf::exponential_sum found{};
  wf::reduce_async(wf::seq, numbers<float>(1000, 0, 80), op, &found);
  CHECK(found == wf::exponential_sum{0x1.37f602e76c813p+4, 57});
}
