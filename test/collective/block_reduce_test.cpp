// block_reduce and finish_block: the fold of a block's states for every number of warps, for folds
// with and without an identity, long ones and those that fold a warp's states at once; the order of
// combination; the barrier, and what it protects.
// needs: boost_context
#include <warpfold/collective/block_reduce.hpp>

#include <doctest/doctest.h>

#include <type_traits>
#include <utility>
#include <vector>

#include <warpfold/op/compensated.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/plus.hpp>

#include "contract/add_only.hpp"
#include "contract/emulated_launch.hpp"

namespace wf = warpfold;

namespace {

using namespace warpfold;
using namespace warpfold::collective;

/// The same, declared long.
struct long_sum : test::add_only {
  template <class>
  static constexpr bool is_long = true;
};
struct long_plus {
  template <class>
  static constexpr bool is_long = true;
  template <class T>
  T identity() const {
    return T{};
  }
  template <class T>
  T operator()(const T& a, const T& b) const {
    return a + b;
  }
};

constexpr unsigned blocks_of_warps[] = {32, 64, 96, 128, 160, 256, 288, 512, 992, 1024};

/// The fold of a block, thread `t` with `state(t)`, by both functions.
template <class Fold, class StateOf>
std::vector<typename Fold::state> both_ways(const Fold& fold, unsigned threads,
                                            const StateOf& state_of) {
  using state = typename Fold::state;
  std::vector<state> results(2, state_of(0));
  test::emulated_launch on;
  const auto out = on.array(results);
  on.run({1, threads}, [=] {
    WARPFOLD_SHARED block_storage<state> storage;
    WARPFOLD_SHARED block_storage<state> other;
    const state s = block_reduce(fold, state_of(threadIdx.x), storage);
    if (threadIdx.x == 0) out.store(0, s);
    finish_block(fold, state_of(threadIdx.x), other, [&](const state& f) { out.store(1, f); });
  });
  return results;
}

template <class Fold>
void check_sums(const Fold& fold) {
  for (const unsigned threads : blocks_of_warps) {
    INFO(threads, " threads");
    long long expected = 0;
    for (unsigned t = 0; t < threads; ++t) expected += t * t + 1;
    for (const auto& s :
         both_ways(fold, threads, [=](unsigned t) { return fold.state_of(t * t + 1); })) {
      CHECK(fold.value(s) == expected);
    }
  }
}

}  // namespace

TEST_CASE("the sum of a block's states") {
  SUBCASE("integers") { check_sums(wf::fold<plus, long long>{}); }
  SUBCASE("floating-point numbers") { check_sums(wf::fold<plus, double>{}); }
  SUBCASE("a long op with an identity") { check_sums(wf::fold<long_plus, long long>{}); }
  SUBCASE("no identity") { check_sums(wf::fold<test::add_only, long long>{}); }
  SUBCASE("a long op without an identity") { check_sums(wf::fold<long_sum, long long>{}); }
}

TEST_CASE("an op that folds a warp's states at once folds those of a block") {
  using sum = compensated_sum<double>;
  const wf::fold<compensated_plus, sum> fold{};
  static_assert(folds_warp_states<wf::fold<compensated_plus, sum>>);
  for (const unsigned threads : blocks_of_warps) {
    INFO(threads, " threads");
    for (const sum& s :
         both_ways(fold, threads, [](unsigned t) { return sum{static_cast<double>(t), 0}; })) {
      CHECK(static_cast<double>(s) == threads * (threads - 1.0) / 2);
    }
  }
}

TEST_CASE("empty states contribute nothing") {
  const wf::fold<test::add_only, int> fold{};
  for (const unsigned threads : {32u, 96u, 1024u}) {
    for (const unsigned each : {1u, 7u, 33u, 2000u}) {
      INFO(threads, " threads, one state of ", each);
      int expected = 0;
      for (unsigned t = 5; t < threads; t += each) expected += static_cast<int>(t);
      const auto state_of = [=](unsigned t) {
        return t >= 5 && (t - 5) % each == 0 ? fold.state_of(static_cast<int>(t)) : fold.start();
      };
      for (const auto& s : both_ways(fold, threads, state_of)) {
        CHECK(s.engaged());
        CHECK(s.value == expected);
      }
    }
    for (const auto& s : both_ways(fold, threads, [=](unsigned) { return fold.start(); })) {
      CHECK(!s.engaged());
    }
  }
}

