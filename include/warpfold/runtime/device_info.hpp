/// @file
/// needs: cuda
/// What the library must know of a GPU, asked once.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>

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
  bool reads_pageable_memory = false;  ///< through the host's own page tables (Grace and its like)
};

/// The current device's number.
/// @throws no_device
inline int current_device() {
  int id = 0;
  check(cudaGetDevice(&id), "cudaGetDevice");
  return id;
}

/// The current device. Asked of the driver once a device; later calls cost one cudaGetDevice.
/// @throws no_device
inline const device_info& current_device_info() {
  struct entry {
    std::once_flag once;
    device_info info;
  };
  static std::array<entry, max_devices> known;
  const int id = current_device();
  entry& e = known.at(static_cast<std::size_t>(id));
  std::call_once(e.once, [&] {
    const auto attribute = [id](cudaDeviceAttr a) {
      int value = 0;
      check(cudaDeviceGetAttribute(&value, a, id), "cudaDeviceGetAttribute");
      return value;
    };
    e.info.multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
    e.info.compute_capability = attribute(cudaDevAttrComputeCapabilityMajor) * 10 +
                                attribute(cudaDevAttrComputeCapabilityMinor);
    e.info.threads_per_multiprocessor = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
    e.info.l2_bytes = static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize));
    e.info.reads_pageable_memory =
        attribute(cudaDevAttrPageableMemoryAccessUsesHostPageTables) != 0;
    e.info.id = id;
  });
  return e.info;
}

}  // namespace warpfold::runtime
