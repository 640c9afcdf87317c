/// @file
/// needs: cuda
/// The end of a reduction in the same launch: the block that finishes last folds what all blocks left.
///
/// Source: the threadFenceReduction sample of the CUDA toolkit. A second launch would cost more than
/// the whole reduction of a few megabytes, and leave no kernel for the caller's next one to overlap.
#pragma once

#include <cstddef>

#include <warpfold/collective/block_reduce.hpp>

namespace warpfold::collective {

/// Device memory that one launch needs: room for one state a block, and a ticket counter that is zero
/// between launches.
struct grid_storage {
  void* partials;
  unsigned* ticket;
};

/// Combines the states that thread 0 of every block passes.
/// Result: returns true, with `state` valid, in thread 0 of exactly one block; false elsewhere.
/// Order: the blocks' states by block number, never by arrival: the same bits on every run.
/// The counter wraps to zero by itself, so no launch needs a memset before it.
template <class Fold>
WARPFOLD_DEVICE bool grid_finish(const Fold& fold, typename Fold::state& state,
                                 const grid_storage& grid,
                                 block_storage<typename Fold::state>& storage) {
  using state_type = typename Fold::state;
  const unsigned blocks = gridDim.x;
  if (blocks == 1) return threadIdx.x == 0;

  state_type* const partials = static_cast<state_type*>(grid.partials);
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    ::new (static_cast<void*>(partials + blockIdx.x)) state_type(state);
    __threadfence();  // the partial is visible before the ticket says so
    is_last = atomicInc(grid.ticket, blocks - 1) == blocks - 1;
  }
  __syncthreads();
  if (!is_last) return false;
  __threadfence();

  state = fold.start();
  for (unsigned b = threadIdx.x; b < blocks; b += blockDim.x) {
    state = fold.combine(state, partials[b]);
  }
  state = block_reduce(fold, state, storage);
  return threadIdx.x == 0;
}

}  // namespace warpfold::collective
