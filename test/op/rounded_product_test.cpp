// rounded_product, compiled for this processor, with fused multiply-adds if it has them: the
// rounded product, also before a sum, and the sign of a zero.
// flags: -O2 -march=native -ffp-contract=fast
#include <warpfold/op/multiplies.hpp>
#include <warpfold/op/rounded_product.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
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

TEST_CASE_TEMPLATE("a product of complex numbers rounds each product of parts", T, float, double) {
  const T x = 1 + std::numeric_limits<T>::epsilon();
  volatile T square = x * x, twice = 2 * square;
  const std::complex<T> z(x, x);
  CHECK(rounded_product(z, z) == std::complex<T>(0, twice));
  CHECK(rounded_product(z, x) == std::complex<T>(square, square));
  CHECK(rounded_product(x, z) == std::complex<T>(square, square));
  // An infinity stays one, as std::complex defines it, where both parts are NaN at first.
  const std::complex<T> infinite(std::numeric_limits<T>::infinity(),
                                 std::numeric_limits<T>::quiet_NaN());
  CHECK(std::isinf(rounded_product(infinite, z).real()));
  CHECK(std::isinf(rounded_product(infinite, z).imag()));
}

// Its product is another one.
struct split_complex {
  float x, y;
  constexpr float real() const { return x; }
  constexpr float imag() const { return y; }
  friend constexpr split_complex operator*(split_complex a, split_complex b) {
    return {a.x * b.x + a.y * b.y, a.x * b.y + a.y * b.x};
  }
  friend constexpr split_complex conj(split_complex a) { return {a.x, -a.y}; }
};
static_assert(!warpfold::detail::rounds_complex_product<split_complex, split_complex>);
static_assert(warpfold::multiplies{}(split_complex{0, 1}, split_complex{0, 1}).x == 1);

// Its parts are not the real and the imaginary one.
struct polar {
  float size, angle;
  float real() const { return size * std::cos(angle); }
  float imag() const { return size * std::sin(angle); }
  friend polar operator*(polar a, polar b) { return {a.size * b.size, a.angle + b.angle}; }
  friend polar conj(polar a) { return {a.size, -a.angle}; }
  friend float arg(polar a) { return a.angle; }
};
static_assert(!warpfold::detail::rounds_complex_product<polar, polar>);

// Its product is a number, and it converts to one.
struct vector {
  float x, y;
  explicit constexpr operator float() const { return x + y; }
  friend constexpr float operator*(vector a, vector b) { return a.x * b.x + a.y * b.y; }
};
static_assert(warpfold::multiplies{}(vector{1, 2}, vector{3, 4}) == 11);

TEST_CASE("zeros keep their signs, types are those of the product, and constants are constant") {
  CHECK(std::signbit(product_and_sum(-1.0, 0.0, -0.0)));
  CHECK(std::signbit(rounded_product(-1.0f, 0.0f)));
  CHECK(!std::signbit(rounded_product(1.0f, 0.0f)));
  static_assert(std::is_same_v<decltype(rounded_product(1.0f, 1.0)), double>);
  static_assert(std::is_same_v<decltype(warpfold::multiplies{}(2, 3u)), unsigned>);
  static_assert(rounded_product(2, 3.0f) == 6);
}
