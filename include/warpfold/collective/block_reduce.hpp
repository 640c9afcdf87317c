/// @file
/// Combines the states of all threads of a block: within warps by shuffles, then the first warp
/// combines the warps' results through shared memory. One barrier.
#pragma once

#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/warp_reduce.hpp>
#include <warpfold/op/fold_tree.hpp>

namespace warpfold::collective {

inline constexpr unsigned max_warps = 32;

/// Shared memory for `block_reduce`: one state per warp.
template <class State>
using block_storage = shared_array<State, max_warps>;

namespace detail {

// One code for the states of the warps and those of the block: to fold many at once is long code.
template <class Fold>
WARPFOLD_DEVICE typename Fold::state fold_states_of_block(const Fold& fold,
                                                          typename Fold::state state,
                                                          shared_span<typename Fold::state> storage,
                                                          unsigned warps) {
  WARPFOLD_NO_UNROLL
  for (bool of_block = warps == 1;; of_block = true) {
    state = collective::warp_reduce(fold, state);
    if (of_block) return state;
    if (threadIdx.x % warp_size == 0) storage.store(threadIdx.x / warp_size, state);
    __syncthreads();
    if (threadIdx.x >= warp_size) return state;
    state = threadIdx.x < warps ? storage.load(threadIdx.x) : fold.start();
  }
}

// The barrier before the states of `warps` warps are read. True if no state of a warp is empty.
template <class Fold>
WARPFOLD_DEVICE bool meet(const typename Fold::state& of_warp, unsigned warps) {
  if constexpr (has_marks<Fold>) {
    const bool is_read = threadIdx.x % warp_size == 0 && threadIdx.x / warp_size < warps;
    return __syncthreads_and(!is_read || of_warp.engaged()) != 0;
  } else {
    (void)of_warp;
    (void)warps;
    __syncthreads();
    return true;
  }
}

// Combines the states of `warps` warps, one per lane, by shuffles: half the steps of one thread in
// sequence (moments of 1 MB, H100: 9.7 -> 9.1 us). Called by the first warp.
template <class Fold>
WARPFOLD_DEVICE typename Fold::state fold_warps_by_lanes(const Fold& fold,
                                                         shared_span<typename Fold::state> storage,
                                                         unsigned warps) {
  unsigned lanes = 1;
  while (lanes < warps) lanes *= 2;
  return reduce_lanes(fold, threadIdx.x < warps ? storage.load(threadIdx.x) : fold.start(), lanes);
}

// Combines the states of `warps` warps in one thread; `engaged` if no state is empty, as usual.
template <class Fold>
WARPFOLD_DEVICE typename Fold::state fold_warps(const Fold& fold,
                                                shared_span<typename Fold::state> storage,
                                                unsigned warps, bool engaged) {
  using state_type = typename Fold::state;
  // Not unrolled: the shortest launches spend time on fetching instructions.
  if constexpr (has_marks<Fold>) {
    if (engaged) [[likely]] {
      const auto values = fold.of_values();
      const auto combine = [&](const auto& s, const auto& t) { return values.combine(s, t); };
      auto value = storage.load(0).value;
      unsigned w = 1;
      WARPFOLD_NO_UNROLL
      for (; w + 4 <= warps; w += 4) {
        const auto run = storage.template load_run<4>(w);
        value = combine(value, fold_tree<0, 4>(combine, [&](int k) { return run(k).value; }));
      }
      WARPFOLD_NO_UNROLL
      for (; w < warps; ++w) value = combine(value, storage.load(w).value);
      return fold.state_of(value);
    }
    state_type state = fold.start();
    WARPFOLD_NO_UNROLL
    for (unsigned w = 0; w < warps; ++w) state = fold.combine(state, storage.load(w));
    return state;
  } else {
    state_type state = fold.start();
    unsigned w = 0;
    WARPFOLD_NO_UNROLL
    for (; w + 8 <= warps; w += 8) {
      state = fold.combine(
          state, fold_tree<0, 8>([&](const auto& s, const auto& t) { return fold.combine(s, t); },
                                 storage.template load_run<8>(w)));
    }
    WARPFOLD_NO_UNROLL
    for (; w < warps; ++w) state = fold.combine(state, storage.load(w));
    return state;
  }
}

}  // namespace detail

/// Combines the states of the threads of a block, which must be a whole number of warps
/// (`runtime::launch` checks it).
///
/// If not `Fold::is_long`, every thread of the first warp reads the warps' states, several at a
/// time, and combines them in registers: a shuffle takes about 25 cycles, a broadcast load and
/// three combinations little more. 16 KB in 8 warps, H100, graph replay, by shuffles -> this: 1.60
/// -> 1.54 us.
///
/// Result: valid in thread 0. Order: as warp_reduce within each warp, then over the warps: fixed.
/// Every thread of the block must call it; a barrier must separate two uses of one `storage`.
/// @param storage one state per warp
/// @param warps the number of warps with a state
template <class Fold>
WARPFOLD_DEVICE typename Fold::state block_reduce(const Fold& fold, typename Fold::state state,
                                                  shared_span<typename Fold::state> storage,
                                                  unsigned warps) {
  if constexpr (folds_warp_states<Fold>) {
    return detail::fold_states_of_block(fold, state, storage, warps);
  } else {
    const unsigned warp = threadIdx.x / warp_size;
    state = collective::warp_reduce(fold, state);
    if (warps == 1) return state;
    if (threadIdx.x % warp_size == 0) storage.store(warp, state);
    if constexpr (Fold::is_long) {
      __syncthreads();
      if (warp == 0) state = detail::fold_warps_by_lanes(fold, storage, warps);
    } else {
      const bool engaged = detail::meet<Fold>(state, warps);
      if (warp == 0) state = detail::fold_warps(fold, storage, warps, engaged);
    }
    return state;
  }
}
template <class Fold>
WARPFOLD_DEVICE typename Fold::state block_reduce(const Fold& fold, typename Fold::state state,
                                                  shared_span<typename Fold::state> storage) {
  return collective::block_reduce(fold, state, storage, blockDim.x / warp_size);
}

/// Like `block_reduce`, for the end of a kernel: thread 0 calls `use(state)`, and no other thread
/// has work after it. One thread folds the warps' states, and conditions are not tested twice: in
/// the shortest launches each branch to code that is not yet fetched costs time. 16 KB in 8 warps,
/// H100, cold, block_reduce and a test for thread 0 -> this: 4.12 -> 3.99 us.
template <class Fold, class Use>
WARPFOLD_DEVICE void finish_block(const Fold& fold, typename Fold::state state,
                                  shared_span<typename Fold::state> storage, const Use& use,
                                  unsigned warps = blockDim.x / warp_size) {
  if constexpr (folds_warp_states<Fold>) {
    state = detail::fold_states_of_block(fold, state, storage, warps);
    if (threadIdx.x == 0) use(state);
  } else {
    state = collective::warp_reduce(fold, state);
    if (warps == 1) {
      if (threadIdx.x == 0) use(state);
      return;
    }
    if (threadIdx.x % warp_size == 0) storage.store(threadIdx.x / warp_size, state);
    if constexpr (Fold::is_long) {
      __syncthreads();
      if (threadIdx.x >= warp_size) return;
      state = detail::fold_warps_by_lanes(fold, storage, warps);
      if (threadIdx.x == 0) use(state);
    } else {
      const bool engaged = detail::meet<Fold>(state, warps);
      if (threadIdx.x != 0) return;
      use(detail::fold_warps(fold, storage, warps, engaged));
    }
  }
}

}  // namespace warpfold::collective
