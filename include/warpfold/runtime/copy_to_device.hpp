/// @file
/// Copies from the host that are complete when the function returns.
#pragma once

#include <cstddef>

#include <warpfold/runtime/cuda_check.hpp>

namespace warpfold::runtime {

/// Copies `bytes` bytes of the host to the GPU, on the default stream, and waits until they are
/// there.
///
/// `cudaMemcpy` alone returns as soon as pageable memory is staged: a kernel on a stream that does
/// not wait for the default stream would then read what was there before.
///
/// @throws cuda_error if the copy fails
inline void copy_to_device(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
}

}  // namespace warpfold::runtime
