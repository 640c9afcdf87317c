// e^x as 2^k times a number near 1: the product beside std::exp, and powers of two by their bits.
#include <warpfold/op/split_exponential.hpp>

#include <doctest/doctest.h>

#include <cmath>

namespace detail = warpfold::detail;

TEST_CASE("the number near 1 and the power of two make the exponential") {
  double of_float = 0, of_double = 0;
  for (int i = -2550; i <= 2550; ++i) {
    const float x = static_cast<float>(i) * 0.1f;
    const auto e = detail::split_exponential<float>::of(x);
    CHECK(detail::split_exponential<float>::admits(x));
    const double found = std::ldexp(static_cast<double>(detail::exponential_near_1(e.remainder)),
                                    static_cast<int>(detail::exponent_of<float>(e.biased)));
    of_float = std::fmax(of_float, std::fabs(found / std::exp(static_cast<double>(x)) - 1));

    const double y = i * 0.27;
    const auto d = detail::split_exponential<double>::of(y);
    const long double wide =
        std::ldexp(static_cast<long double>(detail::exponential_near_1(d.remainder)),
                   static_cast<int>(detail::exponent_of<double>(d.biased)));
    of_double =
        std::fmax(of_double,
                  static_cast<double>(std::fabs(wide / std::exp(static_cast<long double>(y)) - 1)));
  }
  CHECK(of_float < 2 * 0x1p-24);
  CHECK(of_double < 2 * 0x1p-53);
}

TEST_CASE("powers of two by their bits") {
  CHECK(detail::scaled(1.5f, 700) == 1.5 * std::ldexp(1.0, -700));
  CHECK(detail::scaled(1.5, 700) == 1.5 * std::ldexp(1.0, -700));
  CHECK(detail::power_of_half(-3) == 0.125);
  CHECK(detail::power_of_half(3) == 0.125);
  CHECK(detail::power_of_half(1e300) == std::ldexp(1.0, -1000));
}
