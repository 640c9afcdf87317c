// tree_reduce: the fold of a block's states in blocks of one and two dimensions, the order of
// combination, its barriers and bank conflicts, and what two uses of one array need.
// needs: boost_context
#include <warpfold/collective/tree_reduce.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <utility>
#include <vector>

#include <warpfold/op/fold.hpp>
#include <warpfold/op/plus.hpp>

#include "contract/add_only.hpp"
#include "contract/emulated_launch.hpp"

namespace wf = warpfold;

namespace {

using namespace warpfold;
using namespace warpfold::collective;
using emulation::traffic;

/// The fold of a block in which thread t has `state(t)`.
template <class Fold, class StateOf>
typename Fold::state folded(const Fold& fold, const launch_extent& block, const StateOf& state_of) {
  using state = typename Fold::state;
  const auto threads = static_cast<unsigned>(block.count());
  std::vector<state> result(1, state_of(0));
  test::emulated_launch on;
  const auto out = on.array(result);
  const auto& counts = on.run({1, block, threads * sizeof(state)}, [=] {
    const unsigned t = threadIdx.x + blockDim.x * threadIdx.y;
    const state s = tree_reduce(fold, state_of(t), dynamic_shared<state>(threads));
    if (t == 0) out.store(0, s);
  });
  const unsigned steps = static_cast<unsigned>(std::countr_zero(threads));
  CHECK(counts.barriers == (steps + 1) * (threads / 32));
  if (sizeof(state) == 4) {
    CHECK(counts.total(traffic::shared_load).bank_conflicts == 0);
    CHECK(counts.total(traffic::shared_store).bank_conflicts == 0);
  }
  return result[0];
}

}  // namespace

TEST_CASE("the sum of a block's states, in one dimension and in two") {
  const launch_extent blocks[] = {32, 64, 128, 1024, {8, 4}, {16, 16}, {1, 32}, {64, 2}};
  for (const launch_extent& block : blocks) {
    const auto n = static_cast<unsigned>(block.count());
    INFO(block.x, " x ", block.y);
    CHECK(folded(wf::fold<plus, float>{}, block, [](unsigned t) {
            return static_cast<float>(t + 1);
          }) == static_cast<float>(n * (n + 1) / 2));
    const wf::fold<test::add_only, float> without{};
    const auto every_third = [=](unsigned t) {
      return t % 3 == 1 ? without.state_of(1) : without.start();
    };
    CHECK(folded(without, block, every_third).value == static_cast<float>((n + 1) / 3));
  }
}

TEST_CASE("thread t takes the state half of the threads further on") {
  constexpr float large = 16777216;  // large + 1 == large
  const auto sum = [](std::vector<std::pair<unsigned, float>> states) {
    std::vector<float> of(128);
    for (const auto& [t, x] : states) of[t] = x;
    return folded(wf::fold<plus, float>{}, 128, [data = of.data()](unsigned t) { return data[t]; });
  };
  CHECK(sum({{0, large}, {1, 1}, {65, 1}}) == large + 2);  // 1 and 65 first
  CHECK(sum({{0, large}, {3, 1}, {35, 1}}) == large + 2);  // 3 and 35 second
  CHECK(sum({{0, large}, {64, 1}, {32, 1}}) == large);     // 64 to 0, then 32
  CHECK(sum({{0, large}, {1, 1}, {2, 1}}) == large);       // 2 to 0, then 1
}

TEST_CASE("a barrier must separate two uses of one array") {
  const auto twice = [](bool with_barrier) {
    return [=] {
      const auto values = dynamic_shared<float>(64);
      const wf::fold<plus, float> fold{};
      const float first = tree_reduce(fold, 1.0f, values);
      // Read by all.
      const float all = values.load(0);
      if (with_barrier) __syncthreads();
      (void)tree_reduce(fold, first + all, values);
    };
  };
  test::emulated_launch on;
  CHECK(on.error_of({1, 64, 256}, twice(true)) == "");
  CHECK_ERROR(on.error_of({1, 64, 256}, twice(false)), "without a barrier between");
}

TEST_CASE("an array with fewer states than threads is an error") {
  test::emulated_launch on;
  const auto fold_64 = [] {
    (void)tree_reduce(wf::fold<plus, float>{}, 1.0f, dynamic_shared<float>(63));
  };
  CHECK_ERROR(on.error_of({1, 64, 256}, fold_64),
              "thread 63 writes element 63 of a shared array that has 63");
}
