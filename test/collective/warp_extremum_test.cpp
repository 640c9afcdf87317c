// warp_extremum: every lane has the extremum, wherever it is, of integers of every size and of
// floats with NaN, zeros and infinities; and for which folds it is used.
// needs: boost_context
#include <warpfold/collective/warp_extremum.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <warpfold/op/plus.hpp>

#include "contract/emulated_launch.hpp"

namespace wf = warpfold;

namespace {

using namespace warpfold;
using namespace warpfold::collective;

struct derived_minimum : minimum {};

/// What the lanes of warps with these values have.
template <class Op, class T>
std::vector<T> extrema(const std::vector<T>& values) {
  std::vector<T> results(values.size());
  test::emulated_launch on;
  const auto* const in = on.read_only(values);
  const auto out = on.array(results);
  on.run({static_cast<unsigned>(values.size() / 32), 32}, [=] {
    const unsigned i = blockIdx.x * 32 + threadIdx.x;
    out.store(i, warp_extremum<Op>(in[i]));
  });
  return results;
}

/// 32 warps: in the k-th, lane k has `odd` and the others have `rest`.
template <class T>
std::vector<T> one_odd_lane(T odd, T rest) {
  std::vector<T> values(1024, rest);
  for (std::size_t k = 0; k < 32; ++k) values[33 * k] = odd;
  return values;
}

template <class T>
bool same(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return (a != a && b != b) || (a == b && std::signbit(a) == std::signbit(b));
  } else {
    return a == b;
  }
}

template <class T>
void check_pair(T less, T more) {
  INFO(less, " < ", more);
  for (const auto& values : {one_odd_lane(less, more), one_odd_lane(more, less)}) {
    bool is_least = true, is_greatest = true;
    for (const T x : extrema<minimum>(values)) is_least = is_least && same(x, less);
    for (const T x : extrema<maximum>(values)) is_greatest = is_greatest && same(x, more);
    CHECK(is_least);
    CHECK(is_greatest);
  }
}

}  // namespace

TEST_CASE("minima and maxima of integers of up to 8 bytes, floats and doubles") {
  static_assert(extremum_by_word<minimum, int>);
  static_assert(extremum_by_word<maximum, unsigned char>);
  static_assert(extremum_by_word<maximum, std::uint64_t>);
  static_assert(extremum_by_word<minimum, float>);
  static_assert(extremum_by_word<maximum, double>);
  static_assert(!extremum_by_word<plus, int>);
  static_assert(!extremum_by_word<minimum, long double>);
  static_assert(!extremum_by_word<derived_minimum, int>);
  static_assert(collective::detail::is_extremum_by_word<wf::fold<minimum, int>>);
  static_assert(!collective::detail::is_extremum_by_word<wf::fold<plus, int>>);
}

TEST_CASE_TEMPLATE("integers that differ in any bit", T, signed char, unsigned char, short,
                   unsigned short, int, unsigned, std::int64_t, std::uint64_t) {
  using limits = std::numeric_limits<T>;
  check_pair<T>(limits::min(), limits::max());
  check_pair<T>(0, 1);
  check_pair<T>(static_cast<T>(limits::max() - 1), limits::max());
  check_pair<T>(limits::min(), static_cast<T>(limits::min() + 1));
  if constexpr (std::is_signed_v<T>) check_pair<T>(-1, 0);
}

TEST_CASE_TEMPLATE("64 bits: the upper halves decide, then the lower ones without a sign", T,
                   std::int64_t, std::uint64_t) {
  const T high = T{5} << 32;
  check_pair<T>(high + 0x7fffffff, high + 0x80000000);
  check_pair<T>(high + 0xffffffff, high + 0x100000000);
  check_pair<T>(0xffffffff, high);
  if constexpr (std::is_signed_v<T>) {
    check_pair<T>(-high - 1, -high);
    check_pair<T>(-high, -high + 0xffffffff);
    check_pair<T>(-high, high);
  }
}

TEST_CASE_TEMPLATE("zeros of both signs, infinities and subnormal numbers", T, float, double) {
  using limits = std::numeric_limits<T>;
  check_pair<T>(T(-0.0), T(0.0));
  check_pair<T>(-limits::infinity(), limits::lowest());
  check_pair<T>(limits::max(), limits::infinity());
  check_pair<T>(-limits::denorm_min(), T(-0.0));
  check_pair<T>(T(0.0), limits::denorm_min());
  check_pair<T>(T(-2), T(-1));
  check_pair<T>(T(1), T(1) + limits::epsilon());
}

TEST_CASE_TEMPLATE("a NaN of either sign in any lane gives a NaN", T, float, double) {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  for (const T rest :
       {T(0), T(-3), std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity()}) {
    for (const T odd : {nan, std::copysign(nan, T(-1))}) {
      for (const T x : extrema<minimum>(one_odd_lane(odd, rest))) REQUIRE(std::isnan(x));
      for (const T x : extrema<maximum>(one_odd_lane(odd, rest))) REQUIRE(std::isnan(x));
    }
  }
}
