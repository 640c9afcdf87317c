/// @file
/// needs: cuda
/// Waits for a result that a kernel writes to pinned host memory.
#pragma once

#include <warpfold/runtime/launch.hpp>

namespace warpfold::runtime {

/// Returns when `*flag` is `signal`, which the kernel's last thread writes after its result.
///
/// The calling thread spins, regardless of cudaSetDeviceFlags: it sees the flag a few microseconds
/// before cudaStreamSynchronize returns. Every 4096 reads it also queries the stream, so that a
/// failed kernel throws instead of hanging.
/// @param flag in pinned host memory
/// @param signal the value to wait for
/// @param stream the stream of the launch
/// @param what the launch, for the message
/// @throws cuda_error if this or earlier work on the stream failed
inline void wait_for_flag(const unsigned* flag, unsigned signal, cudaStream_t stream,
                          const launched& what) {
  const auto done = [&] { return __atomic_load_n(flag, __ATOMIC_ACQUIRE) == signal; };
  constexpr int looks = 4096;
  for (;;) {
    for (int i = 0; i < looks; ++i) {
      if (done()) return;
    }
    const cudaError_t status = cudaStreamQuery(stream);
    if (status == cudaErrorNotReady) continue;
    if (status == cudaSuccess && done()) return;
    throw_cuda_error(status == cudaSuccess ? cudaErrorUnknown : status, "waiting for the stream",
                     message("the kernel was ", what.text()));
  }
}

}  // namespace warpfold::runtime
