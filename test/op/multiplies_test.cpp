// multiplies: result types, accumulators, identities, and integers that wrap.
// needs: boost_context
#include <warpfold/op/multiplies.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <span>

#include <warpfold/policy/emulated.hpp>

#include "contract/oracle.hpp"

namespace {

template <class A, class B>
using product_t = decltype(wf::multiplies{}(std::declval<A>(), std::declval<B>()));

constexpr long long most = std::numeric_limits<long long>::max();
constexpr long long least = std::numeric_limits<long long>::min();

/// A class that lists its members in braces. One for it would be the unit matrix, not the {1, 0, 0,
/// 0} that C++20 makes of matrix(1).
struct matrix {
  int a, b, c, d;

  friend matrix operator*(const matrix& x, const matrix& y) {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
            x.c * y.b + x.d * y.d};
  }
  friend bool operator==(const matrix&, const matrix&) = default;
};

/// An op of a user, which inherits nothing for speed.
struct scaled : wf::multiplies {};

}  // namespace

// In a constant expression, undefined behavior is an error: these wrap, and do not overflow.
static_assert(wf::multiplies{}(most, 2ll) == -2);
static_assert(wf::multiplies{}(least, -1ll) == least);
// unsigned short promotes to int, where 65535 * 65535 does not fit.
static_assert(wf::multiplies{}(static_cast<unsigned short>(65535),
                               static_cast<unsigned short>(65535)) == -131071);

static_assert(std::is_same_v<product_t<float, double>, double>);
static_assert(std::is_same_v<product_t<bool, bool>, int>);
static_assert(std::is_same_v<wf::op_traits<wf::multiplies, short>::accumulator, long long>);
static_assert(
    std::is_same_v<wf::op_traits<wf::multiplies, unsigned char>::accumulator, unsigned long long>);

static_assert(!std::is_invocable_v<wf::multiplies, std::string, std::string>);

// Long code is that of classes: a complex product tests for infinities.
static_assert(wf::multiplies::is_long<std::complex<float>>);
static_assert(!wf::multiplies::is_long<long long>);

namespace {

/// The products of any `in_group` elements fit `group`.
template <class T>
void check_group() {
  static_assert(wf::folds_groups<wf::multiplies, T, wf::wide_sum_t<T>>);
  static_assert(!wf::folds_groups<scaled, T, wf::wide_sum_t<T>>);
  using group = wf::multiplies::group<T>;
  using limits = std::numeric_limits<T>;
  for (const T extreme : {limits::lowest(), limits::max()}) {
    long long in_full = 1;
    group in_group = 1;
    for (int k = 0; k < wf::multiplies::in_group<T>; ++k) {
      in_full *= extreme;
      in_group = static_cast<group>(wf::multiplies{}(in_group, static_cast<group>(extreme)));
    }
    CHECK(in_group == in_full);
  }
}

}  // namespace

TEST_CASE("groups of small integers fit the type that they are multiplied in") {
  check_group<signed char>();
  check_group<unsigned char>();
  check_group<short>();
  check_group<unsigned short>();
  static_assert(!wf::folds_groups<wf::multiplies, int, long long>);
  static_assert(!wf::folds_groups<wf::multiplies, short, int>);  // an init of int
}

TEST_CASE("products of integers, modulo 2^64") {
  CHECK(wf::reduce(wf::seq, std::vector<int>{2, -3, 7}, wf::multiplies{}) == -42);
  CHECK(wf::reduce(wf::seq, std::vector<unsigned char>{20, 30, 7}, wf::multiplies{}) == 4200);
  CHECK(wf::reduce(wf::seq, std::vector<long long>{most, most, most}, wf::multiplies{}) == most);
}

TEST_CASE("identities") {
  CHECK(wf::op_traits<wf::multiplies, short>::identity({}) == 1);
  CHECK(wf::op_traits<wf::multiplies, std::complex<double>>::identity({}) == 1.0);
}

TEST_CASE("complex numbers") {
  const std::vector<std::complex<double>> values = {{1, 2}, {3, -1}, {0, 1}};
  CHECK(wf::reduce(wf::seq, values, wf::multiplies{}) == std::complex<double>(-5, 5));
}

TEST_CASE("products of aggregates have no identity") {
  static_assert(!wf::op_traits<wf::multiplies, matrix>::has_identity);
  const std::vector<matrix> swaps(1000, matrix{0, 1, 1, 0});
  CHECK(wf::reduce(wf::emulated, swaps, wf::multiplies{}) == matrix{1, 0, 0, 1});
}

TEST_CASE("1 must convert implicitly to be the identity") {
  // Fixed-point numbers: raw(1) is 1/256.
  struct fixed {
    long raw;
    explicit fixed(long r) : raw(r) {}
    fixed operator*(const fixed& other) const { return fixed(raw * other.raw / 256); }
  };
  static_assert(!wf::op_traits<wf::multiplies, fixed>::has_identity);
  std::vector<fixed> values(500, fixed(256));
  values[9] = fixed(512);
  CHECK(wf::reduce(wf::emulated, values, wf::multiplies{}).raw == 512);
}

#if __has_include(<vector_types.h>)
TEST_CASE("small vectors, by component") {
  const std::vector<float3> points = {{1, 2, 3}, {-4, 5, 0.5f}, {2, 2, 2}};
  CHECK(test::same(wf::reduce(wf::seq, points, wf::multiplies{}), float3{-8, 20, 3}));
  CHECK(test::same(wf::reduce(wf::seq, std::span<const float2>{}, wf::multiplies{}), float2{1, 1}));
  CHECK(test::same(wf::reduce(wf::seq, std::span<const int3>{}, wf::multiplies{}), int3{1, 1, 1}));
  CHECK(
      test::same(wf::reduce(wf::seq, std::span<const int4>{}, wf::multiplies{}), int4{1, 1, 1, 1}));
}
#endif
