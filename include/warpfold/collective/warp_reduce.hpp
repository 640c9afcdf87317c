/// @file
/// Combines the states of the 32 threads of a warp, from register to register.
#pragma once

#include <warpfold/collective/lane_states.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/collective/warp_extremum.hpp>
#include <warpfold/collective/warp_sum.hpp>

namespace warpfold::collective {

/// Combines the states of each group of `lanes` lanes, a power of two, in a loop that is not
/// unrolled. The result is in the group's first lane. All lanes of the warp take part.
template <class Fold>
WARPFOLD_DEVICE typename Fold::state reduce_lanes(const Fold& fold, typename Fold::state state,
                                                  unsigned lanes) {
  WARPFOLD_NO_UNROLL
  for (unsigned delta = lanes / 2; delta > 0; delta /= 2) {
    state = fold.combine(state, shuffle_down(state, delta));
  }
  return state;
}

namespace detail {

template <class Fold>
WARPFOLD_DEVICE typename Fold::state shuffle_reduce(const Fold& fold, typename Fold::state state) {
  if constexpr (Fold::is_long) {
    return reduce_lanes(fold, state, warp_size);
  } else {
    WARPFOLD_UNROLL
    for (unsigned delta = warp_size / 2; delta > 0; delta /= 2) {
      state = fold.combine(state, shuffle_down(state, delta));
    }
    return state;
  }
}

}  // namespace detail

/// True if the fold's op folds the states of all lanes at once.
template <class Fold>
constexpr bool asks_for_states() {
  if constexpr (has_marks<Fold>) {
    return false;
  } else {
    return warpfold::detail::folds_states<decltype(Fold::op), lane_states<typename Fold::state>>;
  }
}
template <class Fold>
inline constexpr bool folds_warp_states = asks_for_states<Fold>();

/// Combines the states of the warp's 32 lanes, all of which must call it. Valid in lane 0. Order:
/// lane k with lane k + 16, then k + 8, ...: fixed. Sums of integers and extrema, which do not
/// depend on the order, use warp_sum and warp_extremum; ops with `fold_states` use that.
template <class Fold>
WARPFOLD_DEVICE typename Fold::state warp_reduce(const Fold& fold, typename Fold::state state) {
  if constexpr (detail::sums_words<Fold>) {
    return warp_sum(state);
  } else if constexpr (detail::is_extremum_by_word<Fold>) {
    return warp_extremum<decltype(fold.op)>(state);
  } else if constexpr (folds_warp_states<Fold>) {
    return fold.op.fold_states(lane_states<typename Fold::state>(state));
  } else if constexpr (has_marks<Fold>) {
    // The usual case, no state is empty: one vote replaces shuffling and testing the marks.
    if (__all_sync(full_warp, state.engaged())) [[likely]] {
      return fold.state_of(detail::shuffle_reduce(fold.of_values(), state.value));
    }
    return reduce_lanes(fold, state, warp_size);
  } else {
    return detail::shuffle_reduce(fold, state);
  }
}

}  // namespace warpfold::collective
