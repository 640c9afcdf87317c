/// @file
/// The naive block: every thread sums a share, then one thread adds up the block's sums.
///
/// Source: the first reduction of "CUDA by Numba Examples", part 2, in its Chinese version; there
/// 30 ms for 10^9 floats (Tesla T4), and 23 ms with a tree (`grid_stride`).
///
/// - Idea: each thread folds a share of the range, with the stride of the whole grid, and stores it
///   in shared memory. Then thread 0 folds the block's array, while the others wait.
/// - Cost: one read of every element by coalesced loads, one per thread in flight. One barrier per
///   block, but then B - 1 loads and combinations in sequence, where a tree needs log2(B) steps,
///   with 31 of 32 lanes idle. No bank conflicts: one lane reads. Two launches.
/// - Needs: B a multiple of 32 up to 1024, B states of shared memory.
#pragma once

#include <warpfold/collective/shared_array.hpp>
#include <warpfold/kernel/ladder/passes.hpp>

namespace warpfold::kernel {

/// Two launches of blocks of `Block` threads; see the top of this file.
template <unsigned Block = 256>
struct serial_tail {
  static_assert(Block >= 32 && Block <= 1024 && Block % 32 == 0,
                "warpfold: serial_tail takes blocks of a multiple of 32 threads, up to 1024");

  static constexpr const char* name() { return "serial_tail"; }
  static constexpr ladder_step in_ladder{2, "Numba", 30, 0, 4e9};
  static constexpr unsigned block_threads = Block;

  /// The maximum number of blocks; 0 is as many as the GPU holds at once.
  unsigned grid = 0;

  template <class Fold, class Source>
  WARPFOLD_DEVICE typename Fold::state fold_block(const Fold& fold, const Source& source) const {
    WARPFOLD_SHARED collective::shared_array<typename Fold::state, Block> values;
    auto state = fold_strided(fold, source);
    values.store(threadIdx.x, state);
    __syncthreads();
    if (threadIdx.x == 0) {
      // Not unrolled: it would load four at a time and be less serial than intended.
      WARPFOLD_NO_UNROLL
      for (unsigned other = 1; other < Block; ++other) {
        state = fold.combine(state, values.load(other));
      }
    }
    return state;
  }

  /// Launches twice; once if one block suffices.
  template <class Out>
  void enqueue(const auto& r, const collective::result_sink<Out>& sink, auto& launcher) const {
    const unsigned blocks = strided_blocks(r.view.size(), Block, grid, launcher.gpu());
    reduce_in_two_passes(name(), *this, *this, {blocks, Block}, r, sink, launcher);
  }
};

static_assert(reduction_kernel<serial_tail<>>);

}  // namespace warpfold::kernel
