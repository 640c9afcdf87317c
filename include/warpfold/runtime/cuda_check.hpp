/// @file
/// needs: cccl
/// Converts CUDA status codes to exceptions.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20

#include <cuda_runtime_api.h>

#include <warpfold/core/error.hpp>

namespace warpfold::runtime {

/// Throws the error for `status`.
/// @param status not cudaSuccess
/// @param call the name of the CUDA call
/// @param where the purpose of the call: the kernel and its shape, or the bytes to allocate
[[noreturn]] inline void throw_cuda_error(cudaError_t status, const char* call,
                                          const message& where = message()) {
  // Clears errors of one call, so that the next call does not report them again. An error that
  // broke the context stays, and every later call reports it.
  (void)cudaGetLastError();
  message what("warpfold: ", call, " failed: ", cudaGetErrorName(status), " (",
               cudaGetErrorString(status), ")");
  if (*where.c_str() != '\0') what << "; " << where;
  switch (status) {
    case cudaErrorMemoryAllocation:
      throw_error<out_of_memory>(what
                                 << ". Free device memory, or pass memory with policy.with(...)");
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorSystemNotReady:
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
    case cudaErrorStubLibrary: {
      int driver = 0, library = 0;
      (void)cudaDriverGetVersion(&driver);
      (void)cudaRuntimeGetVersion(&library);
      what << ". Looked for an NVIDIA GPU with a driver for CUDA " << library / 1000 << "."
           << library % 1000 / 10 << " or later; the driver ";
      if (driver == 0) {
        what << "was not found";
      } else {
        what << "supports CUDA " << driver / 1000 << "." << driver % 1000 / 10;
      }
      throw_error<no_device>(
          what << ". Use wf::par or wf::seq on this machine, or install a driver");
    }
    case cudaErrorNoKernelImageForDevice:
      throw_error<no_device>(
          what << ". This program contains no code for the current GPU; compile it with "
                  "-arch=native or add the GPU's compute capability to CMAKE_CUDA_ARCHITECTURES");
    default:
      throw_error<cuda_error>(static_cast<int>(status), what);
  }
}

/// Returns on success, otherwise throws.
inline void check(cudaError_t status, const char* call) {
  if (status != cudaSuccess) throw_cuda_error(status, call);
}
template <class Where>
void check(cudaError_t status, const char* call, const Where& where) {
  if (status != cudaSuccess) throw_cuda_error(status, call, message(where()));
}

}  // namespace warpfold::runtime
