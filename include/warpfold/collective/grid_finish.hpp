/// @file
/// The end of a reduction in the same launch: one block folds the states of all blocks. A second
/// launch would cost more than the whole reduction of a few megabytes.
#pragma once

#include <cstddef>

#include <warpfold/collective/block_reduce.hpp>
#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/collective/posted_state.hpp>

namespace warpfold::collective {

namespace detail {

// For larger states a thread would hold too many words at once.
template <class State>
inline constexpr bool is_posted = posted_state<State>::posts <= 8;

}  // namespace detail

/// Combines the states of thread 0 of every block by block number: the same bits on every run.
/// Returns true, with `state` valid, in thread 0 of exactly one block.
///
/// States of up to 96 bytes are posted, and the block with the highest number waits for the posts,
/// without a fence or an atomic. Blocks start in the order of their numbers, as CUB's decoupled
/// look-back also requires, so it cannot wait forever. Larger states are stored in `partials`, and
/// the block that draws the last ticket folds them (the threadFenceReduction sample of CUDA).
template <class Fold>
WARPFOLD_DEVICE bool grid_finish(const Fold& fold, typename Fold::state& state,
                                 const grid_storage& grid,
                                 block_storage<typename Fold::state>& storage) {
  using state_type = typename Fold::state;
  const unsigned blocks = gridDim.x;
  if (blocks == 1) return threadIdx.x == 0;

  if constexpr (detail::is_posted<state_type>) {
    using posted = posted_state<state_type>;
    if (blockIdx.x != blocks - 1) {
      if (threadIdx.x == 0) posted::store(grid.posts + blockIdx.x * posted::posts, state);
      return false;
    }
    state_type others = fold.start();
    for (unsigned b = threadIdx.x; b < blocks - 1; b += blockDim.x) {
      others = fold.combine(others, posted::await(grid.posts + b * posted::posts, others));
    }
    for (unsigned b = threadIdx.x; b < blocks - 1; b += blockDim.x) {
      posted::clear(grid.posts + b * posted::posts);
    }
    const unsigned reading = blocks - 1 < blockDim.x ? blocks - 1 : blockDim.x;  // threads
    const unsigned warps = (reading + warp_size - 1) / warp_size;
    // The barrier is needed for two reasons. The block used the storage before, and the posts must
    // be cleared before the result is delivered and the workspace returned. A single warp needs it
    // too: its lanes leave the loop one by one and would not converge again, which slows down each
    // shuffle. 28-byte sums of 64 KB, H100: 9.4 -> 5.4 us.
    __syncthreads();
    others = collective::block_reduce(fold, others, storage, warps);
    state = fold.combine(others, state);
    return threadIdx.x == 0;
  } else {
    const global_array<state_type> partials{static_cast<state_type*>(grid.partials), blocks};
    WARPFOLD_SHARED shared_array<bool, 1> is_last;
    if (threadIdx.x == 0) {
      partials.store(blockIdx.x, state);
      is_last.store(0, draw_ticket(grid.ticket, blocks - 1) == blocks - 1);
    }
    __syncthreads();
    if (!is_last.load(0)) return false;

    state = fold.start();
    for (unsigned b = threadIdx.x; b < blocks; b += blockDim.x) {
      state = fold.combine(state, partials.load(b));
    }
    state = collective::block_reduce(fold, state, storage);
    return threadIdx.x == 0;
  }
}

/// True in each thread for which `grid_finish` may return true.
template <class State>
WARPFOLD_DEVICE bool may_finish_grid() {
  return threadIdx.x == 0 && (!detail::is_posted<State> || blockIdx.x == gridDim.x - 1);
}

/// The maximum number of states of this type that the blocks of a launch may leave.
template <class State>
constexpr std::size_t max_states() {
  return detail::is_posted<State> ? post_bytes / sizeof(post) / posted_state<State>::posts
                                  : partial_bytes / sizeof(State);
}

/// The maximum number of blocks of a launch, each of which leaves a state: fewer, because the last
/// block waits for them.
template <class State>
constexpr std::size_t max_blocks() {
  return detail::is_posted<State> ? std::size_t{2048} / posted_state<State>::posts
                                  : max_states<State>();
}

}  // namespace warpfold::collective
