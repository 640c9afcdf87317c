/// @file
/// A segmented scan over the threads of a block.
#pragma once

#include <warpfold/collective/lane_set.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/shuffle.hpp>

namespace warpfold::collective {

/// Returns the fold of the elements that come before those of this thread and belong to the same
/// segment. The elements of a block are those of its threads, one thread after the other.
///
/// @param own the fold of this thread's elements after the last segment end among them; of all of
///     its elements if no segment ends there
/// @param ends true if a segment ends in this thread
/// @param carry the same in all threads: the fold of the elements before the block that belong to
///     the first segment. Becomes that of the elements before the next block
/// @param states,marks one for each warp
///
/// Order: elements are combined in their order, by neighbors: ops need not be commutative. One
/// barrier; the caller has another one before it uses `states` and `marks` again.
template <class Fold>
WARPFOLD_DEVICE typename Fold::state segmented_scan(const Fold& fold, typename Fold::state own,
                                                    bool ends, typename Fold::state& carry,
                                                    shared_span<typename Fold::state> states,
                                                    shared_span<unsigned> marks) {
  using state = typename Fold::state;
  const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const unsigned below = lanes_below(lane);
  const unsigned ending = __ballot_sync(full_warp, ends);
  // The first lane with elements of the segment that is still open after this lane.
  const unsigned through = ending & (below | 1u << lane);
  const unsigned first = through == 0 ? 0 : highest_lane(through);
  WARPFOLD_NO_UNROLL
  for (unsigned delta = 1; delta < warp_size; delta *= 2) {
    const state before = shuffle_up(own, delta);
    if (lane >= first + delta) own = fold.combine(before, own);
  }
  const state neighbor = shuffle_up(own, 1);
  if (lane == warp_size - 1) {
    states.store(warp, own);
    marks.store(warp, ending);
  }
  __syncthreads();

  state mine = carry;
  WARPFOLD_NO_UNROLL
  for (unsigned w = 0; w < blockDim.x / warp_size; ++w) {
    if (w == warp) mine = carry;
    const state next = states.load(w);
    carry = marks.load(w) != 0 ? next : fold.combine(carry, next);
  }
  if (lane == 0) return mine;
  return (ending & below) != 0 ? neighbor : fold.combine(mine, neighbor);
}

}  // namespace warpfold::collective
