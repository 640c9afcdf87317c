/// @file
/// The device memory through which the blocks of a launch meet.
#pragma once

#include <cstddef>

#include <warpfold/collective/memory_order.hpp>

namespace warpfold::collective {

/// Device memory that one launch needs. `posts` and `ticket` are zero between launches: whoever uses
/// them leaves them so, and no launch needs a memset before it.
struct grid_storage {
  post* posts;       ///< of each block's state 16 bytes for every 12, up to 96
  void* partials;    ///< one state a block, for larger ones
  unsigned* ticket;  ///< how many blocks have left their partial
};

/// How much room a launch's `grid_storage` has: 2048 posts, and 512 blocks' partial states of 128 bytes;
/// larger states get fewer blocks.
inline constexpr std::size_t post_bytes = 2048 * sizeof(post);
inline constexpr std::size_t partial_bytes = 64 * 1024;

}  // namespace warpfold::collective
