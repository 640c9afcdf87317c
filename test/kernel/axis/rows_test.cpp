// kernel::axis_rows in the emulation: lanes of a row, and rows in flight together or one by one.
// needs: boost_context
#include <warpfold/kernel/axis/rows.hpp>

#include "kernel/axis/folds.hpp"

TEST_CASE("one row, more than a block's, and one at a time") {
  constexpr wf::kernel::axis_rows rows;
  test::check_rows<float>(rows, 1, 4);
  test::check_rows<float>(rows, 2049, 4);
  test::check_rows<float>(rows, 70, 28, wf::arg(wf::minimum{}));
  test::check_rows<float>(rows, 9, 300 * 4, wf::arg(wf::minimum{}));
  test::check_rows<float>(rows, 9, 60, test::large);
  // Lanes of a row meet in five steps.
  CHECK(test::check_rows<float>(rows, 8, 256 * 4).launches[0].shuffles == 8 * 5);
  CHECK(test::check_rows<float>(rows, 64, 32 * 4).launches[0].shuffles == 8 * 8 * 5);
}
