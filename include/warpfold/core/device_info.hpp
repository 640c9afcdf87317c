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
};

}  // namespace warpfold
