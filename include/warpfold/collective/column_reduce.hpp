/// @file
/// Combines the states of threads that stand in columns, as a block does that walks down a matrix: each column's become its
/// first thread's.
#pragma once

#include <warpfold/collective/shared_array.hpp>

namespace warpfold::collective {

/// Combines the `Size` states that each thread of a column holds, each with those of the same number: the threads with the
/// higher numbers hand theirs to those with the lower, then the higher half of those, and so on. Of an odd number the middle
/// one waits.
///
/// @param seen     this thread's `Size` states
/// @param storage  room for `Size` states of half of the threads, rounded down
/// @param y        this thread's number in its column
/// @param height   threads of a column, one at least; the same in the whole block
/// @param inside   whether this thread stands in a column
/// @param slot     `slot(i)` is where number `i` of this thread's column has its states; neighbouring columns should have
///                 neighbouring slots: then there are no bank conflicts
///
/// Two barriers for each halving. Result: valid in each column's first thread. Order: fixed by the height.
/// Every thread of the block must call it, those outside of columns too.
template <int Size, class Fold, class Slot>
WARPFOLD_DEVICE void column_reduce(const Fold& fold, typename Fold::state* seen,
                                   shared_span<typename Fold::state> storage, unsigned y,
                                   unsigned height, bool inside, const Slot& slot) {
  const unsigned slots = storage.size() / Size;
  WARPFOLD_NO_UNROLL
  for (unsigned n = height; n > 1;) {
    const unsigned half = (n + 1) / 2;
    if (y >= half && y < n && inside) {
      const unsigned to = slot(y - half);
      WARPFOLD_UNROLL
      for (unsigned k = 0; k < Size; ++k) storage.store(k * slots + to, seen[k]);
    }
    __syncthreads();
    if (y < n - half && inside) {
      const unsigned from = slot(y);
      WARPFOLD_UNROLL
      for (unsigned k = 0; k < Size; ++k) {
        seen[k] = fold.combine(seen[k], storage.load(k * slots + from));
      }
    }
    __syncthreads();
    n = half;
  }
}

}  // namespace warpfold::collective
