/// @file
/// First rung of the ladder: a tree whose active threads are increasingly far apart.
///
/// Source: M. Harris, "Optimizing Parallel Reduction in CUDA", kernel 1. The figures of the rungs
/// are those of a Chinese version of this ladder (RTX 3050 laptop).
///
/// - Idea: neighbors add up. Every second thread adds the value to its right, then every fourth the
///   value two to its right, and so on. Thread 0 has the result.
/// - Cost: a block of B threads reads B elements by one coalesced load per thread, with log2(B) + 1
///   barriers. No bank conflicts, but divergence: in every step all warps still run, with every
///   2nd, 4th, ..., 32nd thread active, and `%` by a variable is expensive. The next rung improves
///   this. One pass for every factor of B in n.
/// - Needs: B a power of two from 32 to 1024, B states of shared memory.
#pragma once

#include <warpfold/collective/shared_array.hpp>
#include <warpfold/kernel/ladder/passes.hpp>

namespace warpfold::kernel {

/// Passes of blocks of `Block` threads; see the top of this file.
template <unsigned Block = 128>
struct interleaved_addressing : tree_rung<interleaved_addressing<Block>, Block, 1> {
  static constexpr const char* name() { return "interleaved_addressing"; }
  static constexpr ladder_step in_ladder{9, "Harris", 0.5519, 56.6171, 4.0 * (1 << 22)};

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
      if (thread % (2 * stride) == 0) {
        state = fold.combine(values.load(thread), values.load(thread + stride));
        values.store(thread, state);
      }
      __syncthreads();
    }
    return state;
  }
};

static_assert(reduction_kernel<interleaved_addressing<>>);

}  // namespace warpfold::kernel
