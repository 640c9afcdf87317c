/// @file
/// Combines the states of all threads of a block: warps by shuffles, then the warps' results through
/// shared memory by the first warp. One barrier.
#pragma once

#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/warp_reduce.hpp>
#include <warpfold/op/fold_tree.hpp>

namespace warpfold::collective {

/// The most warps of a block.
inline constexpr unsigned max_warps = 32;

/// Shared memory for `block_reduce`: one state a warp.
template <class State>
using block_storage = shared_array<State, max_warps>;

namespace detail {

// The states of the warps, and then of the block, by one piece of code: where an op folds states all at once it is long.
template <class Fold>
WARPFOLD_DEVICE typename Fold::state fold_states_of_block(const Fold& fold,
                                                          typename Fold::state state,
                                                          shared_span<typename Fold::state> storage,
                                                          unsigned warps) {
  WARPFOLD_NO_UNROLL
  for (bool of_block = warps == 1;; of_block = true) {
    state = warp_reduce(fold, state);
    if (of_block) return state;
    if (threadIdx.x % warp_size == 0) storage.store(threadIdx.x / warp_size, state);
    __syncthreads();
    if (threadIdx.x >= warp_size) return state;
    state = threadIdx.x < warps ? storage.load(threadIdx.x) : fold.start();
  }
}

// The barrier after which the states of `warps` warps are read. Returns whether each of them has seen something.
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

// The states of `warps` warps, a lane each, combined by shuffles in one loop: half the steps of one thread that takes them
// one after the other (moments of 1 MB, H100: 9.1 us, 9.7). The first warp.
template <class Fold>
WARPFOLD_DEVICE typename Fold::state fold_warps_by_lanes(const Fold& fold,
                                                         shared_span<typename Fold::state> storage,
                                                         unsigned warps) {
  unsigned lanes = 1;
  while (lanes < warps) lanes *= 2;
  return reduce_lanes(fold, threadIdx.x < warps ? storage.load(threadIdx.x) : fold.start(), lanes);
}

// The states of `warps` warps, read and combined by one thread. `engaged`: each has seen something, as most often, and
// then there is nothing to ask.
template <class Fold>
WARPFOLD_DEVICE typename Fold::state fold_warps(const Fold& fold,
                                                shared_span<typename Fold::state> storage,
                                                unsigned warps, bool engaged) {
  using state_type = typename Fold::state;
  // Not unrolled: they are on the path of the shortest launches, whose time is also that of fetching code.
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

/// Combines the states of the threads of a block, which must be a whole number of warps (`runtime::launch`
/// sees to it).
///
/// The warps' states, if not `Fold::is_long`, are read by every thread of the first warp, several at a time, and combined in registers:
/// a shuffle takes about 25 cycles, a load of what all lanes read and three combinations little more (16 KB
/// in 8 warps, H100, replayed in a graph: 1.54 us, by shuffles 1.60).
///
/// Result: valid in thread 0. Order: as warp_reduce within each warp, then over the warps: fixed.
/// Every thread of the block must call it; a barrier must separate two uses of one `storage`.
/// @param warps  so many warps have a state
template <class Fold>
WARPFOLD_DEVICE typename Fold::state block_reduce(const Fold& fold, typename Fold::state state,
                                                  shared_span<typename Fold::state> storage,
                                                  unsigned warps) {
  if constexpr (folds_warp_states<Fold>) {
    return detail::fold_states_of_block(fold, state, storage, warps);
  } else {
    const unsigned warp = threadIdx.x / warp_size;
    state = warp_reduce(fold, state);
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
  return block_reduce(fold, state, storage, blockDim.x / warp_size);
}

/// The same where only the result is left to be used: thread 0 calls `use(state)`, and no other thread has anything
/// to do after it.
///
/// One thread folds the warps' states, and nothing is asked after that which was asked before: of the shortest
/// launches (16 KB in 8 warps, H100, cold: 4.12 us as block_reduce and then a test for thread 0, now 3.99) each
/// branch to code that is not there yet costs.
template <class Fold, class Use>
WARPFOLD_DEVICE void finish_block(const Fold& fold, typename Fold::state state,
                                  shared_span<typename Fold::state> storage, const Use& use,
                                  unsigned warps = blockDim.x / warp_size) {
  if constexpr (folds_warp_states<Fold>) {
    state = detail::fold_states_of_block(fold, state, storage, warps);
    if (threadIdx.x == 0) use(state);
  } else {
    state = warp_reduce(fold, state);
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
