/// @file
/// needs: cuda
/// The memory a launch needs besides its input: partial states and a ticket on the GPU, and a place in
/// pinned host memory where the result and a flag land. Made once, used again: no allocation, no
/// memset and no second copy on the way of a call.
#pragma once

#include <cstddef>
#include <utility>

#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/runtime/capture.hpp>

namespace warpfold {

/// Scratch for one reduction at a time, on the device that was current when it was made.
///
/// Give it to a policy, `wf::device.with(my_workspace)`, to keep a stream's scratch apart from the
/// library's own, or to be sure that a call allocates nothing: with the library's choice of kernel none does;
/// one that leaves more than 64 KB of partial states (two_pass, thread_unrolled, Harris's ladder, and `reduce_axis`) allocates on
/// its largest call so far. As with CUB's temporary storage, two reductions that use one workspace must not
/// overlap, nor may two threads enqueue with it at once: keep it to one stream, or order the streams.
class workspace {
 public:
  /// The largest result, and the largest state a thread may keep.
  static constexpr std::size_t result_bytes = 1024;

  /// Allocates the scratch and waits until it is zeroed, on a stream of its own.
  /// @throws no_device, out_of_memory, cuda_error
  workspace() {
    const runtime::relaxed_capture relaxed;
    try {
      void* p = nullptr;
      runtime::check(cudaMalloc(&p, device_bytes), "cudaMalloc",
                     [] { return "for a reduction's workspace"; });
      device_ = static_cast<unsigned char*>(p);
      runtime::check(
          cudaHostAlloc(&p, result_bytes + flag_bytes, cudaHostAllocMapped | cudaHostAllocPortable),
          "cudaHostAlloc", [] { return "for a reduction's result"; });
      host_ = static_cast<unsigned char*>(p);
      *flag() = 0;

      // A stream of its own: the default stream would wait for, and be waited for by, the caller's.
      cudaStream_t stream = nullptr;
      runtime::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                     "cudaStreamCreateWithFlags");
      const cudaError_t zeroed = cudaMemsetAsync(device_, 0, zeroed_bytes, stream);
      const cudaError_t waited = cudaStreamSynchronize(stream);
      (void)cudaStreamDestroy(stream);
      runtime::check(zeroed, "cudaMemsetAsync");
      runtime::check(waited, "cudaStreamSynchronize");
    } catch (...) {
      release();
      throw;
    }
  }
  ~workspace() { release(); }

  workspace(workspace&& other) noexcept
      : device_(std::exchange(other.device_, nullptr)),
        host_(std::exchange(other.host_, nullptr)),
        more_(std::exchange(other.more_, nullptr)),
        signal_(other.signal_) {}
  workspace& operator=(workspace&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(host_, other.host_);
    std::swap(more_, other.more_);
    std::swap(signal_, other.signal_);
    return *this;
  }
  workspace(const workspace&) = delete;             // a launch in flight points into it
  workspace& operator=(const workspace&) = delete;  // likewise

  /// How the scratch lies in `device_bytes` of device memory from `base` on. The first `zeroed_bytes`
  /// are zero between launches.
  static collective::grid_storage grid_at(void* base) {
    auto* const bytes = static_cast<unsigned char*>(base);
    return {reinterpret_cast<collective::post*>(bytes), bytes + zeroed_bytes,
            reinterpret_cast<unsigned*>(bytes + collective::post_bytes)};
  }
  static constexpr std::size_t zeroed_bytes = collective::post_bytes + 256;
  static constexpr std::size_t device_bytes = zeroed_bytes + collective::partial_bytes;

  collective::grid_storage grid() const { return grid_at(device_); }
  /// Device memory for the partial states of a kernel that leaves more than `collective::partial_bytes` of
  /// them; allocated by the first call that needs so much.
  /// @throws out_of_memory
  void* partials(std::size_t bytes) {
    if (bytes <= collective::partial_bytes) return grid().partials;
    if (more_ == nullptr || more_->bytes < bytes) {
      // Powers of two: what was outgrown, and may still be in use, is less than what is used now.
      std::size_t rounded = 2 * collective::partial_bytes;
      while (rounded < bytes) rounded *= 2;
      bytes = rounded;
      const runtime::relaxed_capture relaxed;
      void* p = nullptr;
      runtime::check(cudaMalloc(&p, bytes), "cudaMalloc",
                     [&] { return message(bytes, " bytes for partial states"); });
      more_ = new larger_partials{p, bytes, more_};
    }
    return more_->data;
  }

  /// Where the result lands: pinned host memory that the GPU writes directly.
  void* result() const { return host_; }
  unsigned* flag() const { return reinterpret_cast<unsigned*>(host_ + result_bytes); }

  /// The signal by which the next launch says that it is done.
  unsigned next_signal() { return ++signal_; }

 private:
  static constexpr std::size_t flag_bytes = 64;

  // What was allocated for many partials, the largest first. The smaller ones may still be in use.
  struct larger_partials {
    void* data;
    std::size_t bytes;
    larger_partials* next;
  };

  void release() noexcept {
    const runtime::relaxed_capture relaxed;
    while (more_ != nullptr) {
      larger_partials* const next = more_->next;
      (void)cudaFree(more_->data);
      delete more_;
      more_ = next;
    }
    (void)cudaFree(device_);
    (void)cudaFreeHost(host_);
  }

  unsigned char* device_ = nullptr;
  unsigned char* host_ = nullptr;
  larger_partials* more_ = nullptr;
  unsigned signal_ = 0;
};

}  // namespace warpfold
