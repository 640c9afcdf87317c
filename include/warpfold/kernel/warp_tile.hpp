/// @file
/// How large the tiles are that single warps take through shared memory.
#pragma once

#include <cstddef>

#include <warpfold/config.hpp>

namespace warpfold::kernel {

/// How many elements of a tile of up to `tile_bytes` a lane takes: a power of two up to 16, so that a tile is
/// whole 16-byte words whatever an element is.
WARPFOLD_HD constexpr int elements_a_lane(std::size_t element_bytes, std::size_t tile_bytes) {
  int each = 1;
  while (each < 16 && 64 * static_cast<std::size_t>(each) * element_bytes <= tile_bytes) each *= 2;
  return each;
}

}  // namespace warpfold::kernel
