// Predicates of zeros, numbers, infinities and NaN of both signs.
#include <warpfold/op/double_bits.hpp>

#include <doctest/doctest.h>

#include <initializer_list>
#include <limits>

namespace detail = warpfold::detail;
using limits = std::numeric_limits<double>;

TEST_CASE("numbers and others") {
  for (const double x : {0.0, -0.0, 1.0, -(limits::max)(), limits::denorm_min()}) {
    CHECK(detail::is_finite(x));
  }
  for (const double x : {limits::infinity(), -limits::infinity(), limits::quiet_NaN(),
                         -limits::quiet_NaN(), limits::signaling_NaN()}) {
    CHECK_FALSE(detail::is_finite(x));
  }
}

TEST_CASE("zeros of both signs") {
  CHECK(detail::is_zero(0.0));
  CHECK(detail::is_zero(-0.0));
  CHECK(detail::is_negative_zero(-0.0));
  CHECK_FALSE(detail::is_negative_zero(0.0));
  for (const double x : {limits::denorm_min(), -limits::denorm_min(), -1.0, limits::infinity()}) {
    CHECK_FALSE(detail::is_zero(x));
    CHECK_FALSE(detail::is_negative_zero(x));
  }
}
