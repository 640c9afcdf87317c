// rounded_product, compiled for a processor with fused multiply-add if this one has it: the rounded
// product, also before a sum, and the sign of a zero.
// flags: -O2 -ffp-contract=fast
#include <warpfold/op/rounded_product.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <type_traits>

using warpfold::detail::rounded_product;

namespace {

template <class T>
[[gnu::noinline]] T product_and_sum(T x, T y, T z) {
  return rounded_product(x, y) + z;
}

}  // namespace

TEST_CASE_TEMPLATE("the product is rounded before the sum", T, float, double) {
  const T x = 1 + std::numeric_limits<T>::epsilon();
  volatile T rounded = x * x;
  CHECK(product_and_sum<T>(x, x, -rounded) == 0);
  CHECK(std::fma(x, x, -rounded) != 0);
}

TEST_CASE("zeros keep their signs, types are those of the product, and constants are constant") {
  CHECK(std::signbit(product_and_sum(-1.0, 0.0, -0.0)));
  CHECK(std::signbit(rounded_product(-1.0f, 0.0f)));
  CHECK(!std::signbit(rounded_product(1.0f, 0.0f)));
  static_assert(std::is_same_v<decltype(rounded_product(1.0f, 1.0)), double>);
  static_assert(std::is_same_v<decltype(rounded_product(2, 3u)), unsigned>);
  static_assert(rounded_product(2, 3.0f) == 6);
}
