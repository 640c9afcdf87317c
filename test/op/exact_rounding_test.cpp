// The last step of exact sums: arithmetic of long natural numbers, and their rounding, against
// integers of any length and the processor's own rounding.
// needs: boost
#include <warpfold/op/exact_rounding.hpp>

#include <doctest/doctest.h>

#include <boost/multiprecision/cpp_int.hpp>

#include <cmath>
#include <limits>
#include <random>

namespace detail = warpfold::detail;

namespace {

using integer = boost::multiprecision::cpp_int;

template <int Words>
integer value_of(const detail::long_natural<Words>& x) {
  integer v = 0;
  for (int i = Words - 1; i >= 0; --i) v = (v << 32) + x.words[i];
  return v;
}

/// Words of random digits, of only zeros and of only ones.
template <int Words, class Random>
detail::long_natural<Words> random_natural(Random& random) {
  detail::long_natural<Words> x;
  for (auto& word : x.words) {
    const auto kind = random() % 3;
    word = kind == 0 ? 0u : kind == 1 ? 0xffffffffu : static_cast<std::uint32_t>(random());
  }
  return x;
}

}  // namespace

TEST_CASE("sums, products, differences and digits of long numbers") {
  std::mt19937_64 random(1);
  for (int n = 0; n < 2'000; ++n) {
    const auto a = random_natural<3>(random), b = random_natural<3>(random);
    const auto c = random_natural<2>(random);
    detail::long_natural<7> product;
    product.add_product(a, b);
    product.add_product(a, c);
    integer want = value_of(a) * value_of(b) + value_of(a) * value_of(c);
    CHECK(value_of(product) == want);
    detail::long_natural<7> part;
    part.add_product(a, c);
    product.subtract(part);
    want -= value_of(a) * value_of(c);
    CHECK(value_of(product) == want);
    CHECK(product.highest() == (want == 0 ? -1 : static_cast<int>(msb(want))));
    const int place = static_cast<int>(random() % 200);
    const auto shifted = integer(want >> static_cast<unsigned>(place));
    CHECK(product.digit(place) == (shifted % 2 == 1));
    CHECK(product.digits_from(place) == static_cast<std::uint64_t>(shifted & 0xffffffffffffffff));
    CHECK(product.any_below(place) == ((shifted << static_cast<unsigned>(place)) != want));
  }
  CHECK(value_of(detail::to_long(0x123456789abcdef0)) == 0x123456789abcdef0);
}

TEST_CASE("a number rounds as the processor rounds, and digits that follow decide ties") {
  std::mt19937_64 random(2);
  for (int n = 0; n < 20'000; ++n) {
    const std::uint64_t digits = random() >> random() % 64;
    CHECK(detail::rounded_number<double>(false, digits, 0, false) == static_cast<double>(digits));
    CHECK(detail::rounded_number<float>(true, digits, 0, false) == -static_cast<float>(digits));
    // Short ones are scaled without rounding. A double then rounds once to float.
    const std::uint64_t few = digits >> 11;
    const int exponent = static_cast<int>(random() % 320) - 210;
    const double scaled = std::ldexp(static_cast<double>(few), exponent);
    CHECK(detail::rounded_number<float>(false, few, exponent, false) == static_cast<float>(scaled));
    const int down = -1'100 + static_cast<int>(random() % 60);  // below the normal doubles
    CHECK(detail::rounded_number<double>(false, few, down, false) ==
          std::ldexp(static_cast<double>(few), down));
  }
  const std::uint64_t tie = (std::uint64_t{1} << 62) + (std::uint64_t{1} << 9);
  CHECK(detail::rounded_number<double>(false, tie, -62, false) == 1);
  CHECK(detail::rounded_number<double>(false, tie, -62, true) ==
        1 + std::numeric_limits<double>::epsilon());
  CHECK(detail::rounded_number<double>(false, 1, 1'024, false) ==
        std::numeric_limits<double>::infinity());
  CHECK(detail::rounded_number<double>(false, 1, -1'075, false) == 0);
  CHECK(detail::rounded_number<double>(false, 3, -1'076, false) ==
        std::numeric_limits<double>::denorm_min());
  CHECK(detail::rounded_number<float>(false, 1, 100'000, false) ==
        std::numeric_limits<float>::infinity());
  CHECK(detail::rounded_number<float>(false, 1, -100'000, false) == 0);
}

TEST_CASE("quotients and roots of small numbers are those of the processor") {
  std::mt19937_64 random(3);
  for (int n = 0; n < 20'000; ++n) {
    const std::uint64_t a = random() >> 11, b = (random() >> (11 + random() % 50)) + 1;
    const auto x = detail::to_long(a);
    const auto quotient = static_cast<double>(a) / static_cast<double>(b);
    CHECK(detail::rounded_quotient<double>(false, x, 0, b) == quotient);
    CHECK(detail::rounded_quotient<double>(true, x, 3, b) == -8 * quotient);
    CHECK(detail::rounded_root<double>(x, 0) == std::sqrt(static_cast<double>(a)));
    CHECK(detail::rounded_root<double>(x, -2) == std::sqrt(static_cast<double>(a)) / 2);
    CHECK(detail::rounded_root<double>(x, -1) == std::sqrt(static_cast<double>(a) / 2));
    const std::uint64_t c = b % 1'000 + 1, d = b % 77 + 1;
    CHECK(detail::rounded_quotient<double>(false, x, 0, c, d) ==
          static_cast<double>(a) / static_cast<double>(c * d));
    const std::uint64_t square = a >> 28;
    CHECK(detail::rounded_root<double>(detail::to_long(square * square * c), 0, c) ==
          static_cast<double>(square));
  }
  CHECK(detail::rounded_root<double>(detail::to_long(0), 7) == 0);
  CHECK(detail::rounded_quotient<double>(false, detail::to_long(0), 7, 3) == 0);
}
