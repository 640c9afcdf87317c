// kernel::unroll_last_warp: its passes, its sums in the emulation, and what it costs: no block
// barrier once one warp is left.
// needs: boost_context
#include <warpfold/kernel/ladder/unroll_last_warp.hpp>

#include "kernel/emulated_sums.hpp"

using test::counts;
using wf::kernel::unroll_last_warp;

TEST_CASE("passes of a block for every 256 elements, until one block is left") {
  const auto blocks = [](std::size_t n) {
    return test::launches_of(unroll_last_warp<>{}, n).blocks();
  };
  CHECK(blocks(0) == counts{1});
  CHECK(blocks(256) == counts{1});
  CHECK(blocks(257) == counts{2, 1});
  const auto on = test::launches_of(unroll_last_warp<64>{}, 128 * 128 + 1);
  CHECK(on.blocks() == counts{129, 2, 1});
  CHECK(on.scratches == counts{129 + 2});
  for (const auto& l : on.launches) CHECK(l.shape.block == wf::launch_extent(64));
  test::check_passes(on);
}

TEST_CASE("sums, in blocks of one warp, of two, and of more") {
  test::check_sums(unroll_last_warp<32>{}, 2 * 32);
  test::check_sums(unroll_last_warp<64>{}, 2 * 64);
  test::check_sums(unroll_last_warp<>{}, 2 * 128);
  test::check_sums(unroll_last_warp<1024>{}, 2 * 1024);
}

TEST_CASE("the first warp alone adds the last 64 values") {
  const auto costs = [](const auto& kernel) {
    return test::emulated_sum(kernel, 64).launches.at(0);
  };
  // Every warp arrives log2(threads) - 5 times, and in one warp's block once.
  CHECK(costs(unroll_last_warp<32>{}).barriers == 1);
  CHECK(costs(unroll_last_warp<64>{}).barriers == 2 * 1);
  CHECK(costs(unroll_last_warp<128>{}).barriers == 4 * 2);
  CHECK(costs(unroll_last_warp<1024>{}).barriers == 32 * 5);
  CHECK(costs(unroll_last_warp<32>{}).warp_syncs == 5);
  CHECK(costs(unroll_last_warp<64>{}).warp_syncs == 6);
  CHECK(costs(unroll_last_warp<1024>{}).warp_syncs == 6);
  CHECK(costs(unroll_last_warp<128>{}).total(test::traffic::shared_load).bank_conflicts == 0);
}

TEST_CASE("states that do not fit the shared memory are refused") {
  CHECK_REFUSED("keeps 65536 bytes", unroll_last_warp<128>{},
                test::elements<test::float_array<128>>(1000));
}
