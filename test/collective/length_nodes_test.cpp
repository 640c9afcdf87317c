// Groups folded by nodes of the bits of their lengths, in the emulation. Results have the bits of
// the op's tree for every length. Also groups that the terms refuse.
// needs: boost_context
#include <warpfold/collective/length_nodes.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/output.hpp>
#include <warpfold/view/segments.hpp>
#include <warpfold/work/segmented_reduction.hpp>

#include "contract/emulated_launch.hpp"
#include "contract/order_certificate.hpp"

namespace wf = warpfold;
using namespace warpfold;  // threadIdx and the other names of the emulation

namespace {

template <class T, class Op>
using work_of = wf::segmented_reduction<wf::contiguous_view<T>, wf::segments_by_size, Op,
                                        wf::no_init, wf::contiguous_output<T>>;
using work_type = work_of<float, wf::moments_op>;
using nodes_type = wf::collective::length_nodes<work_type>;

static_assert(wf::collective::folds_length_nodes<work_type>);
static_assert(!wf::collective::folds_length_nodes<work_of<double, wf::moments_op>>);
static_assert(!wf::collective::folds_length_nodes<work_of<float, wf::plus>>);
static_assert(!wf::collective::folds_length_nodes<work_of<float, wf::arg_op<wf::maximum>>>);

struct folded {
  std::vector<wf::moments> moments;
  std::vector<int> are_right;
};

/// Group `g` has `lengths[g]` elements of `v`, from element `g` on.
folded by_warp(const std::vector<float>& v, const std::vector<unsigned>& lengths,
               unsigned lanes_log2) {
  folded result{std::vector<wf::moments>(lengths.size()), std::vector<int>(lengths.size(), 2)};
  test::emulated_launch on;
  const auto moments = on.array(result.moments);
  const auto right = on.array(result.are_right);
  const unsigned* const length_of = on.read_only(lengths);
  const auto groups = static_cast<unsigned>(lengths.size());
  const work_type work{wf::contiguous_view<float>(on.read_only(v), v.size()),
                       wf::segments_by_size(v.size(), 1),
                       {},
                       {},
                       {wf::contiguous_output<float>(nullptr, 0)}};
  on.run({1, 32}, [=] {
    WARPFOLD_SHARED wf::collective::shared_array<nodes_type::node, nodes_type::nodes_of_warp>
        storage;
    const nodes_type nodes(work, storage);
    const wf::global_loads loads(wf::caching::keep);
    for (unsigned done = 0; done < groups; done += 32u >> lanes_log2) {
      const unsigned g = done + (threadIdx.x >> lanes_log2);
      const unsigned length = g < groups ? length_of[g] : 0;
      const unsigned longest = wf::collective::warp_max(length);
      nodes.add([&](unsigned i) { return work.view.at((g < groups ? g : 0) + i, loads); }, length,
                longest, lanes_log2, g);
    }
    const unsigned own = threadIdx.x < groups ? length_of[threadIdx.x] : 0;
    wf::moments state{};
    const bool is_right = nodes.combine(state, own);
    if (threadIdx.x < groups) {
      moments.store(threadIdx.x, state);
      right.store(threadIdx.x, is_right ? 1 : 0);
    }
  });
  return result;
}

wf::moments expected(const std::vector<float>& v, std::size_t first, std::size_t last) {
  const wf::moments_op op;
  return test::recursive_fold<wf::moments>(
      op, [&](std::size_t i) { return op.lift(v[i]); }, first, last);
}

std::vector<float> some_floats() {
  std::mt19937 random(3);
  std::lognormal_distribution<float> lognormal(0, 3);
  std::vector<float> v(2200);
  for (float& x : v) x = random() % 2 == 0 ? lognormal(random) : -lognormal(random);
  return v;
}

}  // namespace

TEST_CASE("groups of any length, by any number of lanes, have the bits of the op") {
  const std::vector<float> v = some_floats();
  std::mt19937 random(5);
  for (unsigned lanes_log2 = 0; lanes_log2 <= 5; ++lanes_log2) {
    const unsigned most = std::min(wf::collective::longest_of_lane << lanes_log2,
                                   unsigned{nodes_type::longest_group});
    for (const unsigned longest : {1u, 3u, 4u, 5u, 31u, 33u, most / 2 + 1, most - 1, most}) {
      const unsigned at_most = std::min(longest, most);
      std::vector<unsigned> lengths(32);
      for (unsigned& n : lengths) n = static_cast<unsigned>(random() % (at_most + 1));
      lengths[7] = at_most;
      lengths[8] = 0;
      const folded got = by_warp(v, lengths, lanes_log2);
      for (unsigned g = 0; g < 32; ++g) {
        INFO((1u << lanes_log2), " lanes, group ", g, " of ", lengths[g], " elements");
        REQUIRE(got.are_right[g] == 1);
        if (lengths[g] == 0) continue;
        CHECK(got.moments[g] == expected(v, g, g + lengths[g]));
      }
    }
  }
}

TEST_CASE("every length up to 600, by a warp") {
  const std::vector<float> v = some_floats();
  for (unsigned first = 0; first <= 600; first += 32) {
    std::vector<unsigned> lengths(32);
    for (unsigned g = 0; g < 32; ++g) lengths[g] = first + g;
    const folded got = by_warp(v, lengths, 5);
    for (unsigned g = 0; g < 32; ++g) {
      INFO(lengths[g], " elements");
      if (lengths[g] != 0) CHECK(got.moments[g] == expected(v, g, g + lengths[g]));
    }
  }
}

TEST_CASE("the terms refuse only the groups with elements that are not finite") {
  std::vector<float> v(200, 1.5f);
  v[40] = std::numeric_limits<float>::infinity();
  std::vector<unsigned> lengths(32, 20);
  for (const unsigned lanes_log2 : {0u, 3u, 5u}) {
    const folded got = by_warp(v, lengths, lanes_log2);
    for (unsigned g = 0; g < 32; ++g) {
      INFO("group ", g);
      CHECK(got.are_right[g] == (g + 20 > 40 ? 0 : 1));
    }
  }
}
