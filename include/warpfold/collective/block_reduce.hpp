/// @file
/// needs: cuda
/// Combines the states of all threads of a block: warps by shuffles, then the warps' results through
/// shared memory by the first warp. One barrier.
#pragma once

#include <new>

#include <warpfold/collective/fold_tree.hpp>
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
///
/// The warps' states are read by every thread of the first warp, eight at a time, and combined in registers:
/// a shuffle takes about 25 cycles, a load of what all lanes read and three combinations little more (16 KB
/// in 8 warps, H100, replayed in a graph: 1.54 us, by shuffles 1.60).
///
/// Result: valid in thread 0. Order: as warp_reduce within each warp, then over the warps: fixed.
/// Every thread of the block must call it; a barrier must separate two uses of one `storage`.
template <class Fold>
WARPFOLD_DEVICE typename Fold::state block_reduce(const Fold& fold, typename Fold::state state,
                                                  block_storage<typename Fold::state>& storage) {
  using state_type = typename Fold::state;
  const unsigned warp = threadIdx.x / warp_size;
  const unsigned warps = blockDim.x / warp_size;

  state = warp_reduce(fold, state);
  if (warps == 1) return state;
  if (threadIdx.x % warp_size == 0) {
    ::new (static_cast<void*>(storage.states() + warp)) state_type(state);
  }
  __syncthreads();
  if (warp == 0) {
    const state_type* const states = storage.states();
    state = fold.start();
    unsigned w = 0;
    // Not unrolled: it is on the path of the shortest launches, whose time is also that of fetching code.
    WARPFOLD_NO_UNROLL
    for (; w + 8 <= warps; w += 8) {
      state = fold.combine(
          state, fold_tree<0, 8>([&](const auto& s, const auto& t) { return fold.combine(s, t); },
                                 [&](int k) { return states[w + k]; }));
    }
    WARPFOLD_NO_UNROLL
    for (; w < warps; ++w) state = fold.combine(state, states[w]);
  }
  return state;
}

}  // namespace warpfold::collective