TEST_CASE("only the first `warps` warps are folded") {
  const wf::fold<plus, double> fold{};
  const wf::fold<test::add_only, double> without{};
  for (const unsigned warps : {1u, 2u, 5u, 8u}) {
    INFO(warps, " warps");
    std::vector<double> results(3);
    test::emulated_launch on;
    const auto out = on.array(results);
    on.run({1, 256}, [=] {
      WARPFOLD_SHARED block_storage<double> storage;
      WARPFOLD_SHARED block_storage<double> other;
      WARPFOLD_SHARED block_storage<warpfold::detail::maybe<double>> third;
      const double a = block_reduce(fold, 1.0, storage, warps);
      if (threadIdx.x == 0) out.store(0, a);
      finish_block(fold, 1.0, other, [&](double b) { out.store(1, b); }, warps);
      const auto own = threadIdx.x < 32 * warps ? without.state_of(1.0) : without.start();
      finish_block(
          without, own, third,
          [&](const warpfold::detail::maybe<double>& c) { out.store(2, c.value); }, warps);
    });
    for (const double sum : results) CHECK(sum == 32 * warps);
  }
}

TEST_CASE("a warp's lanes are combined with those 16, 8, 4, 2 and 1 further on; then the warps") {
  // One more is lost: large + 1 == large.
  constexpr float large = 16777216;
  const wf::fold<plus, float> fold{};
  const auto sum = [&](unsigned threads, std::vector<std::pair<unsigned, float>> states) {
    std::vector<float> of(1024);
    for (const auto& [t, x] : states) of[t] = x;
    const auto got = both_ways(fold, threads, [data = of.data()](unsigned t) { return data[t]; });
    CHECK(got[0] == got[1]);
    return got[0];
  };
  CHECK(sum(32, {{0, large}, {16, 1}, {1, 1}}) == large);       // one by one
  CHECK(sum(32, {{0, large}, {1, 1}, {17, 1}}) == large + 2);   // lanes 1 and 17 meet first
  CHECK(sum(32, {{0, large}, {8, 1}, {24, 1}}) == large + 2);   // and 8 and 24
  CHECK(sum(64, {{0, large}, {1, 1}, {32, 1}}) == large);       // the first warp alone first
  CHECK(sum(64, {{0, large}, {32, 1}, {33, 1}}) == large + 2);  // the second one alone
  CHECK(sum(96, {{0, large}, {32, 1}, {64, 1}}) == large);      // three warps one by one
  CHECK(sum(256, {{0, large}, {32, 1}, {64, 1}, {96, 1}}) == large + 2);  // eight as a tree
}

TEST_CASE("one barrier, and none if the block is one warp") {
  const wf::fold<plus, float> fold{};
  const wf::fold<test::add_only, float> without{};
  const auto barriers = [&](const auto& f, unsigned threads) {
    test::emulated_launch on;
    const auto& counts = on.run({1, threads}, [=] {
      WARPFOLD_SHARED block_storage<typename std::remove_cvref_t<decltype(f)>::state> storage;
      (void)block_reduce(f, f.state_of(1.0f), storage);
    });
    return counts.barriers / ((threads + 31) / 32);
  };
  CHECK(barriers(fold, 32) == 0);
  CHECK(barriers(without, 32) == 0);
  CHECK(barriers(fold, 64) == 1);
  CHECK(barriers(without, 1024) == 1);
  CHECK(barriers(wf::fold<long_plus, float>{}, 1024) == 1);
}

TEST_CASE("a barrier must separate two uses of one storage") {
  const auto twice = [](bool with_barrier) {
    return [=] {
      WARPFOLD_SHARED block_storage<double> storage;
      const wf::fold<plus, double> fold{};
      const double first = block_reduce(fold, 1.0, storage);
      if (with_barrier) __syncthreads();
      (void)block_reduce(fold, first, storage);
    };
  };
  test::emulated_launch on;
  CHECK_ERROR(on.error_of({1, 96}, twice(false)), "without a barrier between");
  CHECK(on.error_of({1, 96}, twice(true)) == "");
}

TEST_CASE("the launch refuses blocks that are not whole warps") {
  test::emulated_launch on;
  const auto nothing = [] {};
  for (const unsigned threads : {1u, 31u, 33u, 1056u}) {
    CHECK_THROWS_AS(on.run({1, threads}, nothing), unsupported_kernel);
  }
  CHECK_NOTHROW(on.run({1, 1024}, nothing));
}
