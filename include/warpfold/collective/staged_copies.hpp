/// @file
/// The arrays that are staged through shared memory tile by tile, and a warp's copies of them.
#pragma once

#include <warpfold/collective/async_copy.hpp>
#include <warpfold/collective/staged_loads.hpp>

namespace warpfold::collective {

/// The staged arrays, starting at the first tile. The copies of a tile's arrays follow each other.
template <int Count>
struct staged_arrays {
  struct array {
    const unsigned char* data;
    unsigned tile_bytes;  ///< 0: no array
    unsigned at;          ///< first byte in a tile's copy
  };
  array arrays[std::size_t{Count}] = {};
  unsigned bytes = 0;  ///< bytes of a tile's copy

  /// Array `i` of tile `t`, whose copy begins at byte `to` of the dynamic shared memory.
  WARPFOLD_DEVICE staged_piece piece(int i, std::size_t t, unsigned to) const {
    return {arrays[i].data + t * arrays[i].tile_bytes, arrays[i].tile_bytes, to + arrays[i].at};
  }

  void add(int i, const unsigned char* data, std::size_t tile_bytes) {
    arrays[i] = {data, static_cast<unsigned>(tile_bytes), bytes};
    bytes += static_cast<unsigned>(tile_bytes);
  }
};

/// Starts copying this lane's words of tile `t` to byte `to` of the dynamic shared memory. All
/// lanes of the warp call it.
/// @tparam ElementBytes size of the elements of the only array, so that the compiler knows the
///     tile, and the copy is permuted by place_in_copy; otherwise 0
template <std::size_t ElementBytes, unsigned Tile, int Count>
WARPFOLD_DEVICE void start_copies(const async_copies& copies, const staged_arrays<Count>& from,
                                  unsigned to, std::size_t t, unsigned lane) {
  if constexpr (ElementBytes != 0) {
    constexpr auto bytes = static_cast<unsigned>(Tile * ElementBytes);
    if (from.arrays[0].tile_bytes == 0) return;
    const unsigned char* const own = from.arrays[0].data + t * bytes + lane * word_bytes;
    const unsigned place = copies.place(to);
    WARPFOLD_UNROLL
    for (unsigned at = 0; at < bytes; at += 32 * word_bytes) {
      const unsigned i = at + lane * static_cast<unsigned>(word_bytes);
      if (at + 32 * word_bytes <= bytes || i < bytes) {
        copies.start(place + place_in_copy<ElementBytes>(i), own + at);
      }
    }
  } else {
    for (const auto& array : from.arrays) {
      const unsigned char* const data = array.data + t * array.tile_bytes;
      const unsigned place = copies.place(to + array.at);
      WARPFOLD_NO_UNROLL
      for (unsigned at = lane * word_bytes; at < array.tile_bytes; at += 32 * word_bytes) {
        copies.start(place + at, data + at);
      }
    }
  }
}

}  // namespace warpfold::collective
