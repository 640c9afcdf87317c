/// @file
/// Second rung of the ladder: the tree of the first rung, with contiguous active threads.
///
/// Source: M. Harris, "Optimizing Parallel Reduction in CUDA", kernel 2.
///
/// - Idea: the pairs are those of `interleaved_addressing`, but thread t takes the t-th pair. So
///   the active threads are the first ones, and whole warps become idle together.
/// - Cost: a block of B threads reads B elements by one coalesced load per thread, with log2(B) + 1
///   barriers. Below 32 active threads one warp diverges. It has bank conflicts instead: the
///   threads of a warp read words 2, 4, 8, ... apart, and accesses to the same of the 32 banks are
///   serialized. The next rung improves this. One pass for every factor of B in n.
/// - Needs: B a power of two from 32 to 1024, B states of shared memory.
#pragma once

#include <warpfold/collective/shared_array.hpp>
#include <warpfold/kernel/ladder/passes.hpp>

namespace warpfold::kernel {

/// Passes of blocks of `Block` threads; see the top of this file.
template <unsigned Block = 128>
struct interleaved_contiguous : tree_rung<interleaved_contiguous<Block>, Block, 1> {
  static constexpr const char* name() { return "interleaved_contiguous"; }
  static constexpr ladder_step in_ladder{10, "Harris", 0.493769, 63.2887, 4.0 * (1 << 22)};

  template <class Fold, class Source>
  WARPFOLD_DEVICE typename Fold::state fold_block(const Fold& fold, const Source& source) const {
    WARPFOLD_SHARED collective::shared_array<typename Fold::state, Block> values;
    const unsigned thread = threadIdx.x;
    auto state = source.at(std::size_t{blockIdx.x} * Block + thread);
    values.store(thread, state);
    __syncthreads();
    // Not unrolled: a later rung does that.
    WARPFOLD_NO_UNROLL
    for (unsigned stride = 1; stride < Block; stride *= 2) {
      const unsigned left = 2 * stride * thread;
      if (left < Block) {
        state = fold.combine(values.load(left), values.load(left + stride));
        values.store(left, state);
      }
      __syncthreads();
    }
    return state;
  }
};

static_assert(reduction_kernel<interleaved_contiguous<>>);

}  // namespace warpfold::kernel
