// grid_nodes in the emulation: the nodes of a launch in the declared order, in exactly one thread;
// fewer than blocks, posted and stored.
// needs: boost_context
#include <warpfold/collective/node_finish.hpp>

#include <doctest/doctest.h>

#include <array>
#include <vector>

#include <warpfold/op/fold.hpp>

#include "contract/emulated_launch.hpp"
#include "contract/order_certificate.hpp"

namespace wf = warpfold;
using namespace warpfold;  // threadIdx and the other names of the emulation

namespace {

/// The result of `count` nodes `node(k)`, and how many threads have it; three launches use the same
/// memory.
template <class A, class Op, class Node>
void check_nodes(const Op& op, const Node& node, unsigned count, unsigned blocks) {
  INFO(count, " nodes of ", blocks, " blocks");
  std::vector<A> result(1, node(0));
  std::vector<int> times(1);
  test::emulated_launch on;
  const auto out = on.array(result);
  on.array(times);
  const auto grid = on.launcher().grid();
  for (int launch = 0; launch < 3; ++launch) {
    on.run({blocks, 64}, [=, said = times.data()] {
      WARPFOLD_SHARED wf::collective::block_storage<A> storage;
      WARPFOLD_SHARED typename wf::collective::grid_nodes<A>::kept_node kept;
      const wf::fold<Op, A> fold{op};
      const wf::collective::grid_nodes<A> nodes(grid, count);
      // Fewer blocks have several nodes each; the last one has the last.
      const unsigned step = blocks < count ? blocks : count;
      if (threadIdx.x == 0 && blockIdx.x < step) {
        for (unsigned k = (blockIdx.x + count) % step; k < count; k += step) {
          nodes.store(k, node(k), kept);
        }
      }
      if (blocks < count) __syncthreads();
      nodes.finish(blockIdx.x == step - 1, fold, storage, kept, [&](const A& a) {
        out.store(0, a);
        atomicAdd(said, 1);
      });
    });
    on.launcher().finish();  // throws if posts or the ticket are not zero again
  }
  CHECK(times[0] == 3);
  CHECK(result[0] == test::recursive_fold<A>(op, node, 0, count));
}

}  // namespace

TEST_CASE("posted nodes, up to the limit of a block of 64 threads") {
  const auto node = [](std::size_t k) { return std::uint64_t{k} * 0x9e3779b97f4a7c15 + 1; };
  static_assert(wf::collective::max_nodes<std::uint64_t>(64) == 512);
  for (const unsigned count :
       {1u, 2u, 31u, 33u, 64u, 65u, 100u, 129u, 255u, 256u, 257u, 511u, 512u}) {
    for (const unsigned blocks : {count, count + 1, count + 40, (count + 1) / 2, (count + 6) / 7}) {
      check_nodes<std::uint64_t>(test::ordered_hash{}, node, count, blocks);
    }
  }
}

TEST_CASE("nodes of several posts") {
  const auto check = [](auto any) {
    using A = decltype(any);
    const auto node = [](std::size_t k) {
      A words{};
      for (std::size_t i = 0; i < words.size(); ++i) words[i] = (k + 1) * (i + 3);
      return words;
    };
    const auto op = [](const A& a, const A& b) {
      A words{};
      for (std::size_t i = 0; i < words.size(); ++i) words[i] = test::ordered_hash{}(a[i], b[i]);
      return words;
    };
    for (const unsigned count : {2u, 64u, 65u, 100u, 129u, 250u}) {
      for (const unsigned blocks : {count, (count + 6) / 7})
        check_nodes<A>(op, node, count, blocks);
    }
  };
  check(std::array<std::uint64_t, 3>{});
  check(std::array<std::uint64_t, 4>{});
  check(std::array<std::uint64_t, 12>{});
}

TEST_CASE("more posted nodes than a warp loads at once, from few blocks") {
  const auto node = [](std::size_t k) { return std::uint64_t{k} * 0x9e3779b97f4a7c15 + 1; };
  static_assert(wf::collective::max_nodes_of_few<std::uint64_t>(64) == 8192);
  for (const unsigned count : {513u, 768u, 769u, 1025u, 2047u, 2049u, 5000u, 8191u, 8192u}) {
    for (const unsigned blocks : {1u, 3u, 7u}) {
      check_nodes<std::uint64_t>(test::ordered_hash{}, node, count, blocks);
    }
  }
}

TEST_CASE("nodes that are too large to be posted") {
  const auto node = [](std::size_t k) {
    test::wide_hash h{};
    for (std::size_t i = 0; i < 13; ++i) h.of[i] = (k + 1) * (i + 3);
    return h;
  };
  for (const unsigned count : {1u, 2u, 33u, 65u, 200u}) {
    for (const unsigned blocks : {count, count + 1, count + 50, (count + 2) / 3}) {
      check_nodes<test::wide_hash>(test::hash_each{}, node, count, blocks);
    }
  }
}
