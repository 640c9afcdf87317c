// Exact dot products on the policies of the host and in the emulation: the nearest number to the
// sum of the products, of numbers of all types and of complex ones.
// needs: cccl boost tbb boost_context
// flags: -O1
#include <warpfold/op/exact_product.hpp>

#include <doctest/doctest.h>

#include <cuda/std/complex>

#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include <warpfold/dot.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/policy/seq.hpp>

#include "contract/exact_numbers.hpp"
#include "contract/exact_oracle.hpp"

namespace wf = warpfold;

namespace {

using test::exact_integer;
using test::numbers;
using test::shape;

constexpr auto exact = wf::plus{}.exact();

/// Equal, or both NaN.
template <class T>
bool same(T a, T b) {
  return (a == b && std::signbit(a) == std::signbit(b)) || (std::isnan(a) && std::isnan(b));
}
template <class T>
bool same(std::complex<T> a, std::complex<T> b) {
  return same(a.real(), b.real()) && same(a.imag(), b.imag());
}

/// The dot product on every policy, which must be the same.
template <class A, class B, class Op>
auto dot_everywhere(const A& a, const B& b, Op op) {
  const auto d = wf::dot(wf::par, a, b, op);
  if (a.size() > 2'000) return d;
  CHECK(same(wf::dot(wf::emulated, a, b, op), d));
  CHECK(same(wf::dot(wf::seq, a, b, op), d));
  return d;
}

template <class T, class A, class B>
bool is_nearest_dot(T d, const A& a, const B& b) {
  return test::is_nearest(d, test::exactly_dot(a, b), test::of_products());
}

}  // namespace

TEST_CASE_TEMPLATE("dot products of any numbers are the nearest numbers", T, float, double) {
  for (const std::size_t n : {1u, 2u, 31u, 500u, 6'011u}) {
    for (const shape s : test::shapes) {
      for (const shape t : test::shapes) {
        CAPTURE(n);
        CAPTURE(static_cast<int>(s));
        CAPTURE(static_cast<int>(t));
        const std::vector<T> a = numbers<T>(s, n), b = numbers<T>(t, n, 1);
        const T d = dot_everywhere(a, b, exact);
        CHECK(is_nearest_dot(d, a, b));
        const float to_float = dot_everywhere(a, b, wf::plus{}.exact<float>());
        CHECK(is_nearest_dot(to_float, a, b));
        const double to_double = dot_everywhere(a, b, wf::plus{}.exact<double>());
        CHECK(is_nearest_dot(to_double, a, b));
      }
    }
  }
}

TEST_CASE_TEMPLATE("dot products that cancel", T, float, double) {
  // a, a, b and b, -b, tiny: the large products cancel.
  for (const shape s : test::shapes) {
    CAPTURE(static_cast<int>(s));
    const std::vector<T> x = numbers<T>(s, 3'000), y = numbers<T>(shape::lognormal, 3'000, 1);
    std::vector<T> a(x), b(y);
    a.insert(a.end(), x.begin(), x.end());
    for (const T v : y) b.push_back(-v);
    a.push_back(std::numeric_limits<T>::denorm_min());
    b.push_back(std::numeric_limits<T>::epsilon());
    const T d = dot_everywhere(a, b, wf::plus{}.exact());
    CHECK(is_nearest_dot(d, a, b));
    CHECK(d == 0);
    wf::exact_sum<T, 2> state;
    wf::dot_async(wf::par, a, b, exact, &state);
    CHECK(state.root() > 0);
    a.back() = 3;
    b.back() = 5;
    CHECK(dot_everywhere(a, b, exact) == 15);
  }
}

TEST_CASE("products of floats and doubles, also where the processor takes small floats for zero") {
  const std::vector<float> a = numbers<float>(shape::below_normal, 5'000);
  const std::vector<double> b = numbers<double>(shape::any_exponent, 5'000);
  const auto d = dot_everywhere(a, b, exact);
  static_assert(std::is_same_v<decltype(d), const double>);
  CHECK(is_nearest_dot(d, a, b));
  CHECK(dot_everywhere(b, a, exact) == d);
  for (const float x : {1.5f, -0.0f, 1e-40f, -1e-45f, std::numeric_limits<float>::infinity()}) {
    CHECK(same(wf::detail::exactly_double(x), static_cast<double>(x)));
  }
  CHECK(std::isnan(wf::detail::exactly_double(std::numeric_limits<float>::quiet_NaN())));
}

TEST_CASE_TEMPLATE("special values", T, float, double) {
  const T inf = std::numeric_limits<T>::infinity(), max = std::numeric_limits<T>::max();
  std::vector<T> a(1'500, 1), b(1'500, T(-0.0));
  CHECK(same(dot_everywhere(a, b, exact), T(-0.0)));
  b[1'400] = 0;
  CHECK(same(dot_everywhere(a, b, exact), T(0)));
  CHECK(same(dot_everywhere(std::vector<T>{}, std::vector<T>{}, exact), T(0)));
  b.assign(1'500, 2);
  a[10] = inf;
  CHECK(dot_everywhere(a, b, exact) == inf);
  b[20] = -inf;
  CHECK(std::isnan(dot_everywhere(a, b, exact)));
  b[20] = 2;
  b[10] = 0;
  CHECK(std::isnan(dot_everywhere(a, b, exact)));
  a.assign(1'500, max);
  b.assign(1'500, max);
  CHECK(dot_everywhere(a, b, exact) == inf);
  for (std::size_t i = 1; i < b.size(); i += 2) b[i] = -max;
  CHECK(same(dot_everywhere(a, b, exact), T(0)));
  a[7] = std::numeric_limits<T>::denorm_min();
  CHECK(dot_everywhere(a, b, exact) == inf);
}

TEST_CASE("inner_product with an init, and the projection itself") {
  const std::vector<double> a{1e200, 1, 1e200}, b{1e200, 1, -1e200};
  const auto products = wf::multiplies{}.exact();
  CHECK(wf::inner_product(wf::seq, a, b, 2.0, exact, products) == 3);
  CHECK(wf::inner_product(wf::par, a, b, 2.0, exact, products) == 3);
  CHECK(wf::inner_product(wf::emulated, a, b, 2.0, exact, products) == 3);
  CHECK(wf::reduce(wf::par, wf::project(wf::zip(a, b), products), exact) == 1);
  CHECK_THROWS_AS(wf::dot(wf::seq, a, std::vector<double>{1}, exact), wf::invalid_range);
}

TEST_CASE_TEMPLATE("complex numbers, with the first factor conjugated", T, float, double) {
  using Z = std::complex<T>;
  for (const shape s : test::shapes) {
    CAPTURE(static_cast<int>(s));
    constexpr std::size_t n = 1'500;
    const auto ar = numbers<T>(s, n), ai = numbers<T>(s, n, 1);
    const auto br = numbers<T>(shape::lognormal, n, 2), bi = numbers<T>(shape::lognormal, n, 3);
    std::vector<Z> a(n), b(n);
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = {ar[i], ai[i]};
      b[i] = {br[i], bi[i]};
    }
    using test::exactly_dot;
    const exact_integer rr = exactly_dot(ar, br), ii = exactly_dot(ai, bi);
    const exact_integer ri = exactly_dot(ar, bi), ir = exactly_dot(ai, br);
    const auto unit = test::of_products();
    const Z d = dot_everywhere(a, b, exact);
    CHECK(test::is_nearest(d.real(), exact_integer(rr + ii), unit));
    CHECK(test::is_nearest(d.imag(), exact_integer(ri - ir), unit));
    const Z plain = wf::inner_product(wf::par, a, b, Z(0), exact, wf::multiplies{}.exact());
    CHECK(test::is_nearest(plain.real(), exact_integer(rr - ii), unit));
    CHECK(test::is_nearest(plain.imag(), exact_integer(ri + ir), unit));
    const auto wide = wf::dot(wf::par, a, b, wf::plus{}.exact<double>());
    static_assert(std::is_same_v<decltype(wide), const std::complex<double>>);
    CHECK(test::is_nearest(wide.imag(), exact_integer(ri - ir), unit));
  }
}

TEST_CASE("complex numbers of the CUDA standard library, and of two widths") {
  const std::vector<cuda::std::complex<float>> a{{1, 2}, {3, 4}};
  const auto d = wf::dot(wf::par, a, a, exact);
  static_assert(std::is_same_v<decltype(d), const cuda::std::complex<float>>);
  CHECK(d.real() == 30);
  CHECK(d.imag() == 0);
  const std::vector<cuda::std::complex<double>> b{{1e-300, 0}, {0, 1}};
  const auto wide = wf::dot(wf::seq, a, b, exact);
  static_assert(std::is_same_v<decltype(wide), const cuda::std::complex<double>>);
  CHECK(wide.real() == 4);
  CHECK(wide.imag() == 3);
}
