/// @file
/// What the L2 cache should do with data that a launch reads once.
#pragma once

#include <cstddef>

#include <warpfold/runtime/device_info.hpp>
#include <warpfold/view/chunk.hpp>

namespace warpfold::kernel {

/// For `bytes` of data: about a third of the L2 cache is for them, and what exceeds it streams past. The more
/// streams, the less is found again in the next call: of data that fit, and from a cache that is full of others'
/// lines, which streaming never pushes out (32 MB on an H100, 50 MB of L2, in a graph: half of it streaming
/// 8.4 us, all 13.7, CUB 8.9). The less streams, the more waits in a cold call for others' modified lines to be
/// written back (the same 32 MB: half 19.4, all 18.0, CUB 22.9). What exceeds the cache pushes itself out if it
/// is all kept, and is then the slower both ways (64 MB: 34.1 and in a graph 24.3; three quarters streaming 31.4
/// and 19.2; seven eighths 30.8 and 21.8; all 29.6 and 24.3; CUB 37.1 and 26.2). From five times the cache on that
/// is lost in the whole, and loads that keep are the faster (4.3 GB: 1385 us, 1408).
inline caching cache_choice(std::size_t bytes, const runtime::device_info& gpu) {
  const std::size_t l2 = gpu.l2_bytes;
  if (bytes < l2 / 5 * 2 || bytes >= 5 * l2) return caching::keep;
  if (bytes < l2 / 20 * 11) return caching::stream_quarter;
  if (bytes < l2 / 10 * 9) return caching::stream_half;
  if (bytes < l2 / 5 * 6) return caching::stream_three_quarters;
  if (bytes < l2 / 5 * 9) return caching::stream_seven_eighths;
  return caching::stream;
}

}  // namespace warpfold::kernel
