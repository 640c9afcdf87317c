// The window of exponents in front of a table of digits: numbers inside, above and below, its
// edges, many numbers of one sign, and groups that are not whole.
#include <warpfold/op/exact_window.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "op/table_columns.hpp"

namespace wf = warpfold;

namespace {

using table = wf::detail::windowed_table<wf::exact_sum<double>, test::vector_column>;
using products = wf::detail::windowed_table<wf::exact_sum<float, 2>, test::vector_column>;
using sum = wf::exact_sum<double>;

}  // namespace

TEST_CASE("doubles of similar and of all exponents") {
  for (const std::size_t n : {0, 1, 3, 6, 5000}) {
    for (const int binades : {1, 24, 32, 33, 60}) {
      test::check_sums<table, sum>(test::numbers_of<double>(n, -7, binades));
      test::check_sums<table, sum>(test::numbers_of<double>(n, 990, binades > 30 ? 30 : binades));
      test::check_sums<table, sum>(test::numbers_of<double>(n, -1074, binades));
    }
    test::check_sums<table, sum>(test::numbers_of<double>(n, -1074, 2090));
  }
}

TEST_CASE("numbers that grow, shrink, and come in turns") {
  std::vector<double> growing, shrinking, in_turns;
  for (int k = 0; k < 2000; ++k) {
    const double digits = 1 + k * 0x1.23456789abcdep-12;
    growing.push_back(std::ldexp(digits, k - 1000));
    shrinking.push_back(std::ldexp(-digits, 1000 - k));
    in_turns.push_back(std::ldexp(digits, k % 16 < 8 ? 0 : 40));
  }
  test::check_sums<table, sum>(growing);
  test::check_sums<table, sum>(shrinking);
  test::check_sums<table, sum>(in_turns);
}

TEST_CASE("the digits of 512 numbers at both ends of a window") {
  // The first group sets the window: seven exponents above its largest number, 24 below.
  std::vector<double> numbers(4, 1.0);
  numbers.resize(20'004, std::nextafter(0x1p8, 0.0));
  numbers.push_back(std::nextafter(0x1p-24, 1.0));
  test::check_sums<table, sum>(numbers);
  for (double& x : numbers) x = std::nextafter(0x1p-23, 0.0);
  numbers[0] = 1.0;
  test::check_sums<table, sum>(numbers);
}

TEST_CASE("zeros, infinities and NaN") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& numbers : {std::vector<double>{-0.0},
                                             {-0.0, -0.0, -0.0, -0.0, -0.0},
                                             {-0.0, 0.0},
                                             {1.0, -1.0, -0.0},
                                             {1.0, 1.0, -1.0, -1.0, 2.0, -2.0},
                                             {1.0, 2.0, 3.0, 4.0, infinity, 1.0},
                                             {1.0, 2.0, 3.0, 4.0, -infinity}}) {
    test::check_sums<table, sum>(numbers);
  }
  const std::vector<double> both{1.0, 1.0, 1.0, 1.0, infinity, 1.0, 1.0, 1.0, -infinity};
  CHECK(std::isnan(test::sum_in_tables<table, sum>(both).rounded()));
}

TEST_CASE("products of floats") {
  const auto a = test::numbers_of<float>(3000, -148, 270),
             b = test::numbers_of<float>(3004, -60, 30);
  wf::exact_sum<float, 2> want, got;
  test::table_columns<products> columns(2);
  for (std::size_t i = 0; i < a.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k) want.add(a[i + k], b[i + k]);
    columns.add_group<true>(i / 4 % 2, 4,
                            [&](auto& slot, std::size_t k) { slot.add(a[i + k], b[i + k]); });
  }
  const auto words = columns.settled(a.size());
  std::copy(words.begin(), words.end(), got.words());
  CHECK(got.rounded<double>() == want.rounded<double>());
}

TEST_CASE("zeros of both signs among numbers, before and after them") {
  for (const double zero : {0.0, -0.0}) {
    std::vector<double> v(40, zero);
    test::check_sums<table, sum>(v);
    v[17] = 3;
    v[18] = 1 / 3.0;
    test::check_sums<table, sum>(v);
    v[29] = -3;
    v[30] = -1 / 3.0;
    test::check_sums<table, sum>(v);
  }
  std::vector<double> sparse(5000, 0.0);
  for (std::size_t i = 0; i < sparse.size(); i += 3) sparse[i] = std::sqrt(static_cast<double>(i));
  test::check_sums<table, sum>(sparse);
}
