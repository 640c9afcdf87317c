// kernel::warp_shuffle: its two launches, its sums in the emulation, and what it costs: one barrier
// a block, and one state of shared memory a warp.
// needs: boost_context
#include <warpfold/kernel/ladder/warp_shuffle.hpp>

#include "kernel/emulated_sums.hpp"

using test::counts;
using wf::kernel::warp_shuffle;

TEST_CASE("as many blocks as are resident or as are asked for, then one for their states") {
  CHECK(test::launches_of(warp_shuffle<>{}, 0).blocks() == counts{1});
  CHECK(test::launches_of(warp_shuffle<>{}, 256).blocks() == counts{1});
  CHECK(test::launches_of(warp_shuffle<>{}, 257).blocks() == counts{2, 1});
  const auto all = test::launches_of(warp_shuffle<>{}, 10'000'000);
  CHECK(all.blocks() == counts{132 * 8, 1});
  CHECK(all.scratches == counts{132 * 8});
  test::check_passes(all);
  CHECK(test::launches_of(warp_shuffle<>{.grid = 5}, 10'000'000).blocks() == counts{5, 1});
  CHECK(test::launches_of(warp_shuffle<96>{}, 97).launches.at(1).shape.block ==
        wf::launch_extent(96));
}

TEST_CASE("sums, in blocks of any number of warps") {
  test::check_sums(warp_shuffle<32>{}, 32);
  test::check_sums(warp_shuffle<96>{.grid = 7}, 96);
  test::check_sums(warp_shuffle<>{}, 256);
  test::check_sums(warp_shuffle<1024>{.grid = 1}, 1024);
}

TEST_CASE("lanes meet by shuffles, warps in one word each") {
  const auto report = test::emulated_sum(warp_shuffle<256>{}, 256);
  REQUIRE(report.launches.size() == 1);
  const auto& l = report.launches[0];
  CHECK(l.barriers == 8);
  CHECK(l.shuffles >= 8 * 5);
  CHECK(l.total(test::traffic::shared_store).bytes_used == 8 * sizeof(float));
  CHECK(l.total(test::traffic::shared_load).bank_conflicts == 0);
}

TEST_CASE("a state for each of 32 warps must fit the shared memory, not one for each thread") {
  CHECK(test::refusal_of(warp_shuffle<1024>{}, test::elements<test::float_array<128>>(1000)) ==
        "launched warp_shuffle");
  CHECK_REFUSED("smaller blocks", warp_shuffle<>{}, test::elements<test::float_array<400>>(1000));
}
