/// @file
/// The tiles that single warps stage through shared memory: their size, and the elements of a lane.
#pragma once

#include <cstddef>

#include <warpfold/core/config.hpp>

namespace warpfold::collective {

/// A tile of elements of `ElementBytes` bytes (of all arrays that are copied together). Lane l
/// takes the elements l, l + 32, ... They are an odd number of words of 4, 8 or 16 bytes apart, or
/// permuted in their copy (collective/staged_loads.hpp), so no two lanes use the same bank. If
/// elements are not whole 4-byte words, two or four neighbors together are: lane l takes the
/// elements p l, ..., p l + p - 1 of every 32 p.
/// @tparam MostBytes maximum bytes of a tile, unless a lane would take less than one group
template <std::size_t ElementBytes, std::size_t MostBytes>
struct warp_tile {
  /// Neighbors that a lane takes: 1, 2 or 4, the fewest that are whole words.
  static constexpr int run = ElementBytes % 4 == 0 ? 1 : ElementBytes % 2 == 0 ? 2 : 4;

  /// A power of two up to 16, so that a tile is whole 16-byte words for every element size.
  static constexpr int each = [] {
    int n = run;
    while (n < 16 && 64 * static_cast<std::size_t>(n) * ElementBytes <= MostBytes) n *= 2;
    return n;
  }();

  static constexpr unsigned size = 32 * each;

  /// The index in the tile of the `k`-th element of `lane`.
  WARPFOLD_HD static constexpr unsigned element(unsigned lane, int k) {
    const auto at = static_cast<unsigned>(k);
    constexpr unsigned r = run;
    return at / r * (32 * r) + lane * r + at % r;
  }
};

}  // namespace warpfold::collective
