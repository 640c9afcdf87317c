// plus{}.exact() where the compiler may reorder and drop floating-point operations, and the
// processor takes small numbers for zero: the same bits. The expected sums are bits of integers,
// because such a compiler may also assume that there are no infinities.
// flags: -ffast-math
// needs: tbb
#include <warpfold/op/exact.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <vector>

#include <warpfold/dot.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/statistics.hpp>

namespace wf = warpfold;

namespace {

constexpr auto exact = wf::plus{}.exact();

std::uint32_t bits_of(float x) { return __builtin_bit_cast(std::uint32_t, x); }
std::uint64_t bits_of(double x) { return __builtin_bit_cast(std::uint64_t, x); }
float float_of(std::uint32_t b) { return __builtin_bit_cast(float, b); }
double double_of(std::uint64_t b) { return __builtin_bit_cast(double, b); }

}  // namespace

TEST_CASE("numbers below the normal ones count") {
  std::vector<float> v(5'000, float_of(3));  // 3 * 2^-149
  CHECK(bits_of(wf::reduce(wf::par, v, exact)) == 15'000);
  v[4'321] = float_of(0x80000000 + 20'000);
  CHECK(bits_of(wf::reduce(wf::par, v, exact)) == 0x80000000 + 5'003);
  CHECK(bits_of(wf::reduce(wf::seq, v, exact)) == 0x80000000 + 5'003);
  v[4'321] = 1;
  v[4'320] = -1;
  CHECK(bits_of(wf::reduce(wf::par, v, exact)) == 3 * 4'998);
  std::vector<double> w(5'000, double_of(7));
  w[77] = 1;
  w[78] = -1;
  CHECK(bits_of(wf::reduce(wf::par, w, exact)) == 7 * 4'998);
}

TEST_CASE("differences are not optimized away") {
  std::vector<double> v(9'000);
  for (std::size_t i = 0; i < v.size(); i += 3) {
    v[i] = 1e16;
    v[i + 1] = 0.125;
    v[i + 2] = -1e16;
  }
  CHECK(wf::reduce(wf::par, v, exact) == 375);
  std::vector<float> w(v.begin(), v.end());
  CHECK(wf::reduce(wf::par, w, exact) == 375);
  // The lower digits of numbers, of which a double has 53.
  std::vector<double> x(4'096, double_of(0x3ff0000000000001));
  x[0] = -4'095;
  CHECK(bits_of(wf::reduce(wf::par, x, exact)) == bits_of(4'095 * 0x1p-52));
}

TEST_CASE("signs of zero, infinities and NaN") {
  std::vector<float> v(5'000, float_of(0x80000000));
  CHECK(bits_of(wf::reduce(wf::par, v, exact)) == 0x80000000);
  v[7] = 0;
  CHECK(bits_of(wf::reduce(wf::par, v, exact)) == 0);
  v.assign(5'000, 1);
  v[99] = float_of(0xff800000);
  CHECK(bits_of(wf::reduce(wf::par, v, exact)) == 0xff800000);
  v[98] = float_of(0x7f800000);
  CHECK((bits_of(wf::reduce(wf::par, v, exact)) & 0x7fffffff) > 0x7f800000);
  v.assign(5'000, 1);
  v[97] = float_of(0x7fc00000);
  CHECK((bits_of(wf::reduce(wf::par, v, exact)) & 0x7fffffff) > 0x7f800000);
  std::vector<double> w(5'000, 1);
  w[4'000] = double_of(0xfff8000000000000);
  CHECK((bits_of(wf::reduce(wf::par, w, exact)) & 0x7fffffffffffffff) > 0x7ff0000000000000);
  v.assign(5'000, float_of(0x7f7fffff));  // the largest float
  CHECK(bits_of(wf::reduce(wf::par, v, exact)) == 0x7f800000);
}

TEST_CASE("products, norms and means") {
  const std::vector<double> a{1e200, 3, double_of(5), 1e200, double_of(7)};
  const std::vector<double> b{1e200, 5, 1, -1e200, double_of(9)};
  CHECK(bits_of(wf::dot(wf::par, a, b, exact)) == bits_of(15.0));
  CHECK(bits_of(wf::dot(wf::seq, a, b, exact)) == bits_of(15.0));
  const std::vector<float> c{float_of(5), 1, 1}, d{1, 1, -1};
  CHECK(bits_of(wf::dot(wf::par, c, d, exact)) == 5);
  CHECK(bits_of(wf::dot(wf::par, c, std::vector<double>{1, 1, -1}, exact)) ==
        bits_of(5 * 0x1p-149));
  const std::vector<double> small(4, double_of(3));
  CHECK(bits_of(wf::norm_2(wf::par, small, exact)) == 6);
  CHECK(bits_of(wf::mean(wf::par, small, exact)) == 3);
  CHECK(bits_of(wf::mean(wf::par, std::vector<float>{float_of(4), float_of(7)}, exact)) == 6);
  const std::vector<double> zeros(3, double_of(0x8000000000000000)), ones(3, 1);
  CHECK(bits_of(wf::dot(wf::par, zeros, ones, exact)) == 0x8000000000000000);
  const std::vector<std::complex<double>> z{{0.5, -2}, {1e200, 1}, {1e200, 1}},
      w{{3, 4}, {1e200, 0}, {-1e200, 0}};
  const auto product = wf::dot(wf::par, z, w, exact);
  CHECK(bits_of(product.real()) == bits_of(-6.5));
  CHECK(bits_of(product.imag()) == bits_of(8.0));
}
