// cluster_reduce and clusters_finish on a GPU: the state of each cluster, in its blocks' order, and
// of all of them, in exactly one thread.
#include <warpfold/collective/cluster_reduce.hpp>

#include <vector>

#include <doctest/doctest.h>

#include <warpfold/op/plus.hpp>
#include <warpfold/policy/device.hpp>

#include "contract/device_memory.hpp"

namespace wf = warpfold;

namespace test {

/// 12 bytes: three words.
struct three_numbers {
  float sum;
  unsigned blocks;  ///< number of blocks
  unsigned order;   ///< blocks' numbers in a base of 16; of up to eight of them
};
/// Not commutative: `order` puts the first one's digits first.
struct add_in_order {
  WARPFOLD_HD three_numbers operator()(const three_numbers& a, const three_numbers& b) const {
    const unsigned upper = b.blocks < 8 ? a.order << 4 * b.blocks : 0;
    return {a.sum + b.sum, a.blocks + b.blocks, upper | b.order};
  }
};

template <unsigned Size>
struct cluster_body {
  using fold_type = wf::fold<add_in_order, three_numbers>;
  using state = fold_type::state;
  static constexpr int max_block = 96;
  static constexpr int min_architecture = 90;
  static constexpr bool calls_user_functions = false;

  three_numbers* of_clusters;
  three_numbers* of_all;
  unsigned* times;
  wf::collective::grid_storage scratch;

  WARPFOLD_DEVICE void operator()() const {
    WARPFOLD_SHARED wf::collective::block_storage<state> storage;
    WARPFOLD_SHARED wf::collective::cluster_storage<state, Size> of_blocks;
    wf::collective::enter_cluster();
    const fold_type fold{};
    // Only thread 0 has the block's state.
    state s = fold.start();
    if (threadIdx.x == 0) s = fold.state_of({blockIdx.x * 1.0f, 1, blockIdx.x % Size});
    const bool leader = wf::collective::cluster_reduce<Size>(fold, s, of_blocks);
    if (leader) of_clusters[blockIdx.x / Size] = s.value;
    if (wf::collective::clusters_finish<Size>(fold, s, leader, scratch, storage)) {
      *of_all = s.value;
      atomicAdd(times, 1u);
    }
  }
};

template <unsigned Size>
void check_clusters(unsigned clusters) {
  INFO(clusters, " clusters of ", Size);
  const std::vector<three_numbers> nothing(clusters);
  const std::vector<unsigned> zero(1);
  const std::vector<unsigned char> zeros(wf::collective::partial_bytes);
  wf::device_buffer<three_numbers> of_clusters(nothing), of_all(nothing);
  wf::device_buffer<unsigned> times(zero), ticket(zero);
  wf::device_buffer<unsigned char> partials(zeros);
  for (int launch = 1; launch <= 2; ++launch) {
    wf::runtime::launch({"clusters", {clusters * Size, 96, 0, Size}},
                        cluster_body<Size>{of_clusters.data(),
                                           of_all.data(),
                                           times.data(),
                                           {nullptr, partials.data(), ticket.data()}},
                        nullptr);
    const auto each = device_memory::values(of_clusters.data(), clusters);
    unsigned order = 0;
    for (unsigned b = 0; b < Size; ++b) order = order << 4 | b;
    for (unsigned c = 0; c < clusters; ++c) {
      CHECK(each[c].sum == static_cast<float>(Size * c * Size + Size * (Size - 1) / 2));
      CHECK(each[c].blocks == Size);
      CHECK(each[c].order == order);
    }
    const unsigned n = clusters * Size;
    const three_numbers all = device_memory::values(of_all.data(), 1)[0];
    CHECK(all.sum == static_cast<float>(n * (n - 1) / 2));
    CHECK(all.blocks == n);
    CHECK(device_memory::values(times.data(), 1)[0] == static_cast<unsigned>(launch));
    CHECK(device_memory::values(ticket.data(), 1)[0] == 0);
  }
}

}  // namespace test

TEST_CASE("one thread of each cluster has its blocks' states, and one of all has the clusters'") {
  if (wf::runtime::current_device_info().compute_capability < 90) {
    MESSAGE("not run: this GPU has no clusters");
    return;
  }
  for (const unsigned clusters : {1u, 2u, 33u, 100u}) {
    test::check_clusters<2>(clusters);
    test::check_clusters<4>(clusters);
    test::check_clusters<8>(clusters);
  }
}
