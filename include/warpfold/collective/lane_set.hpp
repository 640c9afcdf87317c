/// @file
/// Sets of the lanes of a warp, as votes return them: bit `k` is lane `k`.
#pragma once

#include <warpfold/emulation/execution_model.hpp>

namespace warpfold::collective {

WARPFOLD_DEVICE inline unsigned lane_count(unsigned lanes) {
#if defined(__CUDA_ARCH__)
  return static_cast<unsigned>(__popc(lanes));
#else
  return static_cast<unsigned>(__builtin_popcount(lanes));
#endif
}

/// The highest lane of a set that is not empty.
WARPFOLD_DEVICE inline unsigned highest_lane(unsigned lanes) {
#if defined(__CUDA_ARCH__)
  return 31 - static_cast<unsigned>(__clz(static_cast<int>(lanes)));
#else
  return 31 - static_cast<unsigned>(__builtin_clz(lanes));
#endif
}

/// The lowest lane of a set that is not empty.
WARPFOLD_DEVICE inline unsigned lowest_lane(unsigned lanes) {
#if defined(__CUDA_ARCH__)
  return static_cast<unsigned>(__ffs(static_cast<int>(lanes))) - 1;
#else
  return static_cast<unsigned>(__builtin_ctz(lanes));
#endif
}

WARPFOLD_DEVICE inline unsigned lanes_below(unsigned lane) { return (1u << lane) - 1; }

}  // namespace warpfold::collective
