/// @file
/// needs: cuda
/// The default kernel: one launch, one read of the data, whatever the size.
///
/// Source: grid-stride loops (M. Harris, "CUDA Pro Tip: Write Flexible Kernels with Grid-Stride
/// Loops"), warp shuffles (J. Luitjens, "Faster Parallel Reductions on Kepler"), and the last block
/// of the toolkit's threadFenceReduction sample.
///
/// Idea:  as many threads as the GPU holds at once stride through the range together, each with
///        `Unroll` 16-byte loads in flight; a warp folds by shuffles, a block through one barrier and a
///        few words of shared memory, the grid by whichever block finishes last.
/// Cost:  every byte is read once, in whole 32-byte sectors; one state a block is written and read
///        back from L2; two barriers a block, five more shuffles a warp for each halving.
/// Needs: nothing beyond compute capability 7.0.
#pragma once

#include <warpfold/collective/block_reduce.hpp>
#include <warpfold/collective/grid_finish.hpp>
#include <warpfold/collective/thread_fold.hpp>
#include <warpfold/runtime/launch.hpp>

namespace warpfold::kernel {

/// One launch of persistent blocks; see the file's head.
/// @tparam BlockSize  threads a block: a multiple of 32, from 32 to 1024
/// @tparam LoadBytes  bytes each thread has in flight; 64 is four 16-byte loads
template <int BlockSize = 256, int LoadBytes = 64>
struct single_pass {
  static_assert(BlockSize >= 32 && BlockSize <= 1024 && BlockSize % 32 == 0,
                "warpfold: a block is a whole number of warps, at most 1024 threads");
  static_assert(LoadBytes > 0, "warpfold: a thread needs at least one load");

  static constexpr const char* name = "single_pass";

  /// The code that runs on the GPU for one reduction.
  template <class Reduction, class Out>
  struct body {
    static constexpr int block_size = BlockSize;
    static constexpr int chunk_bytes = sizeof(typename Reduction::view_type::chunk_type);
    static constexpr int unroll = LoadBytes / chunk_bytes < 1   ? 1
                                  : LoadBytes / chunk_bytes > 8 ? 8
                                                                : LoadBytes / chunk_bytes;

    Reduction reduction;
    collective::grid_storage grid;
    runtime::result_sink<Out> sink;

    WARPFOLD_DEVICE void operator()() const {
      __shared__ collective::block_storage<typename Reduction::state, BlockSize> storage;
      const auto fold = reduction.fold();
      const std::size_t thread = std::size_t{blockIdx.x} * BlockSize + threadIdx.x;
      const std::size_t threads = std::size_t{gridDim.x} * BlockSize;

      auto state = collective::thread_fold<unroll>(reduction, thread, threads);
      state = collective::block_reduce<BlockSize>(fold, state, storage);
      if (collective::grid_finish<BlockSize>(fold, state, grid, storage)) {
        sink.deliver(reduction.result(state));
      }
    }
  };

  /// How many blocks to launch for `elements` elements: one chunk a thread while that leaves
  /// multiprocessors idle, then as many blocks as the GPU holds at once.
  template <class Reduction>
  static unsigned grid(std::size_t elements, unsigned resident_blocks) {
    constexpr std::size_t tile = std::size_t{BlockSize} * Reduction::view_type::chunk_size;
    const std::size_t tiles = (elements + tile - 1) / tile;
    if (tiles <= 1) return 1;
    return tiles < resident_blocks ? static_cast<unsigned>(tiles) : resident_blocks;
  }
};

}  // namespace warpfold::kernel
