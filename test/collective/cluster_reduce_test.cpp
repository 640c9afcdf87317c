// cluster_reduce.hpp without a GPU: the words of a state, the limit of clusters, and the fold of
// the clusters' states, which the emulation can run. cluster_reduce_test.cu tests the rest.
// needs: boost_context
#include <warpfold/collective/cluster_reduce.hpp>

#include <doctest/doctest.h>

#include <numeric>
#include <utility>
#include <vector>

#include <warpfold/op/plus.hpp>

#include "contract/add_only.hpp"
#include "contract/emulated_launch.hpp"

namespace wf = warpfold;

namespace {

using namespace warpfold;
using namespace warpfold::collective;

template <std::size_t N>
struct bytes {
  unsigned char x[N];
};

/// The fold of the clusters' states by `clusters_finish`, and how many threads returned true.
template <unsigned Size, class Fold>
std::pair<float, int> finished(const Fold& fold, std::vector<float> of_clusters, unsigned threads) {
  const auto clusters = static_cast<unsigned>(of_clusters.size());
  std::vector<float> result(1);
  std::vector<int> times(1);
  test::emulated_launch on;
  const auto* const states = on.read_only(of_clusters);
  const auto out = on.array(result);
  on.array(times);
  const auto grid = on.launcher().grid();
  on.run({clusters * Size, threads}, [=, count = times.data()] {
    WARPFOLD_SHARED block_storage<typename Fold::state> storage;
    const bool leader = blockIdx.x % Size == 0 && threadIdx.x == 0;
    auto state = leader ? fold.state_of(states[blockIdx.x / Size]) : fold.start();
    if (clusters_finish<Size>(fold, state, leader, grid, storage)) {
      atomicAdd(count, 1);
      out.store(0, fold.value(state));
    }
  });
  on.launcher().finish();  // throws if the ticket is not zero again
  return {result[0], times[0]};
}

}  // namespace

TEST_CASE("a state is exchanged in words of four bytes") {
  static_assert(state_words<bytes<1>>::count == 1);
  static_assert(state_words<bytes<4>>::count == 1);
  static_assert(state_words<bytes<5>>::count == 2);
  static_assert(state_words<bytes<12>>::count == 3);
  static_assert(sizeof(state_words<bytes<5>>) == 8);
  static_assert(sizeof(cluster_storage<double, 8>) == 64);
}

TEST_CASE("as many clusters as partial states fit") {
  static_assert(max_clusters<float>() == 16384);
  static_assert(max_clusters<bytes<128>>() == 512);
  static_assert(max_clusters<bytes<100>>() == 655);
}

TEST_CASE("one thread has the fold of all clusters") {
  for (const unsigned clusters : {1u, 2u, 31u, 33u, 100u}) {
    INFO(clusters, " clusters");
    std::vector<float> states(clusters);
    std::iota(states.begin(), states.end(), 1.0f);
    const float sum = std::accumulate(states.begin(), states.end(), 0.0f);
    for (const unsigned threads : {32u, 96u}) {
      const auto with = finished<2>(wf::fold<plus, float>{}, states, threads);
      CHECK(with.first == sum);
      CHECK(with.second == 1);
      const auto without = finished<4>(wf::fold<test::add_only, float>{}, states, threads);
      CHECK(without.first == sum);
      CHECK(without.second == 1);
    }
  }
}

TEST_CASE("the clusters' states are combined by number, not by arrival") {
  constexpr float large = 16777216;  // large + 1 == large
  std::vector<float> states(32);
  states[0] = large;
  states[1] = states[17] = 1;
  // Lanes 1 and 17 of the warp that reads them meet first.
  for (int run = 0; run < 3; ++run) {
    CHECK(finished<2>(wf::fold<plus, float>{}, states, 32).first == large + 2);
  }
  states[17] = 0;
  states[16] = 1;
  CHECK(finished<2>(wf::fold<plus, float>{}, states, 32).first == large);
}

TEST_CASE("the emulation refuses a launch of clusters") {
  test::emulated_launch on;
  CHECK_THROWS_WITH_AS(on.run({8, 32, 0, 2}, [] {}),
                       "warpfold: kernel tested launches clusters, which the emulation does not "
                       "have",
                       unsupported_kernel);
}
