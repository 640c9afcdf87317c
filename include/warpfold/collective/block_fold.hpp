/// @file
/// Combines the values of the warps of a block in the declared order (op/fold_order.hpp).
#pragma once

#include <warpfold/collective/block_reduce.hpp>
#include <warpfold/collective/row_fold.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/op/fold_tree.hpp>

namespace warpfold::collective {

namespace detail {

// The fold of the values of `there` warps. Called by one warp; valid in its first lane.
template <class Fold, class A>
WARPFOLD_DEVICE A fold_stored(const Fold& fold, shared_span<A> storage, unsigned there) {
  if constexpr (!Fold::is_long) {
    // Without shuffles, each of which takes as long as three additions.
    if (there == 8) [[likely]] {
      return fold_tree<0, 8>([&](const A& a, const A& b) { return fold.apply(a, b); },
                             storage.template load_run<8>(0));
    }
  }
  const unsigned lane = threadIdx.x % warp_size;
  const A value = storage.load(lane < there ? lane : there - 1);
  return fold_lanes(fold, value, there);
}

}  // namespace detail

/// Stores the value of a warp, which is valid in its first lane, for `fold_block`.
template <class A>
WARPFOLD_DEVICE void store_of_warp(shared_span<std::type_identity_t<A>> storage, const A& value) {
  if (threadIdx.x % warp_size == 0) storage.store(threadIdx.x / warp_size, value);
}

/// Combines the values that the first `there` warps of a block, at least one, have stored. Thread 0
/// calls `use(value)`.
///
/// Every thread of the block calls it with the same `there`. A barrier separates two uses of one
/// `storage`; one use of another storage is enough, because it has a barrier.
template <class Fold>
WARPFOLD_DEVICE void fold_block(const Fold& fold, shared_span<value_of<Fold>> storage,
                                unsigned there, const auto& use) {
  __syncthreads();
  if (threadIdx.x >= warp_size) return;
  const auto value = detail::fold_stored(fold, storage, there);
  if (threadIdx.x == 0) use(value);
}

}  // namespace warpfold::collective
