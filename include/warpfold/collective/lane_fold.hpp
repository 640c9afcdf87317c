/// @file
/// Folds a stretch of elements on one host thread, several at a time.
#pragma once

#include <cstddef>
#include <new>

#include <warpfold/config.hpp>
#include <warpfold/reduction.hpp>

namespace warpfold::collective {

namespace detail {

// 256 bytes of lanes are sixteen SSE registers' worth: enough independent operations to hide the
// latency of an addition, and few enough for a cache line or two.
template <class A>
inline constexpr int lanes_of = sizeof(A) <= 4    ? 64
                                : sizeof(A) <= 8  ? 32
                                : sizeof(A) <= 16 ? 8
                                                  : 4;

// Lanes of a type that need not have a default constructor.
template <class A>
union lanes {
  static constexpr int count = lanes_of<A>;
  A at[count];
  WARPFOLD_HD lanes() {}
};

}  // namespace detail

/// The fold of elements `first` to `last - 1`; there must be one at least.
///
/// Element `first + i` goes to lane `i % lanes`, and the lanes are folded as a tree at the end. Lanes
/// do not depend on each other, so a compiler turns a few of them into one vector instruction, also
/// where it may not reorder floating-point operations by itself.
///
/// Order: fixed by `last - first`. `r`'s op must be associative and commutative.
WARPFOLD_ANY_SIDE
template <class Reduction>
typename Reduction::accumulator lane_fold(const Reduction& r, std::size_t first, std::size_t last) {
  using accumulator = typename Reduction::accumulator;
  using lanes = detail::lanes<accumulator>;
  constexpr std::size_t count = lanes::count;
  const auto view = r.view;
  const auto fold = r.fold();

  if (last - first < count) {
    accumulator total = r.lift(view[first]);
    for (std::size_t i = first + 1; i < last; ++i) total = fold.apply(total, r.lift(view[i]));
    return total;
  }

  lanes lane;
  for (std::size_t l = 0; l < count; ++l) {
    ::new (static_cast<void*>(&lane.at[l])) accumulator(r.lift(view[first + l]));
  }
  std::size_t i = first + count;
  for (; last - i >= count; i += count) {
    for (std::size_t l = 0; l < count; ++l) {
      lane.at[l] = fold.apply(lane.at[l], r.lift(view[i + l]));
    }
  }
  for (std::size_t l = 0; i + l < last; ++l) {
    lane.at[l] = fold.apply(lane.at[l], r.lift(view[i + l]));
  }
  for (std::size_t half = count / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) lane.at[l] = fold.apply(lane.at[l], lane.at[l + half]);
  }
  return lane.at[0];
}

}  // namespace warpfold::collective
