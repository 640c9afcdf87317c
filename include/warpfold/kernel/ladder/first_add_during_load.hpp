/// @file
/// Fourth rung of the ladder: every thread adds once before the tree.
///
/// Source: M. Harris, "Optimizing Parallel Reduction in CUDA", kernel 4.
///
/// - Idea: half of the threads of `sequential_addressing` only load. Here a thread loads two
///   elements, one block width apart, and stores their sum. So half as many blocks are needed, and
///   no thread is idle from the start.
/// - Cost: a block of B threads reads 2B elements by two coalesced loads per thread, both in flight
///   together, with log2(B) + 1 barriers. No bank conflicts; below 32 active threads one warp
///   diverges. The barriers and the loop remain. One pass for every factor of 2B in n.
/// - Needs: B a power of two from 32 to 1024, B states of shared memory.
#pragma once

#include <warpfold/collective/shared_array.hpp>
#include <warpfold/kernel/ladder/passes.hpp>

namespace warpfold::kernel {

/// Passes of blocks of `Block` threads; see the top of this file.
template <unsigned Block = 128>
struct first_add_during_load : tree_rung<first_add_during_load<Block>, Block, 2> {
  static constexpr const char* name() { return "first_add_during_load"; }
  static constexpr ladder_step in_ladder{12, "Harris", 0.341927, 91.3938, 4.0 * (1 << 22)};

  template <class Fold, class Source>
  WARPFOLD_DEVICE typename Fold::state fold_block(const Fold& fold, const Source& source) const {
    WARPFOLD_SHARED collective::shared_array<typename Fold::state, Block> values;
    const unsigned thread = threadIdx.x;
    const std::size_t i = std::size_t{blockIdx.x} * (2 * Block) + thread;
    const auto first = source.at(i);
    const auto second = source.at(i + Block);
    auto state = fold.combine(first, second);
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

static_assert(reduction_kernel<first_add_during_load<>>);

}  // namespace warpfold::kernel
