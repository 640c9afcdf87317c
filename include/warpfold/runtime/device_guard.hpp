/// @file
/// needs: cccl
/// Makes another GPU the current one for a while.
#pragma once

#include <warpfold/runtime/cuda_check.hpp>
#include <warpfold/runtime/current_device.hpp>

namespace warpfold::runtime {

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
