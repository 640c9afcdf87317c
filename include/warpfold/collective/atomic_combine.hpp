/// @file
/// One state in global memory, with which any thread of any block combines its own.
#pragma once

#include <type_traits>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/op/fold.hpp>
#include <warpfold/op/plus.hpp>

namespace warpfold::collective {

/// How a thread combines its state with one that others write too.
enum class atomic_way {
  add,               ///< the hardware adds: `atomicAdd`
  compare_and_swap,  ///< combine, and write if no other thread wrote in between; otherwise repeat
  lock               ///< one thread at a time
};

namespace detail {

template <class Op, class State>
constexpr atomic_way atomic_way_of() {
  constexpr bool sum = std::is_same_v<Op, plus> && (sizeof(State) == 4 || sizeof(State) == 8);
  if (sum && (std::is_integral_v<State> || std::is_floating_point_v<State>)) return atomic_way::add;
  return sizeof(State) <= 8 ? atomic_way::compare_and_swap : atomic_way::lock;
}

// The type of the state in memory: one that atomics support or, with a lock, the state itself.
// Integers are added as unsigned, which gives the same bits.
template <class State, atomic_way How>
constexpr auto atomic_word_of() {
  if constexpr (How == atomic_way::lock ||
                (How == atomic_way::add && std::is_floating_point_v<State>)) {
    return std::type_identity<State>{};
  } else if constexpr (sizeof(State) <= 4) {
    return std::type_identity<unsigned>{};
  } else {
    return std::type_identity<unsigned long long>{};
  }
}

}  // namespace detail

/// One state of `Fold`, in memory that holds an `atomic_cell::memory`. Order: of arrival; it may
/// differ from run to run.
///
/// Sums of 4- or 8-byte numbers use `atomicAdd` (for floats it flushes subnormal numbers to zero).
/// Other states of up to 8 bytes, widened to 4 or 8, use compare-and-swap, and larger ones a lock.
/// No memset: one thread calls `start` in an earlier launch, and one `load` in a later launch.
template <class Fold>
class atomic_cell {
 public:
  using state = typename Fold::state;
  static constexpr atomic_way how = detail::atomic_way_of<decltype(Fold::op), state>();
  using word = typename decltype(detail::atomic_word_of<state, how>())::type;

  struct memory {
    word value;
    unsigned locked;  ///< 1 while a thread combines under the lock
  };

  WARPFOLD_DEVICE explicit atomic_cell(memory* at) : at_(at) {}

  WARPFOLD_DEVICE void start(const Fold& fold) const {
    value().store(0, as_word(fold.start()));
    lock().store(0, 0);
  }

  /// The combined state of all threads of earlier launches.
  WARPFOLD_DEVICE state load(const Fold& fold) const { return as_state(value().load(0), fold); }

  WARPFOLD_DEVICE void combine(const Fold& fold, const state& own) const {
    if constexpr (how == atomic_way::add) {
      atomicAdd(&at_->value, as_word(own));
    } else if constexpr (how == atomic_way::compare_and_swap) {
      // Any first guess works: a wrong one returns the current value.
      word guess = as_word(fold.start());
      word found = atomicCAS(&at_->value, guess, as_word(own));
      while (found != guess) {
        guess = found;
        found = atomicCAS(&at_->value, guess, as_word(fold.combine(as_state(guess, fold), own)));
      }
    } else {
      // The thread that takes the lock releases it in the same iteration: threads of a warp that
      // waited in a separate loop could wait for a lane that waits for them.
      bool done = false;
      while (!done) {
        if (atomicCAS(&at_->locked, 0, 1) == 0) {
          __threadfence();  // orders the last holder's writes before this read
          value().store(0, fold.combine(value().load(0), own));
          __threadfence();  // orders this write before the next holder's read
          atomicExch(&at_->locked, 0);
          done = true;
        }
      }
    }
  }

 private:
  WARPFOLD_DEVICE global_array<word> value() const { return {&at_->value, 1}; }
  WARPFOLD_DEVICE global_array<unsigned> lock() const { return {&at_->locked, 1}; }

  static WARPFOLD_DEVICE word as_word(const state& s) {
    if constexpr (std::is_same_v<word, state>) {
      return s;
    } else {
      word w = 0;
      __builtin_memcpy(&w, &s, sizeof(state));
      return w;
    }
  }
  static WARPFOLD_DEVICE state as_state(const word& w, const Fold& fold) {
    if constexpr (std::is_same_v<word, state>) {
      return w;
    } else {
      state s = fold.start();  // the state may have no default constructor
      __builtin_memcpy(static_cast<void*>(&s), &w, sizeof(state));
      return s;
    }
  }

  memory* at_;
};

}  // namespace warpfold::collective
