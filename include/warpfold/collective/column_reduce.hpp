/// @file
/// Combines the states of threads in columns, for blocks that walk down a matrix: the result of
/// each column is in its first thread.
#pragma once

#include <warpfold/collective/shared_array.hpp>

namespace warpfold::collective {

/// Combines the `Size` states of each thread of a column, each with those of the same index. In
/// each step the upper half of the threads passes its states to the lower half. A step has two
/// barriers. Every thread of the block must call it, including those outside of columns. Result:
/// valid in each column's first thread. Order: fixed by the height.
///
/// @param seen this thread's `Size` states
/// @param storage room for `Size` states of half of the threads, rounded down
/// @param y this thread's index in its column
/// @param height threads of a column, at least 1; the same in the whole block
/// @param inside true if this thread is in a column
/// @param slot `slot(i)` is the slot of thread `i` of this thread's column. Neighboring columns
///     should have neighboring slots, which avoids bank conflicts
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
