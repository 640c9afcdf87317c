// ignoring_nan: minimumNumber and maximumNumber of IEEE 754-2019, whose result does not depend on
// the order.
#include <warpfold/op/ignoring_nan.hpp>

#include <doctest/doctest.h>

#include <algorithm>

#include "contract/oracle.hpp"

TEST_CASE_TEMPLATE("extrema that ignore NaN", T, float, double, long double) {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const auto least = wf::minimum{}.ignoring_nan();
  const auto greatest = wf::maximum{}.ignoring_nan();
  CHECK(least(T(2), nan) == T(2));
  CHECK(least(nan, T(2)) == T(2));
  CHECK(std::isnan(least(nan, nan)));
  CHECK(least(T(3), T(2)) == T(2));
  CHECK(least(T(2), T(3)) == T(2));
  CHECK(greatest(T(2), nan) == T(2));
  CHECK(greatest(nan, T(2)) == T(2));
  CHECK(std::isnan(greatest(nan, nan)));
  CHECK(greatest(T(3), T(2)) == T(3));
  CHECK(greatest(T(2), T(3)) == T(3));
  CHECK(std::signbit(least(T(0), -T(0))));
  CHECK_FALSE(std::signbit(greatest(T(0), -T(0))));
  CHECK(std::isnan(least.template identity<T>()));
  CHECK(least(1, 2.5f) == 1);
  CHECK(greatest(1, T(2.5)) == T(2.5));
  CHECK(least.identity<int>() == std::numeric_limits<int>::max());
  CHECK(greatest.identity<int>() == std::numeric_limits<int>::min());
}

TEST_CASE_TEMPLATE("in every order the bits are the same", T, float, double) {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<T> v = {nan, T(0), -T(0), T(1), -nan, -T(1)};
  std::vector<int> order = {0, 1, 2, 3, 4, 5};
  do {
    std::vector<T> shuffled;
    for (const int i : order) shuffled.push_back(v[static_cast<std::size_t>(i)]);
    REQUIRE(wf::reduce(wf::seq, shuffled, wf::minimum{}.ignoring_nan()) == T(-1));
    REQUIRE(wf::reduce(wf::seq, shuffled, wf::maximum{}.ignoring_nan()) == T(1));
    for (T& x : shuffled) x = x == x ? T(0) * x : x;  // zeros of both signs, and NaN
    REQUIRE(std::signbit(wf::reduce(wf::seq, shuffled, wf::minimum{}.ignoring_nan())));
    REQUIRE(!std::signbit(wf::reduce(wf::seq, shuffled, wf::maximum{}.ignoring_nan())));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("the result is NaN only if all elements are") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(
      std::isnan(wf::reduce(wf::seq, std::vector<double>{nan, nan}, wf::maximum{}.ignoring_nan())));
  CHECK(std::isnan(wf::reduce(wf::seq, std::vector<double>{}, wf::minimum{}.ignoring_nan())));
  CHECK(wf::reduce(wf::seq, std::vector<int>{}, wf::maximum{}.ignoring_nan()) ==
        std::numeric_limits<int>::min());
  static_assert(!std::is_invocable_v<decltype(wf::maximum{}.ignoring_nan()), int*, int*>);
}
