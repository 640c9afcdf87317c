// kernel::sequential_addressing: its passes, its sums in the emulation, and what it costs: whole
// warps become idle, without bank conflicts.
// needs: boost_context
#include <warpfold/kernel/ladder/sequential_addressing.hpp>

#include "kernel/emulated_sums.hpp"

using test::counts;
using wf::kernel::sequential_addressing;

TEST_CASE("passes of a block for every 128 elements, until one block is left") {
  const auto blocks = [](std::size_t n) {
    return test::launches_of(sequential_addressing<>{}, n).blocks();
  };
  CHECK(blocks(0) == counts{1});
  CHECK(blocks(128) == counts{1});
  CHECK(blocks(129) == counts{2, 1});
  CHECK(blocks(128 * 128 + 1) == counts{129, 2, 1});
  const auto on = test::launches_of(sequential_addressing<512>{}, 512 * 512 + 1);
  CHECK(on.blocks() == counts{513, 2, 1});
  CHECK(on.scratches == counts{513 + 2});
  for (const auto& l : on.launches) CHECK(l.shape.block == wf::launch_extent(512));
  test::check_passes(on);
}

TEST_CASE("sums, in blocks of 32 to 1024 threads") {
  test::check_sums(sequential_addressing<32>{}, 32);
  test::check_sums(sequential_addressing<>{}, 128);
  test::check_sums(sequential_addressing<1024>{}, 1024);
}

TEST_CASE("the first threads are active, and read neighboring words") {
  const auto report = test::emulated_sum(sequential_addressing<128>{}, 128);
  REQUIRE(report.launches.size() == 1);
  const auto loads = report.launches[0].total(test::traffic::shared_load);
  // Two warps, one, and then one with 16, 8, 4, 2 and 1 lanes, with two loads each.
  CHECK(loads.requests == 2 * (2 + 1 + 5));
  CHECK(loads.partial == 2 * 5);
  CHECK(loads.bank_conflicts == 0);
  CHECK(report.launches[0].barriers == 4 * (7 + 1));
}

TEST_CASE("states that do not fit the shared memory are refused before scratch is asked for") {
  CHECK_REFUSED("smaller blocks", sequential_addressing<128>{},
                test::elements<test::float_array<128>>(1000));
  // 96 bytes each fill the 48 KB.
  CHECK(
      test::refusal_of(sequential_addressing<512>{}, test::elements<test::float_array<24>>(1000)) ==
      "launched sequential_addressing");
  CHECK_REFUSED("keeps 51200 bytes", sequential_addressing<512>{},
                test::elements<test::float_array<25>>(1000));
}
