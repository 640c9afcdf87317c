/// @file
/// needs: cuda
/// Waits for the GPU: for a result that a kernel writes to pinned host memory, or for a stream.
#pragma once

#include <warpfold/runtime/capture.hpp>
#include <warpfold/runtime/launch.hpp>

namespace warpfold::runtime {

/// What the calling thread does while it waits for the GPU.
enum class waiting {
  spins,  ///< polls the flag; a wait for a stream does as cudaSetDeviceFlags says
  sleeps  ///< sleeps, whatever cudaSetDeviceFlags says
};

/// Waits until all earlier work on `stream` has ended. The calling thread sleeps.
/// @return cudaSuccess, or the error of a call or of this or earlier work on the stream
inline cudaError_t sleep_until_done(cudaStream_t stream) {
  const relaxed_capture relaxed;
  cudaEvent_t done = nullptr;
  cudaError_t status =
      cudaEventCreateWithFlags(&done, cudaEventBlockingSync | cudaEventDisableTiming);
  if (status != cudaSuccess) return status;
  status = cudaEventRecord(done, stream);
  if (status == cudaSuccess) status = cudaEventSynchronize(done);
  (void)cudaEventDestroy(done);
  return status;
}

/// Returns when `*flag` is `signal`, which the kernel's last thread writes after its result.
///
/// A spinning thread sees the flag a few microseconds before cudaStreamSynchronize returns, and
/// spins regardless of cudaSetDeviceFlags. Every 4096 reads it also queries the stream, so that a
/// failed kernel throws instead of hanging.
/// @param flag in pinned host memory
/// @param signal the value to wait for
/// @param stream the stream of the launch
/// @param what the launch, for the message
/// @param how what the calling thread does
/// @throws out_of_memory,cuda_error if this or earlier work on the stream failed, or a CUDA call
inline void wait_for_flag(const unsigned* flag, unsigned signal, cudaStream_t stream,
                          const launched& what, waiting how = waiting::spins) {
  const auto done = [&] { return __atomic_load_n(flag, __ATOMIC_ACQUIRE) == signal; };
  constexpr int looks = 4096;
  for (;;) {
    for (int i = 0; i < (how == waiting::spins ? looks : 1); ++i) {
      if (done()) return;
    }
    const relaxed_capture relaxed;  // another thread may be capturing
    const cudaError_t status =
        how == waiting::spins ? cudaStreamQuery(stream) : sleep_until_done(stream);
    if (status == cudaErrorNotReady) continue;
    if (status == cudaSuccess && done()) return;
    throw_cuda_error(status == cudaSuccess ? cudaErrorUnknown : status, "waiting for the stream",
                     message("the kernel was ", what.text()));
  }
}

/// Returns when all earlier work on `stream` has ended.
/// @param stream the stream
/// @param how what the calling thread does
/// @param where a function that returns the purpose, for the message
/// @throws out_of_memory,cuda_error if this or earlier work on the stream failed, or a CUDA call
template <class Where>
void wait_for_stream(cudaStream_t stream, waiting how, const Where& where) {
  const relaxed_capture relaxed;  // another thread may be capturing
  if (how == waiting::spins) {
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize", where);
  } else {
    check(sleep_until_done(stream), "waiting for the stream", where);
  }
}

}  // namespace warpfold::runtime
