// The tables of 16-bit floats for exact sums: all values, many of one sign, special values.
#include <warpfold/op/exact_half_table.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "op/table_columns.hpp"

namespace wf = warpfold;

namespace {

using half = wf::detail::half_table<test::vector_column>;
using bfloat = wf::detail::bfloat_table<test::vector_column>;
using sum = wf::exact_sum<float>;

/// All finite bfloat16, as floats.
std::vector<float> all_bfloats() {
  std::vector<float> numbers;
  for (std::uint32_t b = 0; b < 1u << 16; ++b) {
    const float x = __builtin_bit_cast(float, b << 16);
    if (std::isfinite(x)) numbers.push_back(x);
  }
  return numbers;
}
/// All finite halves with a sign, as floats.
std::vector<float> all_halves(float sign) {
  std::vector<float> numbers;
  for (int digits = 0; digits < 1024; ++digits) {
    numbers.push_back(sign * std::ldexp(static_cast<float>(digits), -24));
    for (int exponent = -14; exponent < 16; ++exponent) {
      numbers.push_back(sign * std::ldexp(1 + static_cast<float>(digits) / 1024, exponent));
    }
  }
  return numbers;
}

}  // namespace

TEST_CASE("all halves, many times") {
  std::vector<float> numbers;
  for (int k = 0; k < 3; ++k) {
    for (const float x : all_halves(k == 1 ? -1.0f : 1.0f)) numbers.push_back(x);
  }
  test::check_sums<half, sum>(numbers);
  std::vector<float> large(100'000, -65504.0f);
  test::check_sums<half, sum>(large);
  large.push_back(0x1p-24f);
  test::check_sums<half, sum>(large);
  test::check_sums<half, sum>(std::vector<float>{});
}

TEST_CASE("all bfloat16, and windows of them") {
  test::check_sums<bfloat, sum>(all_bfloats());
  for (const int least : {-149, -126, -97, -20, 80, 118}) {
    std::vector<float> numbers;
    for (int k = 0; k < 40'000; ++k) {
      numbers.push_back(std::ldexp(1 + static_cast<float>(k % 128) / 128, least + k % 9));
    }
    test::check_sums<bfloat, sum>(numbers);
  }
}

TEST_CASE("a window that is full many times leaves room in its bin") {
  // 452 numbers fill a window, 17 000 windows the double of a bin. Then comes its least digit.
  const float x = 255;
  std::vector<float> numbers(452 * 20'000, x);
  numbers.insert(numbers.end(), {2.0f, std::ldexp(129.0f, -22), x, -x});
  test::check_sums<bfloat, sum>(numbers, 1);
}

TEST_CASE("a group that may lack numbers, and lacks none") {
  const float numbers[] = {1, 1, 1, 0x1p-100f};
  sum want, got;
  for (const float x : numbers) want.add(x);
  test::table_columns<bfloat> columns(1);
  columns.add_group<false>(0, 4, [&](auto& slot, std::size_t k) { slot.add(numbers[k]); });
  const auto words = columns.settled(4);
  std::copy(words.begin(), words.end(), got.words());
  CHECK(test::have_same_digits(got, want));
}

TEST_CASE_TEMPLATE("zeros, infinities and NaN", table, half, bfloat) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const std::vector<float>& numbers : {std::vector<float>{-0.0f, -0.0f},
                                            {-0.0f, -0.0f, -0.0f, -0.0f, -0.0f},
                                            {-0.0f, 0.0f},
                                            {1.0f, -1.0f, -0.0f},
                                            {1.0f, 2.0f, 3.0f, 4.0f, infinity}}) {
    test::check_sums<table, sum>(numbers);
  }
  const std::vector<float> both{infinity, 1.0f, 1.0f, 1.0f, -infinity};
  CHECK(std::isnan(test::sum_in_tables<table, sum>(both).rounded()));
}
