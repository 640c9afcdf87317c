// kernel::completely_unrolled: its passes, its sums in the emulation in every size of block, each
// of which has steps of its own, and what it costs.
// needs: boost_context
#include <warpfold/kernel/ladder/completely_unrolled.hpp>

#include "kernel/emulated_sums.hpp"

using test::counts;
using wf::kernel::completely_unrolled;

TEST_CASE("passes of a block for every 256 elements, until one block is left") {
  const auto blocks = [](std::size_t n) {
    return test::launches_of(completely_unrolled<>{}, n).blocks();
  };
  CHECK(blocks(0) == counts{1});
  CHECK(blocks(256) == counts{1});
  CHECK(blocks(257) == counts{2, 1});
  const auto on = test::launches_of(completely_unrolled<256>{}, 512 * 512 + 1);
  CHECK(on.blocks() == counts{513, 2, 1});
  CHECK(on.scratches == counts{513 + 2});
  for (const auto& l : on.launches) CHECK(l.shape.block == wf::launch_extent(256));
  test::check_passes(on);
}

TEST_CASE("sums, in every size of block") {
  test::check_sums(completely_unrolled<32>{}, 2 * 32);
  test::check_sums(completely_unrolled<64>{}, 2 * 64);
  test::check_sums(completely_unrolled<128>{}, 2 * 128);
  test::check_sums(completely_unrolled<256>{}, 2 * 256);
  test::check_sums(completely_unrolled<512>{}, 2 * 512);
  test::check_sums(completely_unrolled<1024>{}, 2 * 1024);
}

TEST_CASE("barriers until one warp is left, which loads the last two values at once") {
  const auto costs = [](const auto& kernel) {
    return test::emulated_sum(kernel, 64).launches.at(0);
  };
  CHECK(costs(completely_unrolled<32>{}).barriers == 1);
  CHECK(costs(completely_unrolled<128>{}).barriers == 4 * 2);
  CHECK(costs(completely_unrolled<1024>{}).barriers == 32 * 5);
  CHECK(costs(completely_unrolled<32>{}).warp_syncs == 4);
  CHECK(costs(completely_unrolled<1024>{}).warp_syncs == 5);
  const auto loads = costs(completely_unrolled<128>{}).total(test::traffic::shared_load);
  // Two warps, one, and then one with 16, 8, 4 and 2 lanes, with two loads each; then one load.
  CHECK(loads.requests == 2 * (2 + 1 + 4) + 1);
  CHECK(loads.bank_conflicts == 0);
}

TEST_CASE("states that do not fit the shared memory are refused") {
  CHECK_REFUSED("keeps 65536 bytes", completely_unrolled<128>{},
                test::elements<test::float_array<128>>(1000));
}
