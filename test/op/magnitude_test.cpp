// magnitude: absolute values of numbers and complex numbers, without overflow, and of -0.
#include <warpfold/op/magnitude.hpp>

#include <doctest/doctest.h>

#include <complex>

#include "contract/oracle.hpp"

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

template <class T>
using magnitude_t = decltype(wf::magnitude{}(std::declval<T>()));

}  // namespace

// Unsigned, so that the least value has a magnitude too; otherwise the type of the parts.
static_assert(std::is_same_v<magnitude_t<signed char>, unsigned long long>);
static_assert(std::is_same_v<magnitude_t<float>, float>);
static_assert(std::is_same_v<magnitude_t<long double>, long double>);
static_assert(std::is_same_v<magnitude_t<std::complex<float>>, float>);
static_assert(!std::is_invocable_v<wf::magnitude, const char*>);

TEST_CASE("magnitudes of numbers, and of complex numbers whose squares overflow") {
  const wf::magnitude size;
  CHECK(size(-5) == 5u);
  CHECK(size(5) == 5u);
  CHECK(size(0) == 0u);
  CHECK(size(std::numeric_limits<int>::min()) == 2147483648u);
  CHECK(size(std::numeric_limits<signed char>::min()) == 128u);
  CHECK(size(std::numeric_limits<long long>::min()) == 9223372036854775808u);
  CHECK(size(7u) == 7u);
  CHECK(test::same_bits(size(-0.0), 0.0));
  CHECK(test::same_bits(size(-0.0f), 0.0f));
  CHECK(size(-2.5f) == 2.5f);
  CHECK(size(-inf) == inf);
  CHECK(size(-2.5L) == 2.5L);
  CHECK(size(2.5L) == 2.5L);
  CHECK(size(0.5L) == 0.5L);
  CHECK_FALSE(std::signbit(size(0.0L)));
  CHECK_FALSE(std::signbit(size(-0.0L)));
  CHECK(size(std::complex<double>(3, -4)) == 5);
  CHECK(size(std::complex<float>(-3e30f, 4e30f)) == 5e30f);
  CHECK(std::isnan(size(std::complex<double>(std::nan(""), inf))));
  CHECK(std::isnan(size(std::complex<double>(inf, std::nan("")))));
  CHECK(size(std::complex<double>(inf, 1)) == inf);
}
