// The order in which the warps of the library's kernels meet, by sums that round differently in
// another order, and what their meeting costs.
// needs: boost_context
#include <warpfold/policy/emulated.hpp>

#include <doctest/doctest.h>

#include <array>
#include <span>
#include <vector>

#include <warpfold/kernel/single_block.hpp>
#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/reduce.hpp>

#include "collective/rounded_sums.hpp"
#include "contract/add_only.hpp"

namespace wf = warpfold;

TEST_CASE(
    "eight warps meet as a tree, and so do four behind the first where there is no identity") {
  test::zeros<4 * 32 * 9> v;
  const auto warps = [&](std::size_t n) {
    v.at.fill(0);
    v.at[0] = test::large;
    for (std::size_t w = 1; w < n; ++w) v.at[w * 128] = 1;
  };
  warps(8);
  CHECK(test::sum_of(v, 256, 1, wf::plus{}, 8 * 128) == test::large + 6);
  warps(9);
  CHECK(test::sum_of(v, 288, 1, wf::plus{}, 9 * 128) ==
        test::large + 8);  // 7 more, rounded to even
  warps(5);
  CHECK(test::sum_of(v, 160, 1, test::add_only{}, 5 * 128) == test::large + 4);
  CHECK(test::sum_of(v, 160, 1, test::add_only{}, 4 * 128 + 4) ==
        test::large + 4);  // one lane of the last warp
  warps(9);
  CHECK(test::sum_of(v, 288, 1, test::add_only{}, 9 * 128) == test::large + 8);
  warps(8);
  CHECK(test::sum_of(v, 256, 1, test::add_only{}, 8 * 128) ==
        test::large + 4);  // the other three are lost
}

TEST_CASE("one warp alone meets no other, and delivers once") {
  const std::vector<float> values(20, 1);
  const auto policy = wf::emulated.counting().with_kernel(wf::kernel::single_block{});
  const auto check = [&](float sum) {
    CHECK(sum == 20);
    const auto& report = policy.report();
    REQUIRE(report.launches.size() == 1);
    CHECK(report.launches[0].barriers == 0);
    CHECK(report.launches[0].total(wf::emulation::traffic::global_store).requests == 1);
    CHECK(report.launches[0].total(wf::emulation::traffic::shared_store).requests == 0);
  };
  check(wf::reduce(policy, values, wf::plus{}));
  check(wf::reduce(policy, values, test::add_only{}));
}

namespace {

template <std::size_t N>
struct sums {
  std::array<double, N> x;
  friend sums operator+(const sums& a, const sums& b) {
    sums c{};
    for (std::size_t i = 0; i < N; ++i) c.x[i] = a.x[i] + b.x[i];
    return c;
  }
};

using fourteen = sums<14>;  // more than posts hold

}  // namespace

TEST_CASE("a block of one warp: the first thread's sum") {
  test::zeros<4 * 32> v;
  for (std::size_t i = 0; i < v.at.size(); ++i) v.at[i] = static_cast<float>(i);
  CHECK(test::sum_of(v, 32, 1, wf::plus{}) == 128 * 127 / 2);
  CHECK(test::sum_of(v, 32, 1, test::add_only{}) == 128 * 127 / 2);
  std::vector<fourteen> large_states(100);
  for (std::size_t i = 0; i < 100; ++i) large_states[i].x[0] = static_cast<double>(i);
  for (const unsigned grid : {1u, 3u}) {
    const wf::kernel::single_pass<> kernel{.block = 32, .grid = grid};
    CHECK(wf::reduce(wf::emulated.with_kernel(kernel), large_states).x[0] == 4950);
  }
}
