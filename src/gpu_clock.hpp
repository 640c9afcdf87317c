/// @file
/// Times calls on the GPU, with a cold cache or back-to-back.
#pragma once

#include <warpfold/runtime/buffer.hpp>
#include <warpfold/runtime/cuda_check.hpp>

namespace warpfold::program {

/// A stream, and the events that time its work.
class gpu_clock {
 public:
  /// More than the L2 cache of any GPU.
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

  /// Enqueues a write of 256 MB, which evicts all other data from the L2 cache.
  void flush() {
    runtime::check(cudaMemsetAsync(flush_.data(), 1, flush_.size(), stream_), "cudaMemsetAsync");
  }

  /// The seconds that the GPU takes for the work that `call` enqueues. Waits for it.
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
