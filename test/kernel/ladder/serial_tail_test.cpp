// kernel::serial_tail: its two launches, its sums in the emulation, and what it costs: one thread
// adds up the sums of its block.
// needs: boost_context
#include <warpfold/kernel/ladder/serial_tail.hpp>

#include "kernel/emulated_sums.hpp"

using test::counts;
using wf::kernel::serial_tail;

TEST_CASE("as many blocks as are resident or as are asked for, then one for their states") {
  CHECK(test::launches_of(serial_tail<>{}, 0).blocks() == counts{1});
  CHECK(test::launches_of(serial_tail<>{}, 256).blocks() == counts{1});
  CHECK(test::launches_of(serial_tail<>{}, 257).blocks() == counts{2, 1});
  CHECK(test::launches_of(serial_tail<>{}, 10'000'000).blocks() == counts{132 * 8, 1});
  const auto five = test::launches_of(serial_tail<>{.grid = 5}, 10'000'000);
  CHECK(five.blocks() == counts{5, 1});
  CHECK(five.scratches == counts{5});
  test::check_passes(five);
}

TEST_CASE("sums, in blocks of any number of warps") {
  test::check_sums(serial_tail<32>{}, 32);
  test::check_sums(serial_tail<96>{.grid = 7}, 96);
  test::check_sums(serial_tail<>{}, 256);
  test::check_sums(serial_tail<1024>{.grid = 1}, 1024);
}

TEST_CASE("one lane loads what all others of the block have stored") {
  const auto report = test::emulated_sum(serial_tail<256>{}, 256);
  REQUIRE(report.launches.size() == 1);
  const auto loads = report.launches[0].total(test::traffic::shared_load);
  CHECK(loads.requests == 255);
  CHECK(loads.lanes == 255);
  CHECK(report.launches[0].barriers == 8);
}

TEST_CASE("states that do not fit the shared memory are refused") {
  CHECK_REFUSED("keeps 131072 bytes", serial_tail<>{},
                test::elements<test::float_array<128>>(1000));
  CHECK(test::refusal_of(serial_tail<96>{}, test::elements<test::float_array<128>>(1000)) ==
        "launched serial_tail");
}
