/// @file
/// What the L2 cache should do with data that a launch reads once.
#pragma once

#include <cstddef>

#include <warpfold/runtime/device_info.hpp>
#include <warpfold/view/chunk.hpp>

namespace warpfold::kernel {

/// For `bytes` of data: about a third of the L2 cache is for them, and what exceeds it streams past. Read again
/// and again, data of a little more than the cache pushes itself out if it is all kept (48 MB on an H100, 50 MB
/// of L2, in a graph: 19.1 us, with half of it streaming 11.3, CUB 20.3), and from a cache full of others'
/// modified lines streaming is faster, since it does not wait for them to be written back (32 MB, cold: 20.1 us,
/// half streaming 19.3, all 18.3, but then 13.6 in a graph instead of 8.3). From five times the cache on that is
/// lost in the whole, and loads that keep are the faster (4.3 GB: 1385 us, 1408).
inline caching cache_choice(std::size_t bytes, const runtime::device_info& gpu) {
  const std::size_t l2 = gpu.l2_bytes;
  if (bytes < l2 / 5 * 2 || bytes >= 5 * l2) return caching::keep;
  if (bytes < l2 / 20 * 11) return caching::stream_quarter;
  if (bytes < l2 / 10 * 9) return caching::stream_half;
  if (bytes < 2 * l2) return caching::stream_three_quarters;
  return caching::stream;
}

}  // namespace warpfold::kernel
