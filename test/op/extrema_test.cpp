// minimum and maximum: IEEE 754-2019 on every pair of odd values, identities, types.
#include <doctest/doctest.h>

#include <string>

#include "contract/oracle.hpp"

namespace {

template <class T>
std::vector<T> odd_values() {
  using limits = std::numeric_limits<T>;
  std::vector<T> values = {T(0),
                           T(1),
                           T(1.5),
                           T(3),
                           limits::max(),
                           limits::min(),
                           limits::denorm_min(),
                           limits::epsilon(),
                           limits::infinity(),
                           limits::quiet_NaN()};
  // A NaN with the least mantissa: none of its bits may be lost.
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  values.push_back(
      std::bit_cast<T>(static_cast<bits>(std::bit_cast<bits>(limits::infinity()) | 1)));
  const std::size_t positive = values.size();
  values.reserve(2 * positive);
  for (std::size_t i = 0; i < positive; ++i) values.push_back(-values[i]);
  return values;
}

// The standard's words: NaN if either is, else the smaller, -0 being smaller than +0.
template <class T>
bool is_minimum(T result, T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(result);
  T want = a < b ? a : b;
  if (a == b) want = std::signbit(a) ? a : b;
  return test::same_bits(result, want);
}

}  // namespace

TEST_CASE_TEMPLATE("minimum and maximum of every pair of odd values", T, float, double) {
  for (const T a : odd_values<T>()) {
    for (const T b : odd_values<T>()) {
      INFO(a, " and ", b);
      CHECK(is_minimum(wf::minimum{}(a, b), a, b));
      CHECK(is_minimum(-wf::maximum{}(a, b), -a, -b));
      if (!std::isnan(a) && !std::isnan(b)) {
        CHECK(test::same_bits(wf::minimum{}(a, b), wf::minimum{}(b, a)));
        CHECK(test::same_bits(wf::maximum{}(a, b), wf::maximum{}(b, a)));
      }
    }
  }
}

TEST_CASE_TEMPLATE("op(identity, x) is x", T, float, double, signed char, unsigned char, short, int,
                   unsigned, long, long long, unsigned long long) {
  const T low = wf::op_traits<wf::maximum, T>::identity(wf::maximum{});
  const T high = wf::op_traits<wf::minimum, T>::identity(wf::minimum{});
  for (const T x : {std::numeric_limits<T>::lowest(), T(0), T(1), std::numeric_limits<T>::max()}) {
    CHECK(wf::maximum{}(low, x) == x);
    CHECK(wf::minimum{}(high, x) == x);
    CHECK(wf::maximum{}(x, high) == high);
    CHECK(wf::minimum{}(x, low) == low);
  }
  if (std::numeric_limits<T>::has_infinity) {
    CHECK(low == -std::numeric_limits<T>::infinity());
    CHECK(high == std::numeric_limits<T>::infinity());
  }
}

TEST_CASE("minimum and maximum are usable in constant expressions") {
  static_assert(wf::minimum{}(3, 2) == 2);
  static_assert(wf::maximum{}(-1.0f, 2.0f) == 2.0f);
  static_assert(wf::maximum{}(-2.0, -1.0) == -1.0);
}

TEST_CASE("operands of two types are compared in their common type") {
  static_assert(std::is_same_v<decltype(wf::maximum{}(1, 2.5)), double>);
  CHECK(wf::maximum{}(1, 2.5) == 2.5);
  CHECK(wf::minimum{}(1.0f, 2.5) == 1.0);
  static_assert(std::is_same_v<decltype(wf::minimum{}('a', 'b')), char>);
}

TEST_CASE("a class type is compared with <, and has no identity") {
  const std::string a = "pear", b = "apple";
  CHECK(wf::minimum{}(a, b) == "apple");
  CHECK(wf::maximum{}(a, b) == "pear");
  static_assert(!wf::op_traits<wf::minimum, std::string>::has_identity);
  static_assert(wf::op_traits<wf::minimum, int>::has_identity);
}

namespace {

struct named_key {
  int key;
  char name;
  friend bool operator<(const named_key& a, const named_key& b) { return a.key < b.key; }
};

}  // namespace

TEST_CASE("of two of a class that are equal, the first") {
  const named_key a{3, 'a'}, b{3, 'b'}, c{4, 'c'};
  CHECK(wf::minimum{}(a, b).name == 'a');
  CHECK(wf::minimum{}(b, a).name == 'b');
  CHECK(wf::maximum{}(a, b).name == 'a');
  CHECK(wf::maximum{}(b, a).name == 'b');
  CHECK(wf::minimum{}(c, a).name == 'a');
  CHECK(wf::maximum{}(a, c).name == 'c');
}

TEST_CASE("long doubles: NaN, zeros of both signs") {
  const long double nan = std::numeric_limits<long double>::quiet_NaN();
  const long double values[] = {0.0L, -0.0L, 1.0L, -1.0L, nan};
  for (const long double a : values) {
    for (const long double b : values) {
      INFO(static_cast<double>(a), " and ", static_cast<double>(b));
      const long double least = wf::minimum{}(a, b), greatest = wf::maximum{}(a, b);
      if (std::isnan(a) || std::isnan(b)) {
        CHECK(std::isnan(least));
        CHECK(std::isnan(greatest));
      } else {
        CHECK(least == std::fmin(a, b));
        CHECK(greatest == std::fmax(a, b));
        CHECK(std::signbit(least) == (std::signbit(a) || std::signbit(b)));
        CHECK(std::signbit(greatest) == (std::signbit(a) && std::signbit(b)));
      }
    }
  }
}

TEST_CASE_TEMPLATE("without branches the bits are the same", T, float, double) {
  for (const T a : odd_values<T>()) {
    for (const T b : odd_values<T>()) {
      INFO(a, " and ", b);
      CHECK(is_minimum(wf::minimum{}.without_branches(a, b), a, b));
      CHECK(is_minimum(-wf::maximum{}.without_branches(a, b), -a, -b));
    }
  }
}
