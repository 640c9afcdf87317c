// kernel::interleaved_contiguous: its passes, its sums in the emulation, and what it costs: whole
// warps become idle, but lanes meet in the banks.
// needs: boost_context
#include <warpfold/kernel/ladder/interleaved_contiguous.hpp>

#include "kernel/emulated_sums.hpp"

using test::counts;
using wf::kernel::interleaved_contiguous;

TEST_CASE("passes of a block for every 128 elements, until one block is left") {
  const auto blocks = [](std::size_t n) {
    return test::launches_of(interleaved_contiguous<>{}, n).blocks();
  };
  CHECK(blocks(0) == counts{1});
  CHECK(blocks(128) == counts{1});
  CHECK(blocks(129) == counts{2, 1});
  CHECK(blocks(128 * 128 + 1) == counts{129, 2, 1});
  const auto on = test::launches_of(interleaved_contiguous<64>{}, 64 * 64 + 1);
  CHECK(on.blocks() == counts{65, 2, 1});
  CHECK(on.scratches == counts{65 + 2});
  for (const auto& l : on.launches) CHECK(l.shape.block == wf::launch_extent(64));
  test::check_passes(on);
}

TEST_CASE("sums, in blocks of 32 to 1024 threads") {
  test::check_sums(interleaved_contiguous<32>{}, 32);
  test::check_sums(interleaved_contiguous<>{}, 128);
  test::check_sums(interleaved_contiguous<1024>{}, 1024);
}

TEST_CASE("the first threads are active, and read words 2, 4, 8, ... apart") {
  const auto report = test::emulated_sum(interleaved_contiguous<128>{}, 128);
  REQUIRE(report.launches.size() == 1);
  const auto loads = report.launches[0].total(test::traffic::shared_load);
  // Two warps, one, and then one with 16, 8, 4, 2 and 1 lanes, with two loads each.
  CHECK(loads.requests == 2 * (2 + 1 + 5));
  CHECK(loads.partial == 2 * 5);
  // Two lanes a bank in two warps, then four lanes a bank until four lanes are left, then two.
  CHECK(loads.bank_conflicts == 2 * (2 * 1 + 4 * 3 + 1));
  CHECK(report.launches[0].barriers == 4 * (7 + 1));
}

TEST_CASE("states that do not fit the shared memory are refused") {
  CHECK_REFUSED("keeps 65536 bytes", interleaved_contiguous<128>{},
                test::elements<test::float_array<128>>(1000));
  CHECK(test::refusal_of(interleaved_contiguous<64>{},
                         test::elements<test::float_array<128>>(1000)) ==
        "launched interleaved_contiguous");
}
