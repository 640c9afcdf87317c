/// @file
/// Writes to memory of the GPU that are complete when the function returns.
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

namespace detail {

// Calls `enqueue(stream)` and waits. On a stream of its own: the default stream would synchronize
// with the caller's.
template <class Enqueue>
void on_own_stream(const char* what, const Enqueue& enqueue) {
  cudaStream_t stream = nullptr;
  cudaError_t status = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  if (status == cudaSuccess) {
    status = enqueue(stream);
    const cudaError_t waited = cudaStreamSynchronize(stream);
    if (status == cudaSuccess) status = waited;
    (void)cudaStreamDestroy(stream);
  }
  check(status, what);
}

}  // namespace detail

/// Sets memory of the current GPU to zero, and waits.
/// @throws cuda_error if a CUDA call fails
inline void set_to_zero(void* p, std::size_t bytes) {
  detail::on_own_stream("setting memory to zero",
                        [&](cudaStream_t s) { return cudaMemsetAsync(p, 0, bytes, s); });
}

/// Copies `rows` of `width` bytes to the current GPU, and waits. They follow one another on the
/// host, and begin `pitch` bytes apart on the GPU.
///
/// @throws cuda_error if a CUDA call fails
inline void copy_to_device(void* to, std::size_t pitch, const void* from, std::size_t width,
                           std::size_t rows) {
  detail::on_own_stream("copying to the GPU", [&](cudaStream_t s) {
    return cudaMemcpy2DAsync(to, pitch, from, width, width, rows, cudaMemcpyHostToDevice, s);
  });
}

}  // namespace warpfold::runtime
