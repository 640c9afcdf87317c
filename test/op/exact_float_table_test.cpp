// The table of doubles for exact sums of floats: bins of all exponents, carries, special values.
#include <warpfold/op/exact_float_table.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "op/exponent_pairs.hpp"
#include "op/table_columns.hpp"

namespace wf = warpfold;

namespace {

using table = wf::detail::float_table<test::vector_column>;
using sum = wf::exact_sum<float>;

}  // namespace

TEST_CASE("floats of similar, of all and of the least exponents") {
  for (const std::size_t n : {0, 1, 3, 6, 5000}) {
    test::check_sums<table, sum>(test::numbers_of<float>(n, 0, 3));
    test::check_sums<table, sum>(test::numbers_of<float>(n, -149, 276));
    test::check_sums<table, sum>(test::numbers_of<float>(n, -149, 24));
  }
}

TEST_CASE("every pair of exponents") {
  CHECK(test::wrong_pairs<float>([](float x, float y) {
          return test::sum_in_tables<table, sum>(std::vector<float>{x, y}).rounded() == x + y;
        }) == 0);
}

TEST_CASE("bins carry before they round") {
  // 2^13 of the largest numbers of a bin fill its double.
  for (const float x : {std::nextafter(0x1p17f, 0.0f), std::numeric_limits<float>::max(),
                        -std::nextafter(0x1p-110f, 0.0f), std::nextafter(0x1p-126f, 0.0f)}) {
    std::vector<float> numbers(100'000, x);
    numbers.push_back(std::numeric_limits<float>::denorm_min());
    test::check_sums<table, sum>(numbers);
  }
}

TEST_CASE("the greatest numbers of a bin leave room for its least digit") {
  for (int field = 0; field < 255; field += 16) {
    const int most = std::min(field + 16, 255);
    std::vector<float> numbers(200'000, std::nextafter(std::ldexp(1.0f, most - 128) * 2, 0.0f));
    numbers.push_back(
        std::nextafter(std::ldexp(1.0f, field - 127), std::numeric_limits<float>::max()));
    test::check_sums<table, sum>(numbers);
  }
}

TEST_CASE("zeros, infinities and NaN") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const std::vector<float>& numbers : {std::vector<float>{-0.0f, -0.0f},
                                            {-0.0f, 0.0f},
                                            {1.0f, -1.0f, -0.0f},
                                            {infinity, 1.0f},
                                            {1.0f, 2.0f, 3.0f, 4.0f, -infinity}}) {
    test::check_sums<table, sum>(numbers);
  }
  for (const std::vector<float>& numbers :
       {std::vector<float>{std::numeric_limits<float>::quiet_NaN(), 1.0f},
        {infinity, 1.0f, 1.0f, 1.0f, -infinity}}) {
    CHECK(std::isnan(test::sum_in_tables<table, sum>(numbers).rounded()));
  }
}
