/// @file
/// Many blocks with one element per thread, then one block for their states.
///
/// Source: the Croatian PyCUDA course, "Parallel reduction with more than one block": 64 elements
/// in 4 blocks of 16, then one block of 4; as an exercise 512 elements in 16 blocks
/// (`two_pass<32>`).
///
/// - Idea: blocks cannot wait for each other, but a launch waits for the one before it. So the
///   first launch stores a state for each block, and the second, with one block, strides over these
///   states.
/// - Cost: one read of every element by one coalesced load per thread. log2(B) + 1 barriers per
///   block, no bank conflicts; below 32 active threads one warp diverges. Two launches, the second
///   with n / B states. One block reads them, which takes long if n is large; `grid_stride`
///   improves this.
/// - Needs: B a power of two from 32 to 1024, B states of shared memory.
#pragma once

#include <warpfold/collective/tree_reduce.hpp>
#include <warpfold/kernel/ladder/passes.hpp>

namespace warpfold::kernel {

/// Two launches of blocks of `Block` threads; see the top of this file.
template <unsigned Block = 256>
struct two_pass {
  static_assert(is_tree_block(Block),
                "warpfold: two_pass takes blocks of 32, 64, 128, 256, 512 or 1024 threads");

  static constexpr const char* name() { return "two_pass"; }
  static constexpr ladder_step in_ladder{6, "PyCUDA"};
  static constexpr unsigned block_threads = Block;

  /// In the first launch a thread has one element, in the second perhaps many.
  template <class Fold, class Source>
  WARPFOLD_DEVICE typename Fold::state fold_block(const Fold& fold, const Source& source) const {
    WARPFOLD_SHARED collective::shared_array<typename Fold::state, Block> values;
    return collective::tree_reduce(fold, fold_strided(fold, source), values);
  }

  /// Launches twice; once if one block suffices.
  template <class Out>
  void enqueue(const auto& r, const collective::result_sink<Out>& sink, auto& launcher) const {
    const unsigned blocks = blocks_for(r.view.size(), Block);
    reduce_in_two_passes(name(), *this, *this, {blocks, Block}, r, sink, launcher);
  }
};

static_assert(reduction_kernel<two_pass<>>);

}  // namespace warpfold::kernel
