/// @file
/// Fifth rung of the ladder: no block barriers once a single warp is left.
///
/// Source: M. Harris, "Optimizing Parallel Reduction in CUDA", kernel 5; in the Chinese ladder
/// 0.3073 ms for 2^22 ints, 101.7 GB/s (RTX 3050 laptop). Both omit all synchronization within the
/// warp and make the array volatile. Since Volta the threads of a warp need not run in lockstep,
/// and that is a race; here they call __syncwarp.
///
/// - Idea: when 64 values are left, the first warp alone adds them up. It needs no barrier of the
///   block, whose other warps are done, and no loop.
/// - Cost: a block of B threads reads 2B elements by two coalesced loads per thread, with log2(B) -
///   5 barriers. The first warp then synchronizes six more times, which costs a few cycles each. No
///   bank conflicts; within the last warp lanes become idle. One pass for every factor of 2B in n.
/// - Needs: B a power of two from 32 to 1024, B states of shared memory.
#pragma once

#include <warpfold/collective/shared_array.hpp>
#include <warpfold/kernel/ladder/passes.hpp>

namespace warpfold::kernel {

/// Passes of blocks of `Block` threads; see the top of this file.
template <unsigned Block = 128>
struct unroll_last_warp : tree_rung<unroll_last_warp<Block>, Block, 2> {
  static constexpr const char* name() { return "unroll_last_warp"; }
  static constexpr ladder_step in_ladder{13, "Harris", 0.307297, 101.693, 4.0 * (1 << 22)};

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
    for (unsigned width = Block / 2; width > 32; width /= 2) {
      if (thread < width) {
        state = fold.combine(values.load(thread), values.load(thread + width));
        values.store(thread, state);
      }
      __syncthreads();
    }
    if (thread >= 32) return state;  // whole warps, and no barrier of the block follows

    // A lane writes only what no other reads in the same step, so one __syncwarp is enough.
    WARPFOLD_UNROLL
    for (unsigned width = Block > 32 ? 32 : 16; width > 0; width /= 2) {
      if (thread < width) {
        state = fold.combine(values.load(thread), values.load(thread + width));
        values.store(thread, state);
      }
      __syncwarp();
    }
    return state;
  }
};

static_assert(reduction_kernel<unroll_last_warp<>>);

}  // namespace warpfold::kernel
