/// @file
/// Combines the states of the 32 threads of a warp, register to register.
#pragma once

#include <cstdint>

#include <warpfold/collective/warp_sum.hpp>
#include <warpfold/execution_model.hpp>

namespace warpfold::collective {

inline constexpr unsigned full_warp = 0xffffffffu;
inline constexpr unsigned warp_size = 32;

/// The value that the thread `delta` lanes up holds, for any trivially copyable type: one shuffle for
/// each 4 bytes. All lanes of the warp take part.
template <class T>
WARPFOLD_DEVICE T shuffle_down(const T& value, unsigned delta) {
  constexpr int lanes = (sizeof(T) + 3) / 4;
  std::uint32_t bits[lanes] = {};
  __builtin_memcpy(bits, &value, sizeof(T));
  WARPFOLD_UNROLL
  for (int i = 0; i < lanes; ++i) bits[i] = __shfl_down_sync(full_warp, bits[i], delta);
  T shuffled = value;
  __builtin_memcpy(&shuffled, bits, sizeof(T));
  return shuffled;
}

/// The states of each group of `lanes` lanes, a power of two, become its first lane's: a loop, and not its steps one after
/// the other. All lanes of the warp take part.
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
WARPFOLD_DEVICE typename Fold::state fold_lanes(const Fold& fold, typename Fold::state state) {
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

/// Combines the states of the warp's 32 lanes, all of which must call it.
/// Result: valid in lane 0. Order: lane k with lane k + 16, then k + 8, ...: fixed. Sums of integers, which
/// no order changes, by warp_sum.
template <class Fold>
WARPFOLD_DEVICE typename Fold::state warp_reduce(const Fold& fold, typename Fold::state state) {
  if constexpr (detail::sums_words<Fold>) {
    return warp_sum(state);
  } else if constexpr (has_marks<Fold>) {
    // Most often all lanes have seen something: one vote, and no marks to shuffle and to ask.
    if (__all_sync(full_warp, state.engaged())) [[likely]] {
      return fold.state_of(detail::fold_lanes(fold.of_values(), state.value));
    }
    return reduce_lanes(fold, state, warp_size);
  } else {
    return detail::fold_lanes(fold, state);
  }
}

}  // namespace warpfold::collective
