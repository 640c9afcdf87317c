/// @file
/// Two GPUs of one process, for tests; with one GPU, that GPU twice.
#pragma once

#include <doctest/doctest.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdlib>

#include <warpfold/policy/devices.hpp>
#include <warpfold/runtime/current_device.hpp>

namespace test {

inline void check_cuda(cudaError_t e) { REQUIRE(e == cudaSuccess); }

inline int second_gpu() {
  int count = 0;
  check_cuda(cudaGetDeviceCount(&count));
  return count > 1 ? 1 : 0;
}

// Before the first call of CUDA. If both ranks are one GPU, a launch must not wait for the kernel
// of the other rank, which waits for it: neither to load its kernel nor to enlarge the stacks.
inline const bool loads_kernels_at_once = setenv("CUDA_MODULE_LOADING", "EAGER", 0) == 0;

/// Two ranks, each with a stream.
struct two_gpus {
  int id[2] = {0, second_gpu()};
  cudaStream_t stream[2];

  two_gpus() {
    if (id[0] == id[1]) check_cuda(cudaDeviceSetLimit(cudaLimitStackSize, std::size_t{16} << 10));
    for (int i = 0; i < 2; ++i) {
      const warpfold::runtime::device_guard on(id[i]);
      check_cuda(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
    }
  }
  ~two_gpus() {
    for (int i = 0; i < 2; ++i) {
      const warpfold::runtime::device_guard on(id[i]);
      (void)cudaStreamDestroy(stream[i]);
    }
  }
  warpfold::devices gpus() const {
    return warpfold::devices{id[0], id[1]}.on(stream[0], stream[1]);
  }
  void wait() const {
    for (int i = 0; i < 2; ++i) {
      const warpfold::runtime::device_guard on(id[i]);
      check_cuda(cudaStreamSynchronize(stream[i]));
    }
  }
};

}  // namespace test
