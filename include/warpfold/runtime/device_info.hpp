/// @file
/// needs: cuda
/// What the library must know of a GPU, asked once.
#pragma once

#include <cstddef>

#include <warpfold/runtime/cuda_check.hpp>

namespace warpfold::runtime {

/// The most GPUs of one process.
inline constexpr int max_devices = 64;

/// Properties of one GPU.
struct device_info {
  int id = 0;
  int multiprocessors = 0;
  int compute_capability = 0;  ///< major * 10 + minor
  int threads_per_multiprocessor = 0;
  std::size_t l2_bytes = 0;
  double peak_bandwidth = 0;           ///< bytes a second, by the memory's clock and width
  bool reads_pageable_memory = false;  ///< through the host's own page tables (Grace and its like)
};

/// The current device's number.
/// @throws no_device
inline int current_device() {
  int id = 0;
  check(cudaGetDevice(&id), "cudaGetDevice");
  return id;
}

namespace detail {

struct all_devices {
  device_info info[max_devices];

  all_devices() {
    int count = 0;
    check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    for (int id = 0; id < count && id < max_devices; ++id) {
      const auto attribute = [id](cudaDeviceAttr a) {
        int value = 0;
        check(cudaDeviceGetAttribute(&value, a, id), "cudaDeviceGetAttribute");
        return value;
      };
      device_info& d = info[id];
      d.id = id;
      d.multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
      d.compute_capability = attribute(cudaDevAttrComputeCapabilityMajor) * 10 +
                             attribute(cudaDevAttrComputeCapabilityMinor);
      d.threads_per_multiprocessor = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
      d.l2_bytes = static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize));
      d.peak_bandwidth = 2e3 * attribute(cudaDevAttrMemoryClockRate) *
                         attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
      d.reads_pageable_memory = attribute(cudaDevAttrPageableMemoryAccessUsesHostPageTables) != 0;
    }
  }
};

}  // namespace detail

/// The current device. All devices are asked about once, without starting any; later calls cost one
/// cudaGetDevice.
/// @throws no_device
inline const device_info& current_device_info() {
  static const detail::all_devices known;
  return known.info[current_device()];
}

}  // namespace warpfold::runtime
