// kernel::interleaved_addressing: its passes, its sums in the emulation, and what it costs: every
// warp stays busy with ever fewer lanes, without bank conflicts.
// needs: boost_context
#include <warpfold/kernel/ladder/interleaved_addressing.hpp>

#include "kernel/emulated_sums.hpp"

using test::counts;
using wf::kernel::interleaved_addressing;

TEST_CASE("passes of a block for every 128 elements, until one block is left") {
  const auto blocks = [](std::size_t n) {
    return test::launches_of(interleaved_addressing<>{}, n).blocks();
  };
  CHECK(blocks(0) == counts{1});
  CHECK(blocks(128) == counts{1});
  CHECK(blocks(129) == counts{2, 1});
  CHECK(blocks(128 * 128) == counts{128, 1});
  CHECK(blocks(128 * 128 + 1) == counts{129, 2, 1});

  const auto on = test::launches_of(interleaved_addressing<32>{}, 32 * 32 * 32 * 32 + 1);
  CHECK(on.blocks() == counts{32 * 32 * 32 + 1, 32 * 32 + 1, 33, 2, 1});
  CHECK(on.scratches == counts{32 * 32 * 32 + 1 + 32 * 32 + 1});  // of the two largest passes
  for (const auto& l : on.launches) CHECK(l.shape.block == wf::launch_extent(32));
  test::check_passes(on);
}

TEST_CASE("sums, in blocks of 32 to 1024 threads") {
  test::check_sums(interleaved_addressing<32>{}, 32);
  test::check_sums(interleaved_addressing<>{}, 128);
  test::check_sums(interleaved_addressing<1024>{}, 1024);
}

TEST_CASE("a tree of divergent warps") {
  const auto report = test::emulated_sum(interleaved_addressing<128>{}, 128);
  REQUIRE(report.launches.size() == 1);
  const auto loads = report.launches[0].total(test::traffic::shared_load);
  // Four warps in five steps, then two, then one, with two loads each.
  CHECK(loads.requests == 2 * (5 * 4 + 2 + 1));
  CHECK(loads.partial == loads.requests);
  CHECK(loads.bank_conflicts == 0);
  CHECK(report.launches[0].barriers == 4 * (7 + 1));
  const auto global = report.launches[0].total(test::traffic::global_load);
  CHECK(global.requests == 4);
  CHECK(global.sectors == global.ideal_sectors);
}

TEST_CASE("states that do not fit the shared memory are refused") {
  // 128 of 512 bytes.
  CHECK_REFUSED("keeps 65536 bytes in the static shared memory of a block of up to 128 threads",
                interleaved_addressing<128>{}, test::elements<test::float_array<128>>(1000));
  CHECK(test::refusal_of(interleaved_addressing<32>{},
                         test::elements<test::float_array<128>>(1000)) ==
        "launched interleaved_addressing");
}
