// The order in which warps and blocks meet, by sums that round differently in another one, and what
// their meeting costs.
// needs: boost_context
#include <warpfold/policy/emulated.hpp>

#include <array>
#include <vector>

#include <doctest/doctest.h>

#include <warpfold/collective/grid_finish.hpp>
#include <warpfold/kernel/ladder/atomic.hpp>
#include <warpfold/kernel/single_block.hpp>
#include <warpfold/kernel/single_pass.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/reduce.hpp>

namespace wf = warpfold;

namespace {

constexpr float large = 16777216;  // one more is not a float: large + 1 == large

struct by_hand {
  float operator()(float a, float b) const { return a + b; }
};

/// Floats that start at a word, all zero.
template <std::size_t N>
struct zeros {
  alignas(128) std::array<float, N> at{};
};

template <class Op, std::size_t N>
float sum_of(const zeros<N>& values, unsigned block, unsigned grid, const Op& op,
             std::size_t n = N) {
  const auto policy =
      wf::emulated.with_kernel(wf::kernel::single_pass<>{.block = block, .grid = grid});
  return wf::reduce(policy, std::span<const float>(values.at.data(), n), op);
}

}  // namespace

TEST_CASE(
    "eight warps meet as a tree, and so do four behind the first where there is no identity") {
  zeros<4 * 32 * 9> v;
  const auto warps = [&](std::size_t n) {
    v.at.fill(0);
    v.at[0] = large;
    for (std::size_t w = 1; w < n; ++w) v.at[w * 128] = 1;
  };
  warps(8);
  CHECK(sum_of(v, 256, 1, wf::plus{}, 8 * 128) == large + 6);
  warps(9);
  CHECK(sum_of(v, 288, 1, wf::plus{}, 9 * 128) == large + 8);  // 7 more, rounded to even
  warps(5);
  CHECK(sum_of(v, 160, 1, by_hand{}, 5 * 128) == large + 4);
  CHECK(sum_of(v, 160, 1, by_hand{}, 4 * 128 + 4) == large + 4);  // one lane of the last warp
  warps(9);
  CHECK(sum_of(v, 288, 1, by_hand{}, 9 * 128) == large + 8);
  warps(8);
  CHECK(sum_of(v, 256, 1, by_hand{}, 8 * 128) == large + 4);  // the other three are lost
}

TEST_CASE("as many warps as read posts meet at the end of a grid") {
  // 160 posts are read by five warps of six: the sixth, which has nothing, is not asked.
  static zeros<4 * 192 * 161> v;
  const auto state = [](std::size_t b) -> float& { return v.at[b * 192 * 4]; };
  state(0) = large;
  for (const std::size_t b : {32u, 64u, 96u, 128u}) state(b) = 1;
  CHECK(sum_of(v, 192, 161, by_hand{}) == large + 4);
  // More posts than the last block has threads.
  static zeros<4 * 32 * 70> many;
  for (std::size_t b = 0; b < 70; ++b) many.at[b * 128] = static_cast<float>(b + 1);
  CHECK(sum_of(many, 32, 70, wf::plus{}) == 70 * 71 / 2);
  CHECK(sum_of(many, 32, 70, by_hand{}) == 70 * 71 / 2);
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

TEST_CASE("posts of blocks that saw nothing are left out") {
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

TEST_CASE("states too large for posts: the first thread's is the block's") {
  std::vector<fourteen> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t k = 0; k < 14; ++k) values[i].x[k] = static_cast<double>(i * (k + 1));
  }
  const auto sum = wf::reduce(
      wf::emulated.with_kernel(wf::kernel::single_pass<>{.block = 64, .grid = 5}), values);
  for (std::size_t k = 0; k < 14; ++k) CHECK(sum.x[k] == 499500.0 * static_cast<double>(k + 1));
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
  check(wf::reduce(policy, values, by_hand{}));
}

TEST_CASE("a block of one warp: the first thread's sum") {
  zeros<4 * 32> v;
  for (std::size_t i = 0; i < v.at.size(); ++i) v.at[i] = static_cast<float>(i);
  CHECK(sum_of(v, 32, 1, wf::plus{}) == 128 * 127 / 2);
  CHECK(sum_of(v, 32, 1, by_hand{}) == 128 * 127 / 2);
  std::vector<fourteen> large_states(100);
  for (std::size_t i = 0; i < 100; ++i) large_states[i].x[0] = static_cast<double>(i);
  for (const unsigned grid : {1u, 3u}) {
    const wf::kernel::single_pass<> kernel{.block = 32, .grid = grid};
    CHECK(wf::reduce(wf::emulated.with_kernel(kernel), large_states).x[0] == 4950);
  }
}

