// report: the counts of a call, launch by launch and site by site, also of barriers, shuffles and
// votes; the sum of one kind of traffic; and each host thread's own last report.
// needs: boost_context
#include <warpfold/emulation/report.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <thread>
#include <vector>

#include <warpfold/kernel/ladder/interleaved_contiguous.hpp>
#include <warpfold/kernel/ladder/sequential_addressing.hpp>
#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce.hpp>

#include "contract/emulated_launch.hpp"

namespace wf = warpfold;

namespace {

using namespace warpfold;
using emulation::traffic;

/// `n` floats that start at a sector, as a GPU's allocations do.
class aligned_floats {
 public:
  explicit aligned_floats(std::size_t n) : lines_(n / 64), n_(n) {}
  std::span<const float> all() const { return {lines_.front().x, n_}; }

 private:
  struct alignas(256) line {
    float x[64];
  };
  std::vector<line> lines_;
  std::size_t n_;
};

}  // namespace

TEST_CASE("a total is the sum over the sites of one kind") {
  emulation::launch_counts counts;
  for (int i = 1; i <= 3; ++i) {
    emulation::site_counts s;
    s.at = {"some.cu", i};
    s.what = i == 3 ? traffic::global_store : traffic::global_load;
    const auto x = static_cast<std::uint64_t>(i);
    s.requests = x;
    s.lanes = 10 * x;
    s.partial = 20 * x;
    s.sectors = 30 * x;
    s.ideal_sectors = 40 * x;
    s.bytes_used = 50 * x;
    s.wavefronts = 60 * x;
    s.bank_conflicts = 70 * x;
    s.odd_size = 80 * x;
    s.out_of_order = 90 * x;
    s.misaligned = 100 * x;
    counts.sites.push_back(s);
  }
  const auto check = [&](traffic what, std::uint64_t x) {
    const auto t = counts.total(what);
    CHECK(t.what == what);
    CHECK(t.requests == x);
    CHECK(t.lanes == 10 * x);
    CHECK(t.partial == 20 * x);
    CHECK(t.sectors == 30 * x);
    CHECK(t.ideal_sectors == 40 * x);
    CHECK(t.bytes_used == 50 * x);
    CHECK(t.wavefronts == 60 * x);
    CHECK(t.bank_conflicts == 70 * x);
    CHECK(t.odd_size == 80 * x);
    CHECK(t.out_of_order == 90 * x);
    CHECK(t.misaligned == 100 * x);
  };
  check(traffic::global_load, 1 + 2);
  check(traffic::global_store, 3);
  check(traffic::shared_load, 0);
}

TEST_CASE("barriers, shuffles, votes and sums are counted by warps") {
  test::emulated_launch on;
  const auto& c = on.run({3, 96}, [] {
    __syncthreads();
    __syncwarp();
    (void)__shfl_down_sync(0xffffffffu, 1, 1);
    (void)__any_sync(0xffffffffu, 1);
    if (threadIdx.x < 32) (void)__reduce_add_sync(0xffffffffu, 1u);
  });
  CHECK(c.barriers == 9);
  CHECK(c.warp_syncs == 9);
  CHECK(c.shuffles == 9);
  CHECK(c.votes == 9);
  CHECK(c.reductions == 3);
}

TEST_CASE("sites are sorted by file and line, then by kind") {
  std::vector<float> values(64);
  test::emulated_launch on;
  const auto a = on.array(values);
  const auto& c = on.run({1, 32}, [=] {
    const float x = a.load(threadIdx.x + 32);
    a.store(threadIdx.x, x), (void)a.load(threadIdx.x);
  });
  REQUIRE(c.sites.size() == 3);
  CHECK(c.sites[0].at.line + 1 == c.sites[1].at.line);
  CHECK(c.sites[1].at == c.sites[2].at);
  CHECK(c.sites[1].what == traffic::global_load);
  CHECK(c.sites[2].what == traffic::global_store);
}

TEST_CASE("the last report is the calling thread's") {
  const std::vector<float> values(100, 1);
  (void)wf::reduce(wf::emulated.counting(), values);
  const std::size_t launches = wf::emulated.report().launches.size();
  CHECK(launches == 1);
  std::thread([] { CHECK(wf::emulated.report().launches.empty()); }).join();
  CHECK(&wf::emulated.report() == &emulation::last_report());
}

TEST_CASE("a kernel's launches, one after the other") {
  const aligned_floats memory(4096);
  const std::span<const float> range = memory.all();
  const auto counted = [&](const auto& kernel) {
    const auto policy = wf::emulated.counting().with_kernel(kernel);
    (void)wf::reduce(policy, range);
    return policy.report();
  };
  const auto sequential = counted(wf::kernel::sequential_addressing<128>{});
  REQUIRE(sequential.launches.size() == 2);
  CHECK(sequential.launches[0].launch.shape.grid.x == 32);
  CHECK(sequential.launches[1].launch.shape.grid.x == 1);
  const emulation::launch_counts& first = sequential.launches[0];
  CHECK(first.total(traffic::global_load).requests == 128);
  CHECK(first.total(traffic::global_load).sectors == 512);
  CHECK(first.total(traffic::global_store).requests == 32);
  CHECK(first.total(traffic::shared_load).bank_conflicts == 0);
  // 4 warps store; then 2, 1, 1, 1, 1, 1 and 1 load two and store one.
  CHECK(first.total(traffic::shared_store).requests == 32 * (4 + 8));
  CHECK(first.total(traffic::shared_load).requests == 32 * 2 * 8);
  CHECK(first.barriers == 32 * 4 * 8);

  // A stride of 2, 4, ... elements between lanes: conflicts twofold, fourfold, eightfold, ...
  const auto interleaved = counted(wf::kernel::interleaved_contiguous<128>{});
  CHECK(interleaved.launches[0].total(traffic::shared_load).bank_conflicts > 0);
  CHECK(interleaved.launches[0].total(traffic::global_load).sectors == 512);

  // Nothing is counted that was not asked for.
  (void)wf::reduce(wf::emulated.with_kernel(wf::kernel::sequential_addressing<32>{}), range);
  CHECK(wf::emulated.report().launches[0].launch.shape.grid.x == 32);
}

TEST_CASE("states that blocks post") {
  // Sums of float: three blocks write one post each, and the fourth reads them and clears them.
  const aligned_floats memory(4096);
  const std::span<const float> range = memory.all();
  const auto policy = wf::emulated.counting().with_kernel(wf::kernel::single_pass<>{256, 4});
  (void)wf::reduce(policy, range);
  std::size_t stores = 0, loads = 0;
  const auto& launch = policy.report().launches.at(0);
  for (const auto& s : launch.sites) {
    if (s.access_bytes != 16 || std::strstr(s.at.file, "collective/") == nullptr) continue;
    if (s.what == traffic::global_store) stores += s.lanes;
    if (s.what == traffic::global_load) loads += s.lanes;
  }
  CHECK(stores == 2 * 3);
  CHECK(loads == 3);
}
