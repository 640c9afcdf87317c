// kernel/ladder/source.hpp: the grids of the ladder: as many blocks as have work, at most what is
// resident. The sums of the ladder's kernels test its loads.
#include <warpfold/kernel/ladder/source.hpp>

#include "kernel/launches.hpp"

namespace k = wf::kernel;

TEST_CASE("a block for every so many values, at least one, and no more than a grid can have") {
  CHECK(k::blocks_for(0, 32) == 1u);
  CHECK(k::blocks_for(1, 32) == 1u);
  CHECK(k::blocks_for(32, 32) == 1u);
  CHECK(k::blocks_for(33, 32) == 2u);
  CHECK(k::blocks_for(std::size_t{0x7fffffff} * 32, 32) == 0x7fffffffu);
  CHECK_THROWS_WITH_AS(
      (void)k::blocks_for(std::size_t{0x7fffffff} * 32 + 1, 32),
      "warpfold: 68719476705 values, 32 per block, need 2147483648 blocks, but a grid has at most "
      "2147483647; use larger blocks",
      wf::unsupported_kernel);
}

TEST_CASE("strided blocks: as many as have work, at most what is resident or asked for") {
  auto gpu = test::some_gpu();
  const std::size_t much = std::size_t{1} << 40;
  CHECK(k::strided_blocks(much, 256, 0, gpu) == 8 * 132u);
  CHECK(k::strided_blocks(much, 256, 7, gpu) == 7u);
  CHECK(k::strided_blocks(0, 256, 0, gpu) == 1u);
  CHECK(k::strided_blocks(256, 256, 0, gpu) == 1u);
  CHECK(k::strided_blocks(257, 256, 0, gpu) == 2u);
  CHECK(k::strided_blocks(512, 256, 0, gpu) == 2u);
  gpu.threads_per_multiprocessor = 128;  // fewer than a block has
  CHECK(k::strided_blocks(much, 256, 0, gpu) == 132u);
  gpu.multiprocessors = 0;
  CHECK(k::strided_blocks(much, 256, 0, gpu) == 1u);
}
