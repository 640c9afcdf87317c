// kernel::single_block: the threads of its one block, what it refuses, and its sums in the
// emulation.
// needs: boost_context
#include <warpfold/kernel/single_block.hpp>

#include "kernel/emulated_sums.hpp"

using wf::kernel::single_block;

namespace {

template <class T>
unsigned threads_for(std::size_t n) {
  const auto on = test::launches_of(single_block{}, test::elements<T>(n));
  CHECK(on.blocks() == test::counts{1});
  CHECK(on.scratches.empty());
  return on.launches.at(0).shape.block.x;
}

/// A product of chars in another type: folded one by one, not in packed words.
struct by_hand {
  WARPFOLD_HD int operator()(int a, int b) const { return a * b; }
};
template <class Op, class T>
bool takes(std::size_t n) {
  const auto view = test::elements<T>(n);
  return single_block::fits(wf::reduction<wf::contiguous_view<T>, Op>{view, {}, {}});
}

}  // namespace

TEST_CASE("a warp, or as many threads as load everything at once, 64 bytes each") {
  CHECK(threads_for<float>(0) == 32);
  CHECK(threads_for<float>(1) == 32);
  CHECK(threads_for<float>(32 * 16) == 32);
  CHECK(threads_for<float>(32 * 16 + 4) == 256);
  CHECK(threads_for<float>(256 * 16) == 256);
  CHECK(threads_for<float>(256 * 16 + 4) == 512);
  CHECK(threads_for<float>(512 * 16) == 512);
  CHECK(threads_for<float>(512 * 16 + 4) == 1024);
  CHECK(threads_for<float>(1024 * 16) == 1024);
  CHECK(threads_for<double>(32 * 8) == 32);
  CHECK(threads_for<double>(32 * 8 + 2) == 256);
}

TEST_CASE("at most what 1024 threads load at once; of chars that fold one by one a quarter") {
  CHECK(takes<wf::plus, float>(16 * 1024));
  CHECK_FALSE(takes<wf::plus, float>(16 * 1024 + 1));
  CHECK(takes<wf::plus, signed char>(64 * 1024));
  CHECK_FALSE(takes<wf::plus, signed char>(64 * 1024 + 1));
  CHECK(takes<by_hand, signed char>(16 * 1024));
  CHECK_FALSE(takes<by_hand, signed char>(16 * 1024 + 1));
  CHECK_REFUSED("reduces at most 16384 elements of this type, but the range has 16385",
                single_block{}, test::elements<float>(16385));
}

TEST_CASE("sums of every size of block, with and without a rest at either end") {
  for (const unsigned n :
       {0u,    1u,    3u,    4u,    31u,   32u,   33u,   511u,  512u,   513u,  516u,
        2048u, 4095u, 4096u, 4097u, 4100u, 8191u, 8192u, 8193u, 16383u, 16384u}) {
    (void)test::emulated_sum(single_block{}, n);
  }
}

TEST_CASE("one warp needs neither a barrier nor shared memory, a block one barrier") {
  const auto warp = test::emulated_sum(single_block{}, 512).launches.at(0);
  CHECK(warp.barriers == 0);
  CHECK(warp.total(test::traffic::shared_store).requests == 0);
  const auto block = test::emulated_sum(single_block{}, 4096).launches.at(0);
  CHECK(block.barriers == 8);
  // One request of 16 bytes for every four elements of a lane.
  CHECK(block.total(test::traffic::global_load).requests == 4096 / 4 / 32);
}
