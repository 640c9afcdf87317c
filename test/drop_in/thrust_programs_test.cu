// drop_in/thrust.hpp on the GPU: ten programs give the output that they give with Thrust, and only
// the namespace changes.
#include <cmath>
#include <vector>

#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/random.h>
#include <warpfold/drop_in/thrust.hpp>

#include <doctest/doctest.h>

namespace theirs {
namespace thrust = ::thrust;
#include "drop_in/thrust_programs.hpp"
}  // namespace theirs

namespace ours {
namespace thrust = ::warpfold::drop_in::thrust;
#include "drop_in/thrust_programs.hpp"
}  // namespace ours

namespace {

using program = theirs::output (*)(int);

void check_same_output(program with_ours, program with_theirs) {
  for (const int n : {8, 1000, 70001, 300000}) {
    INFO("size ", n);
    const auto mine = with_ours(n), expected = with_theirs(n);
    REQUIRE(mine.size() == expected.size());
    // Sums of floats in another order differ by their rounding, which a program does not print.
    for (std::size_t i = 0; i < mine.size(); ++i) {
      CHECK(mine[i] == doctest::Approx(expected[i]).epsilon(1e-5));
    }
  }
}

}  // namespace

TEST_CASE("ten programs for Thrust") {
  SUBCASE("sum") { check_same_output(ours::sum, theirs::sum); }
  SUBCASE("norm") { check_same_output(ours::norm, theirs::norm); }
  SUBCASE("summary_statistics") {
    check_same_output(ours::summary_statistics, theirs::summary_statistics);
  }
  SUBCASE("bounding_box") { check_same_output(ours::bounding_box, theirs::bounding_box); }
  SUBCASE("max_abs_diff") { check_same_output(ours::max_abs_diff, theirs::max_abs_diff); }
  SUBCASE("minmax") { check_same_output(ours::minmax, theirs::minmax); }
  SUBCASE("monte_carlo") { check_same_output(ours::monte_carlo, theirs::monte_carlo); }
  SUBCASE("dot_products_with_zip") {
    check_same_output(ours::dot_products_with_zip, theirs::dot_products_with_zip);
  }
  SUBCASE("sum_rows") { check_same_output(ours::sum_rows, theirs::sum_rows); }
  SUBCASE("padded_grid_reduction") {
    check_same_output(ours::padded_grid_reduction, theirs::padded_grid_reduction);
  }
}
