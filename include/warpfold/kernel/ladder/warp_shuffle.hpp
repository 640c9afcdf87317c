/// @file
/// The grid-stride loop with shuffles instead of the shared-memory tree.
///
/// Source: J. Luitjens, "Faster Parallel Reductions on Kepler".
///
/// - Idea: the threads of a warp pass their states from register to register. Shared memory holds
///   one state per warp, which the first warp folds.
/// - Cost: one read of every element by coalesced loads, one per thread in flight: 4 bytes of a
///   float, where `single_pass` has 64. Five shuffles for every 4 bytes of state (sums of integers:
///   three redux.sync instead, see collective/warp_sum.hpp). One barrier per block, no bank
///   conflicts, divergence only in the block's last step. Two launches, the second with one state
///   per block.
/// - Needs: B a multiple of 32 up to 1024, 32 states of shared memory.
#pragma once

#include <warpfold/collective/block_reduce.hpp>
#include <warpfold/kernel/ladder/passes.hpp>

namespace warpfold::kernel {

/// Two launches of blocks of `Block` threads; see the top of this file.
template <unsigned Block = 256>
struct warp_shuffle {
  static_assert(Block >= 32 && Block <= 1024 && Block % 32 == 0,
                "warpfold: warp_shuffle takes blocks of a multiple of 32 threads, up to 1024");

  static constexpr const char* name() { return "warp_shuffle"; }
  static constexpr ladder_step in_ladder{15};
  static constexpr unsigned block_threads = Block;

  template <class State>
  static constexpr std::size_t shared_bytes() {
    return sizeof(collective::block_storage<State>);
  }

  /// The maximum number of blocks; 0 is as many as the GPU holds at once.
  unsigned grid = 0;

  template <class Fold, class Source>
  WARPFOLD_DEVICE typename Fold::state fold_block(const Fold& fold, const Source& source) const {
    WARPFOLD_SHARED collective::block_storage<typename Fold::state> storage;
    return collective::block_reduce(fold, fold_strided(fold, source), storage);
  }

  /// Launches twice; once if one block suffices.
  template <class Out>
  void enqueue(const auto& r, const collective::result_sink<Out>& sink, auto& launcher) const {
    const unsigned blocks = strided_blocks(r.view.size(), Block, grid, launcher.gpu());
    reduce_in_two_passes(name(), *this, *this, {blocks, Block}, r, sink, launcher);
  }
};

static_assert(reduction_kernel<warp_shuffle<>>);

}  // namespace warpfold::kernel
