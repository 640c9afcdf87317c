// grid_finish: the fold of the states of all blocks, by number, in exactly one thread; blocks
// without elements, states that are posted and states that are not, and the limits of a launch.
// needs: boost_context
#include <warpfold/collective/grid_finish.hpp>

#include <doctest/doctest.h>

#include <array>
#include <span>
#include <utility>
#include <vector>

#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce.hpp>

#include "collective/rounded_sums.hpp"
#include "contract/add_only.hpp"
#include "contract/emulated_launch.hpp"

namespace wf = warpfold;

namespace {

template <class T>
struct adds {
  T operator()(const T& a, const T& b) const { return a + b; }
};
template <std::size_t N>
struct bytes {
  unsigned char x[N];
};

/// The fold of blocks with `state(block)`, and how many threads have it. Three launches, one after
/// the other, use the same memory.
template <class Fold, class State>
std::pair<typename Fold::state, int> finished(const Fold& fold, unsigned blocks, unsigned threads,
                                              const State& state_of) {
  using namespace warpfold;
  using state = typename Fold::state;
  std::vector<state> result(1, state_of(0));
  std::vector<int> times(1);
  test::emulated_launch on;
  const auto out = on.array(result);
  on.array(times);
  const auto grid = on.launcher().grid();
  for (int launch = 0; launch < 3; ++launch) {
    on.run({blocks, threads}, [=, count = times.data()] {
      WARPFOLD_SHARED collective::block_storage<state> storage;
      // Only thread 0 has the block's state.
      state own = state_of(threadIdx.x == 0 ? blockIdx.x : 1000000);
      if (collective::grid_finish(fold, own, grid, storage)) {
        CHECK(threadIdx.x == 0);
        atomicAdd(count, 1);
        out.store(0, own);
      }
    });
    on.launcher().finish();  // throws if posts or the ticket are not zero again
  }
  return {result[0], times[0]};
}

template <class Fold>
void check_blocks(const Fold& fold) {
  for (const unsigned blocks : {1u, 2u, 31u, 32u, 33u, 34u, 70u, 200u}) {
    for (const unsigned threads : {32u, 96u}) {
      INFO(blocks, " blocks of ", threads);
      const auto [state, times] = finished(fold, blocks, threads, [=](unsigned b) {
        using value = std::remove_cvref_t<decltype(fold.value(fold.start()))>;
        return fold.state_of(static_cast<value>(b + 1));
      });
      CHECK(fold.value(state) == blocks * (blocks + 1) / 2);
      CHECK(times == 3);
    }
  }
}

}  // namespace

TEST_CASE("one thread has the fold of all blocks, however they arrive") {
  SUBCASE("posted") { check_blocks(wf::fold<wf::plus, double>{}); }
  SUBCASE("posted, and may be empty") { check_blocks(wf::fold<adds<float>, float>{}); }
}

TEST_CASE("the limit of blocks: 2048 posts of 12 bytes, or 64 KB of partial states") {
  using wf::collective::max_blocks;
  static_assert(max_blocks<float>() == 2048);
  static_assert(max_blocks<bytes<12>>() == 2048);
  static_assert(max_blocks<bytes<13>>() == 1024);
  static_assert(max_blocks<bytes<25>>() == 682);
  static_assert(max_blocks<bytes<96>>() == 256);
  static_assert(max_blocks<bytes<97>>() == 675);
  static_assert(max_blocks<bytes<128>>() == 512);
  static_assert(max_blocks<wf::detail::maybe<bytes<12>>>() ==
                2048);  // the mark is beside the value
}

TEST_CASE("as many warps as read posts meet at the end of a grid") {
  // 160 posts are read by five warps of six: the sixth, which has nothing, is not asked.
  static test::zeros<4 * 192 * 161> v;
  const auto state = [](std::size_t b) -> float& { return v.at[b * 192 * 4]; };
  state(0) = test::large;
  for (const std::size_t b : {32u, 64u, 96u, 128u}) state(b) = 1;
  CHECK(test::sum_of(v, 192, 161, test::add_only{}) == test::large + 4);
  // More posts than the last block has threads.
  static test::zeros<4 * 32 * 70> many;
  for (std::size_t b = 0; b < 70; ++b) many.at[b * 128] = static_cast<float>(b + 1);
  CHECK(test::sum_of(many, 32, 70, wf::plus{}) == 70 * 71 / 2);
  CHECK(test::sum_of(many, 32, 70, test::add_only{}) == 70 * 71 / 2);
}

