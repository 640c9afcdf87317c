/// @file
/// As many blocks as the GPU holds, or any other number; each thread strides over the whole range.
///
/// Source: the Croatian PyCUDA course, which reduces while it loads, so that any number of blocks
/// works; and the second reduction of "CUDA by Numba Examples", part 2: 23 ms for 10^9 floats
/// (Tesla T4).
///
/// - Idea: the number of blocks depends on the GPU, not on n: enough to fill it. Each thread folds
///   every element whose index is its own number plus a multiple of all threads, then the block
///   folds one tree.
/// - Cost: one read of every element by coalesced loads, one per thread in flight. log2(B) + 1
///   barriers per block, no bank conflicts; below 32 active threads one warp diverges. This happens
///   once per block, not once per B elements. Two launches, the second with one state per block.
/// - Needs: B a power of two from 32 to 1024, B states of shared memory.
#pragma once

#include <warpfold/collective/tree_reduce.hpp>
#include <warpfold/kernel/ladder/passes.hpp>

namespace warpfold::kernel {

/// Two launches of blocks of `Block` threads; see the top of this file.
template <unsigned Block = 256>
struct grid_stride {
  static_assert(is_tree_block(Block),
                "warpfold: grid_stride takes blocks of 32, 64, 128, 256, 512 or 1024 threads");

  static constexpr const char* name() { return "grid_stride"; }
  static constexpr ladder_step in_ladder{7, "Numba", 23, 0, 4e9};
  static constexpr unsigned block_threads = Block;

  /// The maximum number of blocks; 0 is as many as the GPU holds at once.
  unsigned grid = 0;

  template <class Fold, class Source>
  WARPFOLD_DEVICE typename Fold::state fold_block(const Fold& fold, const Source& source) const {
    WARPFOLD_SHARED collective::shared_array<typename Fold::state, Block> values;
    return collective::tree_reduce(fold, fold_strided(fold, source), values);
  }

  /// Launches twice; once if one block suffices.
  template <class Out>
  void enqueue(const auto& r, const collective::result_sink<Out>& sink, auto& launcher) const {
    const unsigned blocks = strided_blocks(r.view.size(), Block, grid, launcher.gpu());
    reduce_in_two_passes(name(), *this, *this, {blocks, Block}, r, sink, launcher);
  }
};

static_assert(reduction_kernel<grid_stride<>>);

}  // namespace warpfold::kernel
