// kernel::grid_2d: rows of about the square root of the elements, blocks for all of them, and its
// sums in the emulation.
// needs: boost_context
#include <warpfold/kernel/ladder/grid_2d.hpp>

#include "kernel/emulated_sums.hpp"

using test::counts;
using wf::launch_extent;
using wf::kernel::grid_2d;

TEST_CASE("rows of about the square root, and blocks for all of them") {
  const auto grid = [](std::size_t n, unsigned max_side = 64) {
    return test::launches_of(grid_2d<>{.max_side = max_side}, n).launches.at(0).shape.grid;
  };
  CHECK(grid(0) == launch_extent(1, 1));
  CHECK(grid(1) == launch_extent(1, 1));
  CHECK(grid(256) == launch_extent(1, 1));  // a block's worth
  CHECK(grid(257) == launch_extent(2, 1));  // rows of 32
  CHECK(grid(512) == launch_extent(2, 1));
  CHECK(grid(513) == launch_extent(2, 2));  // the 17th row has one element
  CHECK(grid(1024) == launch_extent(2, 2));
  CHECK(grid(1025) == launch_extent(3, 2));
  CHECK(grid(1'000'000) == launch_extent(63, 63));
  CHECK(test::launches_of(grid_2d<>{}, 10'000'000).launches.at(0).shape.grid ==
        launch_extent(64, 64));
  CHECK(grid(10'000'000, 3) == launch_extent(3, 3));
  CHECK(grid(10'000'000, 65535) == launch_extent(198, 198));
}

TEST_CASE("square blocks, in a grid and then in one of their states") {
  const auto on = test::launches_of(grid_2d<8>{.max_side = 5}, 10'000);
  CHECK(on.blocks() == counts{25, 1});
  CHECK(on.scratches == counts{25});
  for (const auto& l : on.launches) CHECK(l.shape.block == launch_extent(8, 8));
  test::check_passes(on);
  CHECK(test::launches_of(grid_2d<>{}, 256).blocks() == counts{1});
}

TEST_CASE("sums, also with more rows and columns than the grid has threads") {
  test::check_sums(grid_2d<8>{}, 64);
  test::check_sums(grid_2d<8>{.max_side = 2}, 64);
  test::check_sums(grid_2d<>{}, 256);
  test::check_sums(grid_2d<32>{.max_side = 3}, 1024);
}

TEST_CASE("grids and states that it does not take") {
  const auto range = test::elements<float>(1000);
  CHECK_REFUSED("asked for a grid of 0 blocks per side; it takes 1 to 65535",
                grid_2d<>{.max_side = 0}, range);
  CHECK_REFUSED("it takes 1 to 65535", grid_2d<>{.max_side = 65536}, range);
  CHECK_REFUSED("keeps 131072 bytes", grid_2d<>{}, test::elements<test::float_array<128>>(1000));
  CHECK(test::refusal_of(grid_2d<8>{}, test::elements<test::float_array<128>>(1000)) ==
        "launched grid_2d");
}
