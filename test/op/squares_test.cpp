// squares_op and scaled_squares: sums of large, of other and of small squares, and the root of
// all three.
#include <warpfold/op/squares.hpp>

#include <doctest/doctest.h>

#include <complex>

#include "contract/oracle.hpp"
#include "op/listed_batch.hpp"

namespace {

using scaled = wf::scaled_squares;

constexpr double inf = std::numeric_limits<double>::infinity();

bool near(double a, double b) { return a == b || std::fabs(a - b) <= 4e-16 * std::fabs(b); }

double norm(const std::vector<double>& v) {
  const wf::squares_op op;
  return op.fold_batch(scaled{}, test::run_of<64>(v)).root();
}
double norm_one_by_one(const std::vector<double>& v) {
  const wf::squares_op op;
  scaled total{};
  for (const double x : v) total = op(total, op.lift(x));
  return total.root();
}

}  // namespace

TEST_CASE("squares of doubles: which sum an element belongs to") {
  const wf::squares_op op;
  CHECK(op.lift(3.0) == scaled{0, 9, 0});
  CHECK(op.lift(-3.0) == scaled{0, 9, 0});
  CHECK(op.lift(0x1p486) == scaled{0, 0x1p972, 0});
  CHECK(op.lift(0x1p487) == scaled{0, 0, 0x1p-102});
  CHECK(op.lift(-0x1p487) == scaled{0, 0, 0x1p-102});
  CHECK(op.lift(0x1p-350) == scaled{0, 0x1p-700, 0});
  CHECK(op.lift(0x1p-351) == scaled{0x1p372, 0x1p-702, 0});
  CHECK(op.lift(-0x1p-512) == scaled{0x1p50, 0x1p-1024, 0});
  CHECK(op.lift(0x1p-540) == scaled{0x1p-6, 0, 0});
  CHECK(op(scaled{1, 2, 3}, scaled{10, 20, 30}) == scaled{11, 22, 33});
  CHECK(op(2.5, 3.0) == 5.5);
  CHECK_FALSE(scaled{1, 2, 3} == scaled{0, 2, 3});
  CHECK_FALSE(scaled{1, 2, 3} == scaled{1, 0, 3});
  CHECK_FALSE(scaled{1, 2, 3} == scaled{1, 2, 0});
}

TEST_CASE("squares of floats and integers are doubles, of complex numbers those of both parts") {
  const wf::squares_op op;
  CHECK(op.lift(3.0f) == 9.0);
  CHECK(op.lift(-7) == 49.0);
  CHECK(op.lift(std::complex<float>(3, -4)) == 25.0);
  CHECK(op.lift(std::complex<double>(3, -4)) == scaled{0, 25, 0});
  CHECK(op.lift(std::complex<double>(0x1p-512, 0x1p487)) == scaled{0x1p50, 0x1p-1024, 0x1p-102});
}

TEST_CASE("the root of all three sums") {
  CHECK(scaled{0, 0, 0}.root() == 0);
  CHECK(scaled{0, 25, 0}.root() == 5);
  // 2^538 and 2^-537 are the scales.
  CHECK(scaled{0, 0, 25}.root() == 5 * 0x1p538);
  CHECK(scaled{25, 0, 0}.root() == 5 * 0x1p-537);
  // Neighbors in size: 3 and 4 of one unit make 5.
  CHECK(near(scaled{0, 9 * 0x1p972, 16 * 0x1p972 * 0x1p-538 * 0x1p-538}.root(), 5 * 0x1p486));
  // The plain sum, as soon as it has all digits.
  CHECK(scaled{25, 0x1p-701, 0}.root() == 5 * 0x1p-537);
  CHECK(scaled{25, 0x1p-700, 0}.root() == 0x1p-350);
  // What is small beside something large does not count.
  CHECK(scaled{1e300, 0, 25}.root() == 5 * 0x1p538);
  const double nan = std::nan("");
  CHECK(std::isnan(scaled{0, nan, 0}.root()));
  CHECK(std::isnan(scaled{1, nan, 0}.root()));
  CHECK(std::isnan(scaled{0, nan, 1}.root()));
  CHECK(std::isnan(scaled{1, nan, 1}.root()));
  CHECK(scaled{0, 0, inf}.root() == inf);
  CHECK(scaled{1, 1, inf}.root() == inf);
}

TEST_CASE("norms of runs are those of one element after the other") {
  const std::vector<double> ranges[] = {{3, -4},
                                        {3e200, -4e200},
                                        {3e-200, 4e-200},
                                        {0, 0, 0},
                                        {1e200, 3, 4},
                                        {1e-200, 3, -4},
                                        {0, 5e-324},
                                        {1e-160, 1e-150, 2e-160},
                                        {1e150, 1e147},
                                        {inf, 1},
                                        {1.7e308, 1e-300},
                                        {1, 1, 1, 1},
                                        {0x1p486, 0x1p0},
                                        {0x1p-450, 0x1p-450},
                                        {0x1p-460, 0x1p-460}};
  for (const auto& v : ranges) {
    long double squares = 0;
    for (const double x : v) squares += static_cast<long double>(x) * x;
    const auto want = static_cast<double>(std::sqrt(squares));
    INFO("first is ", v[0], ", norm is ", want);
    CHECK(near(norm(v), want));
    CHECK(near(norm_one_by_one(v), want));
  }
  CHECK(std::isnan(norm({1, std::nan(""), 2})));
  CHECK(std::isnan(norm({0, std::nan(""), 0})));
}

TEST_CASE("a run is added to what was seen") {
  const wf::squares_op op;
  const scaled seen{5, 6, 7};
  CHECK(op.fold_batch(seen, test::run_of<64>(std::vector<double>{3, 4})) == scaled{5, 31, 7});
  CHECK(op.fold_batch(seen, test::run_of<64>(std::vector<double>{0, 0})) == seen);
  CHECK(op.fold_batch(seen, test::run_of<64>(std::vector<double>{0x1p-512, 2})) ==
        scaled{5, 10, 7});
  CHECK(op.fold_batch(seen, test::run_of<64>(std::vector<double>{0x1p-512, 0})) ==
        scaled{5 + 0x1p50, 6, 7});
  CHECK(op.fold_batch(seen, test::run_of<64>(std::vector<double>{0x1p487, 3})) ==
        scaled{5, 15, 7 + 0x1p-102});
  // At the limits of what is squared as it is.
  CHECK(op.fold_batch(scaled{}, test::run_of<64>(std::vector<double>{0x1p486})) ==
        scaled{0, 0x1p972, 0});
  CHECK(op.fold_batch(scaled{}, test::run_of<64>(std::vector<double>{0x1p-350})) ==
        scaled{0, 0x1p-700, 0});
  CHECK(op.fold_batch(scaled{}, test::run_of<64>(std::vector<double>{0x1p-450})) ==
        scaled{0x1p174, 0x1p-900, 0});
  CHECK(op.identity<scaled>() == scaled{0, 0, 0});
  CHECK(op.identity<double>() == 0);
}
