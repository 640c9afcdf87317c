// kernel/ladder/passes.hpp: launches of a kernel of the test's own, pass by pass, in the emulation:
// what each pass reads, and what does not fit its shared memory.
// needs: boost_context
#include <warpfold/kernel/ladder/passes.hpp>

#include "kernel/emulated_sums.hpp"

using test::counts;

namespace {

/// Blocks of 32 threads, of which the first one folds `Each` values.
template <std::size_t Each>
struct by_one_thread {
  static constexpr const char* name() { return "by_one_thread"; }
  static constexpr unsigned block_threads = 32;

  bool twice = false;  ///< two launches instead of as many as it takes

  template <class Fold, class Source>
  typename Fold::state fold_block(const Fold& fold, const Source& source) const {
    typename Fold::state state = fold.start();
    if (wf::threadIdx.x != 0) return state;
    const bool rest = twice && wf::gridDim.x == 1;  // one block takes all
    const std::size_t first = rest ? 0 : wf::blockIdx.x * Each;
    const std::size_t last = rest ? source.size() : first + Each;
    for (std::size_t i = first; i < last; ++i) state = fold.combine(state, source.at(i));
    return state;
  }
  template <class State>
  static constexpr std::size_t shared_bytes() {
    return sizeof(State) * 100;
  }

  template <class Reduction, class Out, class Launcher>
  void enqueue(const Reduction& r, const wf::collective::result_sink<Out>& sink,
               Launcher& on) const {
    const auto shape_of = [](std::size_t n) -> wf::launch_shape {
      return {wf::kernel::blocks_for(n, Each), 32};
    };
    if (twice) {
      wf::kernel::reduce_in_two_passes(name(), *this, *this, shape_of(r.view.size()), r, sink, on);
    } else {
      wf::kernel::reduce_in_passes(name(), *this, shape_of, r, sink, on);
    }
  }
};

/// A pass that says nothing of its shared memory.
struct bare {
  static constexpr unsigned block_threads = 128;
};

}  // namespace

TEST_CASE("blocks that can be halved down to one thread") {
  counts taken;
  for (unsigned threads = 0; threads <= 3000; ++threads) {
    if (wf::kernel::is_tree_block(threads)) taken.push_back(threads);
  }
  CHECK(taken == counts{32, 64, 128, 256, 512, 1024});
}

TEST_CASE("a pass reads what the one before it left, and writes elsewhere") {
  const auto on = test::launches_of(by_one_thread<3>{}, 3 * 3 * 3 * 3 + 1);
  CHECK(on.blocks() == counts{28, 10, 4, 2, 1});
  CHECK(on.scratches == counts{28 + 10});
  test::check_passes(on);
  test::check_sums(by_one_thread<3>{}, 3);
  test::check_sums(by_one_thread<1000>{}, 1000);
}

TEST_CASE("two passes: the second is one block, and there is none after one block") {
  const auto on = test::launches_of(by_one_thread<3>{.twice = true}, 100);
  CHECK(on.blocks() == counts{34, 1});
  CHECK(on.scratches == counts{34});
  test::check_passes(on);
  CHECK(test::launches_of(by_one_thread<3>{.twice = true}, 3).blocks() == counts{1});
  CHECK(test::launches_of(by_one_thread<3>{.twice = true}, 3).scratches.empty());
  test::check_sums(by_one_thread<100>{.twice = true}, 100);
}

TEST_CASE("a pass has a state for each thread in shared memory, or what it says") {
  using wf::kernel::fits_shared;
  using wf::kernel::static_shared_bytes;
  CHECK(static_shared_bytes<bare, double>() == 1024);
  CHECK(static_shared_bytes<by_one_thread<3>, double>() == 800);
  CHECK(fits_shared<bare, test::float_array<96>>);
  CHECK_FALSE(fits_shared<bare, test::float_array<97>>);
  CHECK_REFUSED(
      "kernel by_one_thread keeps 50000 bytes in the static shared memory of a block of "
      "up to 32 threads, for states of 500 bytes each, but only 49152 are available",
      by_one_thread<3>{}, test::elements<test::float_array<125>>(10));
}