TEST_CASE("as many blocks as a block has threads, and a tile and one chunk") {
  static zeros<4 * 32 * 32> v;
  v.at.fill(1);
  for (const unsigned grid : {31u, 32u, 33u, 34u}) {
    INFO(grid, " blocks");
    CHECK(sum_of(v, 32, grid, wf::plus{}) == 4096);
    CHECK(sum_of(v, 32, grid, by_hand{}) == 4096);
  }
  for (const std::size_t chunks : {256u, 257u, 511u, 512u, 513u}) {
    INFO(chunks, " chunks");
    CHECK(sum_of(v, 32, 1, wf::plus{}, 4 * chunks) == static_cast<float>(4 * chunks));
    CHECK(sum_of(v, 32, 1, by_hand{}, 4 * chunks) == static_cast<float>(4 * chunks));
  }
}

namespace {

using twelve = sums<12>;  // as many bytes as posts hold, in eight of them

/// Too large for an atomic: combined under a lock.
struct two_numbers {
  double x, y;
  friend two_numbers operator+(const two_numbers& a, const two_numbers& b) {
    return {a.x + b.x, a.y + b.y};
  }
};

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

TEST_CASE("a lock lets one thread in at a time") {
  const std::vector<two_numbers> values(20'000, two_numbers{1, 2});
  const auto policy = wf::emulated.counting().with_kernel(wf::kernel::atomic{.block = 64});
  for (int run = 0; run < 3; ++run) {
    const two_numbers sum = wf::reduce(policy, values);
    CHECK(sum.x == 20'000);
    CHECK(sum.y == 40'000);
  }
}

namespace {

/// Reads and writes the fourth element of an array of three.
struct one_behind {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = false;
  wf::collective::global_array<int> a;
  bool writes;

  void operator()() const {
    if (wf::threadIdx.x != 0) return;
    if (writes) {
      a.store(3, 1);
    } else {
      (void)a.load(3);
    }
  }
};

}  // namespace

TEST_CASE("an array of a kernel ends where it says, and not where its memory does") {
  std::vector<int> memory(10);
  for (const bool writes : {false, true}) {
    wf::emulation::launcher on(wf::emulation::default_gpu, nullptr);
    on.allow(memory.data(), memory.size() * sizeof(int), true);
    CHECK_THROWS_AS(on.launch("one_behind", one_behind{{memory.data(), 3}, writes}, {1, 32}),
                    wf::emulation_error);
  }
  CHECK(memory[3] == 0);
}

namespace {

struct seven_words {
  unsigned x[7];
};
/// A state, and what lies behind it.
struct guarded {
  seven_words state;
  unsigned behind[4];
};

struct posts_to_itself {
  static constexpr int max_block = 32;
  static constexpr bool calls_user_functions = false;
  wf::collective::post* posts;
  const guarded* from;
  guarded* to;

  void operator()() const {
    if (wf::threadIdx.x != 0) return;
    using posted = wf::collective::posted_state<seven_words>;
    posted::store(posts, from->state);
    ::new (&to->state) seven_words(posted::await(posts, from->state));
    posted::clear(posts);
  }
};

}  // namespace

TEST_CASE("posts hold a state and nothing behind it") {
  const guarded from{{{1, 2, 3, 4, 5, 6, 7}}, {8, 8, 8, 8}};
  guarded to{{}, {9, 9, 9, 9}};
  wf::emulation::launcher on(wf::emulation::default_gpu, nullptr);
  on.launch("posts_to_itself", posts_to_itself{on.grid().posts, &from, &to}, {1, 32});
  on.finish();
  for (unsigned i = 0; i < 7; ++i) CHECK(to.state.x[i] == i + 1);
  for (const unsigned word : to.behind) CHECK(word == 9);
}

TEST_CASE("a thread's loads as several runs: all are counted, and places are the first ones") {
  // Eight loads a thread, four of them a run.
  std::vector<float> values(4 * 32 * 8 * 2 + 4 * 40);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 64);
  const auto policy = wf::emulated.with_kernel(wf::kernel::single_pass<>{.block = 32, .grid = 1});
  for (const std::size_t n : {4u * 32u * 8u, 4u * 32u * 5u, 4u * 32u * 16u, 4u * 32u * 17u}) {
    INFO(n, " floats");
    const auto some = std::span<const float>(values).first(n);
    const auto m = wf::reduce(policy, some, wf::moments_op{});
    CHECK(m.count == static_cast<double>(n));
    CHECK(m.mean == 31.5);
    CHECK(m.m2 == doctest::Approx(341.25 * static_cast<double>(n)));
  }
  for (const std::size_t at : {0u, 515u, 1023u, 1024u, 2047u, 2100u}) {
    INFO("at ", at);
    values[at] = 1000;
    CHECK(wf::reduce(policy, values, wf::arg(wf::maximum{})).index == at);
    values[at] = 0;
  }
}
