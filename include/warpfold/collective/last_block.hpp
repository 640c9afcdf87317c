/// @file
/// Finds the block that is done last, of all blocks that work on one result.
///
/// Source: the threadFenceReduction sample of the CUDA toolkit, with a counter for each result.
#pragma once

#include <cstddef>

#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/collective/shared_array.hpp>

namespace warpfold::collective {

/// The maximum number of results of a launch that several blocks share.
inline constexpr std::size_t max_shared_results = 8192;
static_assert(max_shared_results * sizeof(unsigned) <= post_bytes);

/// The shared memory of `is_last_block`, in addition to the dynamic shared memory of the launch.
inline constexpr std::size_t last_block_bytes = 16;

/// Returns true in all threads of the block that calls it last, of the `blocks` blocks with the
/// same `result`; these are called with the same `blocks`. It sees what the others wrote before.
/// All threads of the block call it; two barriers. The counters are zero again after the last call.
WARPFOLD_DEVICE inline bool is_last_block(const grid_storage& grid, std::size_t result,
                                          unsigned blocks) {
  WARPFOLD_SHARED shared_array<bool, 1> is_last;
  static_assert(sizeof(is_last) == last_block_bytes);
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned* const counter = reinterpret_cast<unsigned*>(grid.posts) + result;
    is_last.store(0, draw_ticket(counter, blocks - 1) == blocks - 1);
  }
  __syncthreads();
  return is_last.load(0);
}

}  // namespace warpfold::collective
