/// @file
/// needs: cuda
/// Combines the states of all threads of a block: warps by shuffles, then the warps' results through
/// shared memory by the first warp. One barrier.
#pragma once

#include <new>

#include <warpfold/collective/warp_reduce.hpp>

namespace warpfold::collective {

/// Shared memory for `block_reduce`: one state a warp.
template <class State, int BlockSize>
struct block_storage {
  alignas(State) unsigned char bytes[BlockSize / warp_size * sizeof(State)];

  WARPFOLD_DEVICE State* states() { return reinterpret_cast<State*>(bytes); }
};

/// Combines the states of the block's `BlockSize` threads, a multiple of 32 up to 1024.
/// Result: valid in thread 0. Every thread of the block must call it; a barrier must separate two
/// uses of one `storage`.
template <int BlockSize, class Fold>
WARPFOLD_DEVICE typename Fold::state block_reduce(
    const Fold& fold, typename Fold::state state,
    block_storage<typename Fold::state, BlockSize>& storage) {
  using state_type = typename Fold::state;
  constexpr int warps = BlockSize / warp_size;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warp = static_cast<int>(threadIdx.x) / warp_size;

  state = warp_reduce(fold, state);
  if constexpr (warps > 1) {
    if (lane == 0) ::new (static_cast<void*>(storage.states() + warp)) state_type(state);
    __syncthreads();
    if (warp == 0) {
      constexpr int lanes = warps <= 2 ? 2 : warps <= 4 ? 4 : warps <= 8 ? 8 : warps <= 16 ? 16 : 32;
      state = lane < warps ? storage.states()[lane] : fold.start();
      state = warp_reduce<lanes>(fold, state);
    }
  }
  return state;
}

}  // namespace warpfold::collective
