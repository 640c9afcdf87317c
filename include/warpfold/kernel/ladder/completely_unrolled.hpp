/// @file
/// Sixth rung of the ladder: the block size is a constant, and no loop is left.
///
/// Source: M. Harris, "Optimizing Parallel Reduction in CUDA", kernel 6; in the Chinese ladder
/// 0.2633 ms for 2^22 ints, 118.7 GB/s, 2.09 times the first rung (RTX 3050 laptop). That version
/// compares `blockDim.x` at run time. Here, as in Harris, the compiler knows the size and drops the
/// unneeded steps.
///
/// - Idea: the tree of `unroll_last_warp` with constant widths: no counter, no branch back,
///   addresses known at compile time. nvcc would unroll the lower rungs too, and they forbid it.
///   With blocks of 128 threads they have one loop iteration, so on an H100 the two rungs take the
///   same time within a few percent.
/// - Cost: as `unroll_last_warp`: a block of B threads reads 2B elements by two coalesced loads per
///   thread. It has log2(B) - 5 barriers, then the first warp synchronizes alone. Fewer
///   instructions between barriers. No bank conflicts. One pass for every factor of 2B in n.
/// - Needs: B a power of two from 32 to 1024, B states of shared memory.
#pragma once

#include <warpfold/collective/shared_array.hpp>
#include <warpfold/kernel/ladder/passes.hpp>

namespace warpfold::kernel {

/// Passes of blocks of `Block` threads; see the top of this file.
template <unsigned Block = 128>
struct completely_unrolled : tree_rung<completely_unrolled<Block>, Block, 2> {
  static constexpr const char* name() { return "completely_unrolled"; }
  static constexpr ladder_step in_ladder{14, "Harris", 0.263343, 118.667, 4.0 * (1 << 22)};

  template <class Fold, class Source>
  WARPFOLD_DEVICE typename Fold::state fold_block(const Fold& fold, const Source& source) const {
    WARPFOLD_SHARED collective::shared_array<typename Fold::state, Block> values;
    const unsigned thread = threadIdx.x;
    const std::size_t i = std::size_t{blockIdx.x} * (2 * Block) + thread;
    const auto first = source.at(i);
    const auto second = source.at(i + Block);
    auto state = fold.combine(first, second);
    const auto step = [&](unsigned width) {
      if (thread < width) {
        state = fold.combine(values.load(thread), values.load(thread + width));
        values.store(thread, state);
      }
    };
    values.store(thread, state);
    __syncthreads();
    // clang-format off
    if constexpr (Block >= 1024) { step(512); __syncthreads(); }
    if constexpr (Block >= 512) { step(256); __syncthreads(); }
    if constexpr (Block >= 256) { step(128); __syncthreads(); }
    if constexpr (Block >= 128) { step(64); __syncthreads(); }
    if (thread >= 32) return state;  // whole warps, and no barrier of the block follows
    if constexpr (Block >= 64) { step(32); __syncwarp(); }
    step(16); __syncwarp();
    step(8); __syncwarp();
    step(4); __syncwarp();
    step(2); __syncwarp();
    // clang-format on
    if (thread == 0) {
      const auto last =
          collective::shared_span<typename Fold::state>(values).template load_run<2>(0);
      state = fold.combine(last(0), last(1));
    }
    return state;
  }
};

static_assert(reduction_kernel<completely_unrolled<>>);

}  // namespace warpfold::kernel
