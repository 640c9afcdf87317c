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

/// One launch of as many blocks as help; see the file's head.
/// @tparam LoadBytes  bytes each thread has in flight; 64 is four 16-byte loads
template <int LoadBytes = 64>
struct single_pass {
  static_assert(LoadBytes > 0, "warpfold: a thread needs at least one load");

  static constexpr const char* name = "single_pass";

  /// Threads a block, a multiple of 32 up to 1024; 0 lets the kernel choose by size.
  unsigned block = 0;
  /// The most blocks; 0 lets the kernel choose by size.
  unsigned grid = 0;

  /// The code that runs on the GPU for one reduction.
  template <class Reduction, class Out>
  struct body {
    static constexpr int max_block = 1024;
    static constexpr int chunk_bytes = sizeof(typename Reduction::view_type::chunk_type);
    static constexpr int unroll = LoadBytes / chunk_bytes < 1   ? 1
                                  : LoadBytes / chunk_bytes > 8 ? 8
                                                                : LoadBytes / chunk_bytes;

    Reduction reduction;
    collective::grid_storage grid;
    runtime::result_sink<Out> sink;

    WARPFOLD_DEVICE void operator()() const {
      __shared__ collective::block_storage<typename Reduction::state> storage;
      const auto fold = reduction.fold();
      const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
      const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;

      auto state = collective::thread_fold<unroll>(reduction, thread, threads);
      state = collective::block_reduce(fold, state, storage);
      if (collective::grid_finish(fold, state, grid, storage)) {
        sink.deliver(reduction.result(state));
      }
    }
  };

  /// The launch for `elements` elements on the current GPU, with at most `most` blocks.
  template <class Body>
  runtime::launch_shape shape(std::size_t elements, std::size_t most) const {
    using view_type = typename decltype(Body::reduction)::view_type;
    const std::size_t chunks = elements / view_type::chunk_size + 1;
    runtime::launch_shape s;
    s.block = block != 0 ? block : 256;
    const std::size_t wanted = (chunks + s.block - 1) / s.block;
    std::size_t limit = grid != 0 ? grid : runtime::resident_blocks<Body>(s.block);
    if (limit > most) limit = most;
    s.grid = static_cast<unsigned>(wanted < limit ? wanted : limit);
    return s;
  }
};

}  // namespace warpfold::kernel
