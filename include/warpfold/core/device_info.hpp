/// @file
/// The properties of a GPU that the library uses.
#pragma once

#include <cstddef>

namespace warpfold {

/// Properties of one GPU.
struct device_info {
  int id = 0;
  int multiprocessors = 0;
  int compute_capability = 0;  ///< major * 10 + minor
  int threads_per_multiprocessor = 0;
  std::size_t l2_bytes = 0;
  std::size_t shared_bytes_per_block = 0;  ///< maximum, static and dynamic
  double peak_bandwidth = 0;               ///< bytes per second, from the memory's clock and width
  bool reads_pageable_memory = false;  ///< through the host's own page tables (Grace and similar)

  /// The number of blocks of `block` threads that a multiprocessor's threads suffice for; at least
  /// 1.
  constexpr unsigned blocks_of_threads(int block) const {
    const int fit = threads_per_multiprocessor / block;
    return fit < 1 ? 1u : static_cast<unsigned>(fit);
  }
};

}  // namespace warpfold
