// The table of digits of exact sums: numbers and products of all exponents, carries, special
// values, and words that only some threads use.
#include <warpfold/op/exact_table.hpp>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "op/exponent_pairs.hpp"
#include "op/table_columns.hpp"

namespace wf = warpfold;

namespace {

template <class T>
using table_of = wf::detail::digit_table<wf::exact_sum<T>, test::vector_column>;
template <class T>
using products_of = wf::detail::digit_table<wf::exact_sum<T, 2>, test::vector_column>;

}  // namespace

TEST_CASE_TEMPLATE("digits of numbers", T, float, double) {
  constexpr int least = std::numeric_limits<T>::min_exponent,
                most = std::numeric_limits<T>::max_exponent;
  for (const std::size_t n : {0, 1, 2, 5, 1000}) {
    test::check_sums<table_of<T>, wf::exact_sum<T>>(test::numbers_of<T>(n, 0, 3));
    test::check_sums<table_of<T>, wf::exact_sum<T>>(
        test::numbers_of<T>(n, least, most - least - 1));
    test::check_sums<table_of<T>, wf::exact_sum<T>>(
        test::numbers_of<T>(n, least - std::numeric_limits<T>::digits + 1, 30));
  }
}

TEST_CASE("pairs of exponents: all that share a word of the table, and a part of the others") {
  using table = table_of<double>;
  CHECK(test::wrong_pairs<double>([](double x, double y) {
          const int a = std::ilogb(x), b = std::ilogb(y);
          if (std::abs(a - b) > 96 && (a + b) % 61 != 0) return true;
          const std::vector<double> both{x, y};
          return test::sum_in_tables<table, wf::exact_sum<double>>(both).rounded() == x + y;
        }) == 0);
}

TEST_CASE_TEMPLATE("words carry before they overflow", T, float, double) {
  // Most of the digits of a word, with one sign, more often than a word holds.
  std::vector<T> numbers(40'000, std::nextafter(T{2}, T{0}) * std::ldexp(T{1}, 30));
  test::check_sums<table_of<T>, wf::exact_sum<T>>(numbers);
  for (T& x : numbers) x = -x;
  test::check_sums<table_of<T>, wf::exact_sum<T>>(numbers);
}

TEST_CASE_TEMPLATE("zeros, infinities and NaN", T, float, double) {
  constexpr T infinity = std::numeric_limits<T>::infinity(),
              nan = std::numeric_limits<T>::quiet_NaN();
  for (const std::vector<T>& numbers : {std::vector<T>{T(-0.0)},
                                        {T(-0.0), T(-0.0), T(-0.0), T(-0.0), T(-0.0)},
                                        {T(-0.0), T(0)},
                                        {T(1), T(-1), T(-0.0)},
                                        {infinity, T(1)},
                                        {-infinity, T(1), T(1), T(1), T(1), T(1)}}) {
    test::check_sums<table_of<T>, wf::exact_sum<T>>(numbers);
  }
  using sum = wf::exact_sum<T>;
  CHECK(std::isnan(test::sum_in_tables<table_of<T>, sum>(std::vector<T>{nan, T(1)}).rounded()));
  CHECK(std::isnan(
      test::sum_in_tables<table_of<T>, sum>(std::vector<T>{infinity, -infinity}).rounded()));
}

TEST_CASE_TEMPLATE("digits of products", T, float, double) {
  constexpr int most = std::numeric_limits<T>::max_exponent;
  const auto a = test::numbers_of<T>(3000, -most + 4, 2 * most - 6);
  const auto b = test::numbers_of<T>(3001, -most + 4, 2 * most - 6);
  wf::exact_sum<T, 2> want, got;
  test::table_columns<products_of<T>> columns(2);
  for (std::size_t i = 0; i < a.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k) want.add(a[i + k], b[i + k]);
    columns.template add_group<true>(
        i / 4 % 2, 4, [&](auto& slot, std::size_t k) { slot.add(a[i + k], b[i + k]); });
  }
  const auto words = columns.settled(a.size());
  std::copy(words.begin(), words.end(), got.words());
  CHECK(got.rounded() == want.rounded());
}

TEST_CASE("words that one thread uses are zeros for the others") {
  using sum = wf::exact_sum<double>;
  test::table_columns<table_of<double>> columns(3);
  columns.of(1).use_for({1e300, -0.0});
  columns.of(1).add(1e300);
  const auto words = columns.settled(1);
  sum got;
  std::copy(words.begin(), words.end(), got.words());
  CHECK(got.rounded() == 1e300);
}
