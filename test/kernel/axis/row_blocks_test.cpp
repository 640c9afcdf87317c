// kernel::axis_row_blocks in the emulation: a block for a row, or for a piece of one.
// needs: boost_context
#include <warpfold/kernel/axis/row_blocks.hpp>

#include "kernel/axis/folds.hpp"

TEST_CASE("rows shorter than a chunk, of several steps, and in pieces") {
  constexpr wf::kernel::axis_row_blocks blocks;
  for (std::size_t length = 1; length < 6; ++length) test::check_rows<float>(blocks, 2, length);
  test::check_rows<float>(blocks, 2, 4 * 600 + 3, wf::arg(wf::minimum{}));
  test::check_rows<signed char>(blocks, 1, 16 * 300 + 5, wf::arg(wf::minimum{}));
  test::check_rows<float>(blocks, 1, 4 * 4096 + 1, wf::arg(wf::minimum{}), 3);
  // Elements that fill words and need not lie where those begin.
  for (std::size_t offset = 0; offset < 4; ++offset) {
    INFO(offset);
    test::check_rows<test::two_floats>(blocks, 3, 301, test::add_two{}, offset);
  }
}
