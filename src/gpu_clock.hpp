/// @file
/// Calls timed on the GPU, from a flushed cache or one after the other.
#pragma once

#include <warpfold/runtime/buffer.hpp>
#include <warpfold/runtime/cuda_check.hpp>

namespace warpfold::program {

/// A stream, and what times it takes on it.
class gpu_clock {
 public:
  /// More than any L2 cache holds.
  static constexpr std::size_t flush_bytes = std::size_t{256} << 20;

  gpu_clock() {
    runtime::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
                   "cudaStreamCreateWithFlags");
    runtime::check(cudaEventCreate(&start_), "cudaEventCreate");
    runtime::check(cudaEventCreate(&stop_), "cudaEventCreate");
  }
  ~gpu_clock() {
    (void)cudaEventDestroy(stop_);
    (void)cudaEventDestroy(start_);
    (void)cudaStreamDestroy(stream_);
  }
  gpu_clock(const gpu_clock&) = delete;             // it owns a stream
  gpu_clock& operator=(const gpu_clock&) = delete;  // likewise

  cudaStream_t stream() const { return stream_; }

  /// Enqueues the writing of 256 MB: what was in the cache is no longer.
  void flush() {
    runtime::check(cudaMemsetAsync(flush_.data(), 1, flush_.size(), stream_), "cudaMemsetAsync");
  }

  /// Seconds of what `call` enqueues on the stream. Waits.
  template <class Call>
  double seconds(const Call& call) {
    runtime::check(cudaEventRecord(start_, stream_), "cudaEventRecord");
    call();
    runtime::check(cudaEventRecord(stop_, stream_), "cudaEventRecord");
    runtime::check(cudaEventSynchronize(stop_), "cudaEventSynchronize");
    float milliseconds = 0;
    runtime::check(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

 private:
  device_buffer<unsigned char> flush_{flush_bytes};
  cudaStream_t stream_{};
  cudaEvent_t start_{}, stop_{};
};

}  // namespace warpfold::program
