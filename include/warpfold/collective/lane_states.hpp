/// @file
/// The states of a warp's lanes, for ops that fold them all at once (op/fold.hpp).
#pragma once

#include <type_traits>

#include <warpfold/collective/lane_set.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/collective/warp_extremum.hpp>
#include <warpfold/collective/warp_sum.hpp>
#include <warpfold/op/fold.hpp>

namespace warpfold::collective {

/// The states of 32 lanes; all call every member. `first`, `find` and `any` return the same in all.
/// The result of `fold` is valid in the first lane; for integers and extrema in all.
template <class State>
class lane_states {
 public:
  WARPFOLD_DEVICE explicit lane_states(const State& own) : own_(own) {}

  WARPFOLD_DEVICE State first() const { return shuffle_from(own_, 0); }

  /// The state of the first lane with `is(state)`; of an unspecified lane if there is none.
  WARPFOLD_ANY_SIDE inline WARPFOLD_DEVICE State find(const auto& is) const {
    const unsigned lanes = __ballot_sync(full_warp, is(own_));
#if defined(__CUDA_ARCH__)
    const int found = __ffs(static_cast<int>(lanes));
#else
    const int found = __builtin_ffs(static_cast<int>(lanes));
#endif
    return shuffle_from(own_, static_cast<unsigned>(found - 1) % warp_size);
  }

  WARPFOLD_DEVICE bool any(bool is) const { return __any_sync(full_warp, is) != 0; }

  WARPFOLD_ANY_SIDE inline WARPFOLD_DEVICE auto projected(const auto& f) const {
    return lane_states<std::remove_cvref_t<decltype(f(own_))>>(f(own_));
  }

  /// Folds all states by `op`: with one instruction, or by shuffles, each lane with lane k ^ 16,
  /// then k ^ 8, ... Compilers may fuse a product and a sum in one lane and not in its partner, so
  /// even sums may differ in a bit.
  WARPFOLD_ANY_SIDE
  template <class Op>
  WARPFOLD_DEVICE State fold(const Op& op) const {
    if constexpr (extremum_by_word<Op, State>) {
      return warp_extremum<Op>(own_);
    } else if constexpr (detail::sums_words<warpfold::fold<Op, State>>) {
      return warp_sum(own_);
    } else {
      const auto step = [&](const State& state, unsigned apart) {
        return static_cast<State>(warpfold::detail::call(op, state, shuffle_xor(state, apart)));
      };
      State state = own_;
      if constexpr (is_long_op<Op, State>) {
        WARPFOLD_NO_UNROLL
        for (unsigned apart = warp_size / 2; apart > 0; apart /= 2) state = step(state, apart);
      } else {
        WARPFOLD_UNROLL
        for (unsigned apart = warp_size / 2; apart > 0; apart /= 2) state = step(state, apart);
      }
      return state;
    }
  }

 private:
  State own_;
};

/// The same for each group of `lanes` neighboring lanes, a power of two. `find` returns any of
/// the states with `is(state)`.
template <class State>
class group_states {
 public:
  WARPFOLD_DEVICE group_states(const State& own, unsigned lanes) : own_(own), lanes_(lanes) {}

  WARPFOLD_DEVICE State first() const { return shuffle_from(own_, first_lane()); }

  WARPFOLD_ANY_SIDE inline WARPFOLD_DEVICE State find(const auto& is) const {
    const unsigned all = __ballot_sync(full_warp, is(own_)) >> first_lane();
    const unsigned of_group = all & ~0u >> (warp_size - lanes_);
    return shuffle_from(own_, first_lane() + highest_lane(of_group | 1));
  }

  /// True if `is` is true in any lane of the warp.
  WARPFOLD_DEVICE bool any(bool is) const { return __any_sync(full_warp, is) != 0; }

  WARPFOLD_ANY_SIDE inline WARPFOLD_DEVICE auto projected(const auto& f) const {
    return group_states<std::remove_cvref_t<decltype(f(own_))>>(f(own_), lanes_);
  }

  WARPFOLD_ANY_SIDE
  template <class Op>
  WARPFOLD_DEVICE State fold(const Op& op) const {
    State state = own_;
    WARPFOLD_NO_UNROLL
    for (unsigned apart = lanes_ / 2; apart > 0; apart /= 2) {
      state = static_cast<State>(warpfold::detail::call(op, state, shuffle_xor(state, apart)));
    }
    return state;
  }

 private:
  WARPFOLD_DEVICE unsigned first_lane() const { return threadIdx.x % warp_size & ~(lanes_ - 1); }

  State own_;
  unsigned lanes_;
};

}  // namespace warpfold::collective
