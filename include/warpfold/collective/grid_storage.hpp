/// @file
/// The device memory through which the blocks of a launch combine their states.
#pragma once

#include <cstddef>

#include <warpfold/collective/memory_order.hpp>

namespace warpfold::collective {

/// The bytes at `ticket`.
inline constexpr std::size_t ticket_bytes = 256;
/// The size of a launch's `grid_storage`: 8192 posts, and partial states of 128 bytes for 512
/// blocks. Larger states allow fewer blocks.
inline constexpr std::size_t post_bytes = 8192 * sizeof(post);
inline constexpr std::size_t partial_bytes = 64 * 1024;
/// The places of marked groups.
inline constexpr std::size_t marked_bytes = 64 * 1024;

/// Device memory for one launch. `posts` and `ticket` are zero between launches: their users reset
/// them. Folds of segments keep counters in `posts`, and long segments in `partials`.
struct grid_storage {
  post* posts;       ///< 16 bytes for every 12 of a block's state, up to 96
  void* partials;    ///< one state per block, for larger states
  unsigned* ticket;  ///< number of blocks that have stored their partial state

  /// A word behind the ticket: zero, unless a kernel has found a wrong segment.
  WARPFOLD_HD unsigned long long* wrong() const {
    return reinterpret_cast<unsigned long long*>(ticket) + 1;
  }
  /// The number of groups that the next launch folds again, zero between calls, and their places
  /// behind the partial states: collective/marked_groups.hpp.
  WARPFOLD_HD unsigned* marked() const { return ticket + 4; }
  WARPFOLD_HD void* marked_places() const {
    return static_cast<unsigned char*>(partials) + partial_bytes;
  }
};

}  // namespace warpfold::collective
