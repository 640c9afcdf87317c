// How kernel::cluster is launched: whole clusters of blocks, and GPUs that have none. Nothing is
// launched, and no memory is read; cluster_test.cu runs it.
#include <warpfold/kernel/cluster.hpp>

#include "kernel/launches.hpp"

namespace k = wf::kernel;

TEST_CASE("whole clusters, two blocks a multiprocessor or as many as are asked for") {
  constexpr std::size_t cluster = 4 * 512 * 8;  // floats that one loads in one go
  const auto blocks = [](std::size_t n, unsigned grid = 0) {
    const test::recorded_launch l =
        test::launch_of(k::cluster<8>{.grid = grid}, test::elements<float>(n));
    CHECK(l.shape.cluster == 8);
    CHECK(l.shape.block.x == 512u);
    return l.shape.grid.x;
  };
  const test::recorded_launch own =
      test::launch_of(k::cluster<>{}, test::elements<float>(1000 * cluster));
  CHECK(own.shape.grid.x == 264u);
  CHECK(own.shape.shared_bytes == 0);
  CHECK(blocks(0) == 8u);
  CHECK(blocks(1) == 8u);
  CHECK(blocks(cluster) == 8u);
  CHECK(blocks(cluster + 1) == 16u);
  CHECK(blocks(2 * cluster) == 16u);
  CHECK(blocks(33 * cluster) == 264u);
  CHECK(blocks(1000 * cluster) == 264u);
  CHECK(blocks(1000 * cluster, 20) == 16u);
  CHECK(blocks(1000 * cluster, 1) == 8u);
  CHECK(blocks(1'000'000 * cluster, 1u << 30) ==
        8 * wf::collective::max_clusters<test::state_of<wf::contiguous_view<float>>>());
  CHECK(test::refusal_of(k::cluster<8>{.block = 0}, test::elements<float>(1000))
            .find("blocks of 0") != std::string::npos);
}

TEST_CASE("GPUs without clusters are refused") {
  const auto range = test::elements<float>(1000);
  auto gpu = test::some_gpu();
  gpu.compute_capability = 80;
  CHECK_REFUSED("kernel cluster needs clusters of blocks", k::cluster<8>{}, range, gpu);
  gpu.compute_capability = 86;
  CHECK_REFUSED("this GPU has 8.6", k::cluster<2>{}, range, gpu);
  CHECK(test::refusal_of(k::cluster<8>{}, range) == "launched cluster");
}
