/// @file
/// Combines the states of all threads of a block through shared memory, as a tree: the textbook
/// method. `block_reduce`, by shuffles, needs fewer barriers and less shared memory.
#pragma once

#include <warpfold/collective/shared_array.hpp>

namespace warpfold::collective {

/// Combines the states of the threads of a block of one or two dimensions: the first half of the
/// threads takes the values of the second half, and so on. No bank conflicts; whole warps become
/// idle together; log2(threads) + 1 barriers.
///
/// Result: valid in thread 0. Every thread of the block must call it; a barrier must separate two
/// uses of one `values`, which holds one state for each thread, a power of two of them.
template <class Fold>
WARPFOLD_DEVICE typename Fold::state tree_reduce(const Fold& fold, typename Fold::state state,
                                                 shared_span<typename Fold::state> values) {
  const unsigned thread = threadIdx.x + blockDim.x * threadIdx.y;
  values.store(thread, state);
  __syncthreads();
  WARPFOLD_NO_UNROLL
  for (unsigned active = blockDim.x * blockDim.y / 2; active > 0; active /= 2) {
    if (thread < active) {
      state = fold.combine(values.load(thread), values.load(thread + active));
      values.store(thread, state);
    }
    __syncthreads();  // for all threads, including idle ones
  }
  return state;
}

}  // namespace warpfold::collective
