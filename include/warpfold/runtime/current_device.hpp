/// @file
/// needs: cccl
/// The current GPU: its properties, queried once, and a change for a while.
#pragma once

#include <warpfold/core/device_info.hpp>
#include <warpfold/runtime/cuda_check.hpp>

namespace warpfold::runtime {

/// The maximum number of GPUs of one process.
inline constexpr int max_devices = 64;

/// The number of the current device.
/// @throws no_device if there is none
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
      d.shared_bytes_per_block =
          static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
      d.peak_bandwidth = 2e3 * attribute(cudaDevAttrMemoryClockRate) *
                         attribute(cudaDevAttrGlobalMemoryBusWidth) / 8;
      d.reads_pageable_memory = attribute(cudaDevAttrPageableMemoryAccessUsesHostPageTables) != 0;
    }
  }
};

}  // namespace detail

/// The properties of the current device. The first call queries all devices without starting one;
/// later calls cost one cudaGetDevice.
/// @throws no_device if there is none
inline const device_info& current_device_info() {
  static const detail::all_devices known;
  return known.info[current_device()];
}

/// The current device is `id` while this object lives, and then the one before.
class device_guard {
 public:
  /// @throws no_device,cuda_error if there is no such GPU
  explicit device_guard(int id) : before_(current_device()) {
    if (id != before_)
      check(cudaSetDevice(id), "cudaSetDevice", [&] { return message("GPU ", id); });
  }
  ~device_guard() { (void)cudaSetDevice(before_); }
  device_guard(const device_guard&) = delete;  // it restores the device once
  device_guard& operator=(const device_guard&) = delete;

 private:
  int before_;
};

}  // namespace warpfold::runtime
