/// @file
/// The tiles that single warps take through shared memory: how large they are, and which lane takes which element.
#pragma once

#include <cstddef>

#include <warpfold/core/config.hpp>

namespace warpfold::kernel {

/// A tile of elements of so many bytes (of all arrays that are copied together).
///
/// Lane l takes the elements l, l + 32, ..., which are an odd number of words of 4, 8 or 16 bytes apart or are
/// exchanged in their copy (see collective/staged_loads.hpp), so that no two lanes meet in a bank. Elements that
/// are no whole number of 4-byte words are not apart so; of two or four neighbours together that is true again:
/// lane l takes the elements p l, ..., p l + p - 1 of every 32 p.
///
/// @tparam ElementBytes  bytes of an element, at least 1
/// @tparam MostBytes     of a tile, but that a lane takes at least one run of neighbours
template <std::size_t ElementBytes, std::size_t MostBytes>
struct warp_tile {
  /// Neighbours that a lane takes: 1, 2 or 4, the fewest that are whole words.
  static constexpr int run = ElementBytes % 4 == 0 ? 1 : ElementBytes % 2 == 0 ? 2 : 4;

  /// Elements a lane takes: a power of two up to 16, so that a tile is whole 16-byte words whatever an element is.
  static constexpr int each = [] {
    int n = run;
    while (n < 16 && 64 * static_cast<std::size_t>(n) * ElementBytes <= MostBytes) n *= 2;
    return n;
  }();

  /// Elements of a tile.
  static constexpr unsigned size = 32 * each;

  /// The number in the tile of the element that `lane` takes as its `k`-th.
  WARPFOLD_HD static constexpr unsigned element(unsigned lane, int k) {
    const auto at = static_cast<unsigned>(k);
    constexpr unsigned r = run;
    return at / r * (32 * r) + lane * r + at % r;
  }
};

}  // namespace warpfold::kernel
