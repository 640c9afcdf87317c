/// @file
/// Values of a fold while they stay in registers. A struct of bytes or shorts is held as 4-byte
/// words: otherwise nvcc 13.0 keeps, selects and moves its parts in registers of their own. Those
/// of 50 bytes are up to 50 instead of 13 registers, and most of them are spilled.
#pragma once

#include <cstdint>
#include <type_traits>

#include <warpfold/core/config.hpp>

namespace warpfold::collective {

namespace detail {

template <class A>
inline constexpr bool is_held_as_words = sizeof(A) > 4 && alignof(A) < 4;

template <class A>
struct words_of {
  std::uint32_t bits[(sizeof(A) + 3) / 4];
};

}  // namespace detail

/// The type that holds an `A`: `A` itself, or the words of a struct of bytes or shorts.
template <class A>
using held = std::conditional_t<detail::is_held_as_words<A>, detail::words_of<A>, A>;

/// Returns `value` as it is held.
template <class A>
WARPFOLD_HD held<A> hold(const A& value) {
  if constexpr (detail::is_held_as_words<A>) {
    held<A> words{};
    __builtin_memcpy(&words, &value, sizeof(A));
    return words;
  } else {
    return value;
  }
}

/// Returns the value that is held.
template <class A>
WARPFOLD_HD A value_in(const held<A>& in) {
  if constexpr (detail::is_held_as_words<A>) {
    union bytes {
      A value;
      WARPFOLD_HD bytes() {}
    } of;
    __builtin_memcpy(static_cast<void*>(&of.value), &in, sizeof(A));
    return of.value;
  } else {
    return in;
  }
}

/// Folds the held values of `Fold`. Collectives take it in place of `Fold`.
template <class Fold, class A>
struct held_fold {
  using state = held<A>;
  static constexpr bool is_long = Fold::is_long || detail::is_held_as_words<A>;
  Fold of;

  WARPFOLD_DEVICE state apply(const state& a, const state& b) const {
    return hold<A>(of.apply(value_in<A>(a), value_in<A>(b)));
  }
  WARPFOLD_DEVICE const state& value(const state& s) const { return s; }
};

}  // namespace warpfold::collective
