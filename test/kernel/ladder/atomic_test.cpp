// kernel::atomic: its three launches, its sums in the emulation, and what it costs: one address for
// all threads.
// needs: boost_context
#include <warpfold/kernel/ladder/atomic.hpp>

#include "kernel/emulated_sums.hpp"

using test::counts;
using wf::kernel::atomic;

TEST_CASE("three launches: the cell's start, a thread for each element, the delivery") {
  CHECK(test::launches_of(atomic{}, 0).blocks() == counts{1, 1, 1});
  CHECK(test::launches_of(atomic{}, 256).blocks() == counts{1, 1, 1});
  CHECK(test::launches_of(atomic{}, 257).blocks() == counts{1, 2, 1});
  const auto on = test::launches_of(atomic{.block = 96}, 1000);
  CHECK(on.blocks() == counts{1, 11, 1});
  CHECK(on.launches.at(0).shape.block == wf::launch_extent(32));
  CHECK(on.launches.at(1).shape.block == wf::launch_extent(96));
  CHECK(on.launches.at(2).shape.block == wf::launch_extent(32));
  CHECK(on.scratches == counts{1});
}

TEST_CASE("sums, in blocks of any number of warps") {
  test::check_sums(atomic{.block = 32}, 32);
  test::check_sums(atomic{.block = 96}, 96);
  test::check_sums(atomic{}, 256);
}

TEST_CASE("every lane combines with the one cell") {
  const auto report = test::emulated_sum(atomic{}, 256);
  REQUIRE(report.launches.size() == 3);
  const auto atomics = report.launches[1].total(test::traffic::global_atomic);
  CHECK(atomics.lanes >= 256);
  CHECK(atomics.sectors == atomics.requests);
  CHECK(report.launches[1].barriers == 0);
  CHECK(report.launches[1].total(test::traffic::shared_store).requests == 0);
}

TEST_CASE("blocks that it does not take") {
  const auto range = test::elements<float>(1000);
  CHECK_REFUSED("blocks of 0 threads", atomic{.block = 0}, range);
  CHECK_REFUSED("it takes a multiple of 32, up to 1024", atomic{.block = 100}, range);
  CHECK_REFUSED("blocks of 1056 threads", atomic{.block = 1056}, range);
}
