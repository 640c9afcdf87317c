// kernel::first_add_during_load: its passes, its sums in the emulation, and what it costs: two
// loads a thread, and half as many blocks.
// needs: boost_context
#include <warpfold/kernel/ladder/first_add_during_load.hpp>

#include "kernel/emulated_sums.hpp"

using test::counts;
using wf::kernel::first_add_during_load;

TEST_CASE("passes of a block for every 256 elements, until one block is left") {
  const auto blocks = [](std::size_t n) {
    return test::launches_of(first_add_during_load<>{}, n).blocks();
  };
  CHECK(blocks(0) == counts{1});
  CHECK(blocks(256) == counts{1});
  CHECK(blocks(257) == counts{2, 1});
  CHECK(blocks(256 * 256 + 1) == counts{257, 2, 1});
  const auto on = test::launches_of(first_add_during_load<32>{}, 64 * 64 * 64);
  CHECK(on.blocks() == counts{64 * 64, 64, 1});
  CHECK(on.scratches == counts{64 * 64 + 64});
  for (const auto& l : on.launches) CHECK(l.shape.block == wf::launch_extent(32));
  test::check_passes(on);
}

TEST_CASE("sums, in blocks of 32 to 1024 threads") {
  test::check_sums(first_add_during_load<32>{}, 2 * 32);
  test::check_sums(first_add_during_load<>{}, 128);  // only the first loads of each thread
  test::check_sums(first_add_during_load<>{}, 2 * 128);
  test::check_sums(first_add_during_load<1024>{}, 2 * 1024);
}

TEST_CASE("a thread loads two elements, one block width apart") {
  const auto report = test::emulated_sum(first_add_during_load<128>{}, 256);
  REQUIRE(report.launches.size() == 1);
  const auto global = report.launches[0].total(test::traffic::global_load);
  CHECK(global.requests == 2 * 4);
  CHECK(global.partial == 0);
  CHECK(global.sectors == global.ideal_sectors);
  CHECK(report.launches[0].total(test::traffic::shared_load).bank_conflicts == 0);
  CHECK(report.launches[0].barriers == 4 * (7 + 1));
}

TEST_CASE("states that do not fit the shared memory are refused") {
  CHECK_REFUSED("keeps 65536 bytes", first_add_during_load<128>{},
                test::elements<test::float_array<128>>(1000));
}
