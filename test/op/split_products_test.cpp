// Rounded products and their errors: together they are the product, or the function refuses.
// needs: boost
#include <warpfold/op/split_products.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>

#include "contract/exact_oracle.hpp"

namespace detail = warpfold::detail;

namespace {

using test::exact_integer;
using test::exactly;

struct result {
  bool are_exact;
  double products[4], errors[4];
};

/// Of one product beside three others.
template <class Split>
result split_of(const Split& split, double x, double y) {
  const double a[] = {1, x, 0, 3}, b[] = {2, y, 1e300, 5};
  result r;
  r.are_exact = split(a, b, r.products, r.errors, std::size_t{4});
  return r;
}
result split_of(double x, double y) {
  const result widest = split_of(detail::split_products, x, y);
  const auto in_narrow = [](auto... arrays) {
    return detail::product_vectors<16>::split(arrays...);
  };
  const result narrow = split_of(in_narrow, x, y);
  CHECK(widest.are_exact == narrow.are_exact);
  if (narrow.are_exact) CHECK(widest.errors[1] == narrow.errors[1]);
  return widest;
}

}  // namespace

TEST_CASE("a product is its rounded value and its error") {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> digits(-2, 2);
  std::size_t wrong = 0, refused = 0;
  for (int n = 0; n < 20'000; ++n) {
    const int e = static_cast<int>(random() % 900) - 450,
              f = static_cast<int>(random() % 900) - 450;
    double x = std::ldexp(digits(random), e), y = std::ldexp(digits(random), f);
    if (n % 3 == 0) x = std::ldexp(2 - std::numeric_limits<double>::epsilon(), e);
    if (n % 5 == 0) y = std::ldexp(1 + std::numeric_limits<double>::epsilon(), f);
    const result r = split_of(x, y);
    refused += !r.are_exact;
    if (!r.are_exact) continue;
    const exact_integer sum = exactly(r.products[1]) + exactly(r.errors[1]);
    wrong += exact_integer(sum << 1074U) != exactly(x) * exactly(y);
    wrong += r.products[1] != x * y;
    wrong += r.products[3] != 15 || r.errors[3] != 0 || r.products[2] != 0 || r.errors[2] != 0;
  }
  CHECK(wrong == 0);
  CHECK(refused == 0);
}

TEST_CASE("products near the limits are refused") {
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(split_of(0x1p1000, 1).are_exact);
  CHECK_FALSE(split_of(0x1.1p1000, 1).are_exact);
  CHECK_FALSE(split_of(1, -0x1.1p1000).are_exact);
  CHECK_FALSE(split_of(0x1p501, 0x1p501).are_exact);
  CHECK(split_of(-0x1p-480, 0x1p-480).are_exact);
  CHECK_FALSE(split_of(0x1p-481, 0x1p-480).are_exact);
  CHECK_FALSE(split_of(0x1p-1000, 0x1p-1000).are_exact);  // rounds to 0
  CHECK(split_of(0, std::numeric_limits<double>::denorm_min()).are_exact);
  CHECK(split_of(-0x1p900, 0).are_exact);
  CHECK_FALSE(split_of(inf, 0).are_exact);
  CHECK_FALSE(split_of(inf, 1).are_exact);
  CHECK_FALSE(split_of(1, std::numeric_limits<double>::quiet_NaN()).are_exact);
  CHECK_FALSE(split_of(0, std::numeric_limits<double>::quiet_NaN()).are_exact);
}