namespace {

/// Blocks of which only those with odd numbers have seen an element.
struct odd_blocks {
  static constexpr const char* name() { return "odd_blocks"; }
  unsigned blocks = 8;

  template <class Reduction, class Out>
  struct body {
    static constexpr int max_block = 1024;
    Reduction reduction;
    wf::collective::grid_storage scratch;
    wf::collective::result_sink<Out> sink;

    WARPFOLD_HD const Reduction& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      WARPFOLD_SHARED wf::collective::block_storage<typename Reduction::state> storage;
      const auto fold = reduction.fold();
      auto state = fold.start();
      if (wf::blockIdx.x % 2 == 1) {
        state = fold.state_of(reduction.lift(reduction.view[wf::blockIdx.x]));
      }
      if (wf::collective::grid_finish(fold, state, scratch, storage)) {
        sink.deliver(reduction.result(state));
      }
    }
  };
  template <class Reduction, class Out, class Launcher>
  void enqueue(const Reduction& r, const wf::collective::result_sink<Out>& sink,
               Launcher& on) const {
    on.launch(name(), body<Reduction, Out>{r, on.grid(), sink}, {blocks, 32});
  }
};

}  // namespace

TEST_CASE("the last block skips posts of blocks without elements") {
  const std::vector<int> values = {2, 3, 2, 5, 2, 7, 2, 11, 2};
  const auto product = [](int a, int b) { return a * b; };
  CHECK(wf::reduce(wf::emulated.with_kernel(odd_blocks{}), values, product) == 3 * 5 * 7 * 11);
  CHECK(wf::reduce(wf::emulated.with_kernel(odd_blocks{9}), values, product) == 3 * 5 * 7 * 11);
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

TEST_CASE("states too test::large for posts: the first thread's is the block's") {
  std::vector<fourteen> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t k = 0; k < 14; ++k) values[i].x[k] = static_cast<double>(i * (k + 1));
  }
  const auto sum = wf::reduce(
      wf::emulated.with_kernel(wf::kernel::single_pass<>{.block = 64, .grid = 5}), values);
  for (std::size_t k = 0; k < 14; ++k) CHECK(sum.x[k] == 499500.0 * static_cast<double>(k + 1));
}

TEST_CASE("as many blocks as a block has threads, and a tile and one chunk") {
  static test::zeros<4 * 32 * 32> v;
  v.at.fill(1);
  for (const unsigned grid : {31u, 32u, 33u, 34u}) {
    INFO(grid, " blocks");
    CHECK(test::sum_of(v, 32, grid, wf::plus{}) == 4096);
    CHECK(test::sum_of(v, 32, grid, test::add_only{}) == 4096);
  }
  for (const std::size_t chunks : {256u, 257u, 511u, 512u, 513u}) {
    INFO(chunks, " chunks");
    CHECK(test::sum_of(v, 32, 1, wf::plus{}, 4 * chunks) == static_cast<float>(4 * chunks));
    CHECK(test::sum_of(v, 32, 1, test::add_only{}, 4 * chunks) == static_cast<float>(4 * chunks));
  }
}

namespace {

using twelve = sums<12>;  // as many bytes as posts hold, in eight of them

}  // namespace

TEST_CASE("as many blocks as there are posts for") {
  const std::vector<twelve> values(32 * 300, twelve{{1, 2}});
  const auto policy =
      wf::emulated.counting().with_kernel(wf::kernel::single_pass<>{.block = 32, .grid = 100'000});
  const auto sum = wf::reduce(policy, values);
  CHECK(sum.x[0] == 9600);
  CHECK(sum.x[1] == 19200);
  const auto& shape = policy.report().launches.at(0).launch.shape;
  CHECK(shape.grid.x == 2048 / 8);
}
