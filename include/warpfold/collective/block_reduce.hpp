/// @file
/// needs: cuda
/// Combines the states of all threads of a block: warps by shuffles, then the warps' results through
/// shared memory by the first warp. One barrier.
#pragma once

#include <new>

#include <warpfold/collective/warp_reduce.hpp>

namespace warpfold::collective {

/// The most warps of a block.
inline constexpr int max_warps = 32;

/// Shared memory for `block_reduce`: one state a warp.
template <class State>
struct block_storage {
  alignas(State) unsigned char bytes[max_warps * sizeof(State)];

  WARPFOLD_DEVICE State* states() { return reinterpret_cast<State*>(bytes); }
};

/// Combines the states of the threads of a block, which must be a whole number of warps (`runtime::launch`
/// sees to it).
/// Result: valid in thread 0. Order: as warp_reduce within each warp, then over the warps: fixed. Every thread of the block must call it; a barrier must separate two
/// uses of one `storage`.
template <class Fold>
WARPFOLD_DEVICE typename Fold::state block_reduce(const Fold& fold, typename Fold::state state,
                                                  block_storage<typename Fold::state>& storage) {
  using state_type = typename Fold::state;
  const unsigned lane = threadIdx.x % warp_size;
  const unsigned warp = threadIdx.x / warp_size;
  const unsigned warps = blockDim.x / warp_size;

  state = warp_reduce(fold, state);
  if (warps == 1) return state;
  if (lane == 0) ::new (static_cast<void*>(storage.states() + warp)) state_type(state);
  __syncthreads();
  if (warp == 0) {
    state = lane < warps ? storage.states()[lane] : fold.start();
    // As many steps as there are warps for. Not unrolled: it is on the path of the shortest launches,
    // whose time is also that of fetching the code.
    int delta = warps > 16 ? 16 : warps > 8 ? 8 : warps > 4 ? 4 : 2;
    WARPFOLD_NO_UNROLL
    for (; delta > 0; delta /= 2) state = fold.combine(state, shuffle_down(state, delta));
  }
  return state;
}

}  // namespace warpfold::collective
