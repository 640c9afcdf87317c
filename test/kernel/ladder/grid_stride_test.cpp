// kernel::grid_stride: its two launches, and its sums in the emulation.
// needs: boost_context
#include <warpfold/kernel/ladder/grid_stride.hpp>

#include "kernel/emulated_sums.hpp"

using test::counts;
using wf::kernel::grid_stride;

TEST_CASE("as many blocks as are resident or as are asked for, then one for their states") {
  CHECK(test::launches_of(grid_stride<>{}, 0).blocks() == counts{1});
  CHECK(test::launches_of(grid_stride<>{}, 256).blocks() == counts{1});
  CHECK(test::launches_of(grid_stride<>{}, 257).blocks() == counts{2, 1});
  CHECK(test::launches_of(grid_stride<>{}, 10'000'000).blocks() == counts{132 * 8, 1});
  CHECK(test::launches_of(grid_stride<1024>{}, 10'000'000).blocks() == counts{132 * 2, 1});
  CHECK(test::launches_of(grid_stride<>{}, test::elements<float>(10'000'000), test::some_gpu(3))
            .blocks() == counts{3 * 8, 1});
  const auto five = test::launches_of(grid_stride<>{.grid = 5}, 10'000'000);
  CHECK(five.blocks() == counts{5, 1});
  CHECK(five.scratches == counts{5});
  test::check_passes(five);
}

TEST_CASE("sums, in blocks of 32 to 1024 threads") {
  test::check_sums(grid_stride<32>{}, 32);
  test::check_sums(grid_stride<>{.grid = 7}, 256);
  test::check_sums(grid_stride<1024>{.grid = 1}, 1024);
}

TEST_CASE("a thread takes every element of its number, and the block folds one tree") {
  const auto report = test::emulated_sum(grid_stride<256>{.grid = 2}, 512 * 5);
  REQUIRE(report.launches.size() == 2);
  const auto loads = report.launches[0].total(test::traffic::global_load);
  CHECK(loads.requests == 16 * 5);
  CHECK(loads.sectors == loads.ideal_sectors);
  CHECK(report.launches[0].barriers == 2 * 8 * (8 + 1));
}

TEST_CASE("states that do not fit the shared memory are refused") {
  CHECK_REFUSED("keeps 131072 bytes", grid_stride<>{},
                test::elements<test::float_array<128>>(1000));
}
