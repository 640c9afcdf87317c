// kernel::two_pass: its two launches, and its sums in the emulation.
// needs: boost_context
#include <warpfold/kernel/ladder/two_pass.hpp>

#include "kernel/emulated_sums.hpp"

using test::counts;
using wf::kernel::two_pass;

TEST_CASE("a block for every 256 elements, however many, then one for their states") {
  CHECK(test::launches_of(two_pass<>{}, 0).blocks() == counts{1});
  CHECK(test::launches_of(two_pass<>{}, 256).blocks() == counts{1});
  CHECK(test::launches_of(two_pass<>{}, 257).blocks() == counts{2, 1});
  CHECK(test::launches_of(two_pass<>{}, 256).scratches.empty());
  const auto many = test::launches_of(two_pass<>{}, 10'000'000);
  CHECK(many.blocks() == counts{39063, 1});
  CHECK(many.scratches == counts{39063});
  CHECK(many.launches.at(1).shape.block == wf::launch_extent(256));
  test::check_passes(many);
  CHECK(test::launches_of(two_pass<32>{}, 512).blocks() == counts{16, 1});
}

TEST_CASE("sums, in blocks of 32 to 1024 threads") {
  test::check_sums(two_pass<32>{}, 32);
  test::check_sums(two_pass<>{}, 256);
  test::check_sums(two_pass<1024>{}, 1024);
}

TEST_CASE("an element a thread, then a tree in each launch") {
  const auto report = test::emulated_sum(two_pass<256>{}, 1000);
  REQUIRE(report.launches.size() == 2);
  CHECK(report.launches[0].barriers == 4 * 8 * (8 + 1));
  CHECK(report.launches[0].total(test::traffic::global_load).requests == 32);
  CHECK(report.launches[0].total(test::traffic::shared_load).bank_conflicts == 0);
  CHECK(report.launches[1].barriers == 8 * (8 + 1));
  CHECK(report.launches[1].total(test::traffic::global_load).lanes == 4);
}

TEST_CASE("states that do not fit the shared memory are refused") {
  CHECK_REFUSED("keeps 131072 bytes", two_pass<>{}, test::elements<test::float_array<128>>(1000));
}
