// kernel::axis_row_tiles in the emulation: rows that go through shared memory.
// needs: boost_context
#include <warpfold/kernel/axis/row_tiles.hpp>

#include "kernel/axis/folds.hpp"

TEST_CASE("tiles of less than two words, whole ones, and results with gaps") {
  constexpr wf::kernel::axis_row_tiles tiles;
  test::check_rows<float>(tiles, 1, 5);
  test::check_rows<float>(tiles, 2049, 2);
  test::check_rows<float>(tiles, 7, 99, wf::arg(wf::minimum{}));
  test::check_rows<float>(tiles, 5, 1024);
  test::check_kernel<float>(tiles, 3, 1, test::shape({1400}, {3}), test::shape({1400}, {2}));
}
