/// @file
/// Third rung of the ladder: a tree with contiguous active threads and contiguous operands.
///
/// Source: M. Harris, "Optimizing Parallel Reduction in CUDA", kernel 3.
///
/// - Idea: thread t adds the value half the active width to its right. The active threads are the
///   first ones, so whole warps become idle together, and neighbors read neighboring words.
/// - Cost: a block of B threads reads B elements by one coalesced load per thread, with log2(B) + 1
///   barriers. No bank conflicts; below 32 active threads one warp diverges. Half of the threads
///   only load: the next rung improves this. One pass for every factor of B in n.
/// - Needs: B a power of two from 32 to 1024, B states of shared memory.
#pragma once

#include <warpfold/collective/shared_array.hpp>
#include <warpfold/kernel/ladder/passes.hpp>

namespace warpfold::kernel {

/// Passes of blocks of `Block` threads; see the top of this file.
template <unsigned Block = 128>
struct sequential_addressing : tree_rung<sequential_addressing<Block>, Block, 1> {
  static constexpr const char* name() { return "sequential_addressing"; }
  static constexpr ladder_step in_ladder{11, "Harris", 0.473715, 65.9679, 4.0 * (1 << 22)};

  template <class Fold, class Source>
  WARPFOLD_DEVICE typename Fold::state fold_block(const Fold& fold, const Source& source) const {
    WARPFOLD_SHARED collective::shared_array<typename Fold::state, Block> values;
    const unsigned thread = threadIdx.x;
    auto state = source.at(std::size_t{blockIdx.x} * Block + thread);
    values.store(thread, state);
    __syncthreads();
    // Not unrolled: a later rung does that.
    WARPFOLD_NO_UNROLL
    for (unsigned width = Block / 2; width > 0; width /= 2) {
      if (thread < width) {
        state = fold.combine(values.load(thread), values.load(thread + width));
        values.store(thread, state);
      }
      __syncthreads();
    }
    return state;
  }
};

static_assert(reduction_kernel<sequential_addressing<>>);

}  // namespace warpfold::kernel
