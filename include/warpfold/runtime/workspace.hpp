/// @file
/// needs: cuda
/// The memory that a launch needs besides its input: partial states and a ticket on the GPU, and
/// pinned host memory for the result and a flag. It is made once and reused, so a call needs no
/// allocation, no memset and no second copy.
#pragma once

#include <cstddef>
#include <utility>

#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/collective/result_sink.hpp>
#include <warpfold/runtime/capture.hpp>

namespace warpfold {

/// Scratch for one reduction at a time, on the device that is current when it is made.
///
/// Pass it to a policy, `wf::device.with(my_workspace)`, to separate a stream's scratch from the
/// library's, or to guarantee that a call does not allocate. The library's choice of kernel for
/// `reduce` never allocates then. Calls with more than 64 KB of partial states (two_pass,
/// thread_unrolled, Harris's ladder, `reduce_axis`, `reduce_by_key`, `reduce_by_class`), and a rank
/// of `across`, allocate if they are the largest so far.
///
/// As with CUB's temporary storage, two reductions that use one workspace must not overlap, and two
/// threads must not enqueue with it at once. Keep it to one stream, or order the streams.
class workspace {
 public:
  /// The bytes of pinned memory for a result that is returned.
  static constexpr std::size_t result_bytes = 4096;
  /// The largest accumulator that kernels fold in a block's shared memory. Those of
  /// kernel/thread_tables.hpp are larger.
  static constexpr std::size_t accumulator_bytes = 1024;

  /// Allocates the scratch and waits until it is zeroed, on its own stream.
  /// @throws no_device,out_of_memory,cuda_error if there is no GPU or no memory, or a CUDA call
  ///     fails
  workspace() : workspace(unallocated{}) {  // from here on the destructor frees what there is
    const runtime::relaxed_capture relaxed;
    void* p = nullptr;
    runtime::check(cudaMalloc(&p, device_bytes), "cudaMalloc",
                   [] { return "for a reduction's workspace"; });
    grid_ = grid_at(p);
    runtime::check(
        cudaHostAlloc(&p, result_bytes + flag_bytes, cudaHostAllocMapped | cudaHostAllocPortable),
        "cudaHostAlloc", [] { return "for a reduction's result"; });
    host_ = static_cast<unsigned char*>(p);
    *flag() = 0;

    // Its own stream: the default stream would synchronize with the caller's.
    cudaStream_t stream = nullptr;
    runtime::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                   "cudaStreamCreateWithFlags");
    const cudaError_t zeroed = cudaMemsetAsync(grid_.posts, 0, zeroed_bytes, stream);
    const cudaError_t waited = cudaStreamSynchronize(stream);
    (void)cudaStreamDestroy(stream);
    runtime::check(zeroed, "cudaMemsetAsync");
    runtime::check(waited, "cudaStreamSynchronize");
  }
  ~workspace() { release(); }

  workspace(workspace&& other) noexcept
      : grid_(std::exchange(other.grid_, {})),
        host_(std::exchange(other.host_, nullptr)),
        more_(std::exchange(other.more_, nullptr)),
        results_(std::exchange(other.results_, nullptr)),
        results_bytes_(std::exchange(other.results_bytes_, 0)),
        signal_(other.signal_) {}
  workspace& operator=(workspace&& other) noexcept {
    std::swap(grid_, other.grid_);
    std::swap(host_, other.host_);
    std::swap(more_, other.more_);
    std::swap(results_, other.results_);
    std::swap(results_bytes_, other.results_bytes_);
    std::swap(signal_, other.signal_);
    return *this;
  }
  workspace(const workspace&) = delete;  // a launch in flight points into it
  workspace& operator=(const workspace&) = delete;

  /// The layout of the scratch in `device_bytes` of device memory at `base`. The first
  /// `zeroed_bytes` are zero between launches.
  static collective::grid_storage grid_at(void* base) {
    auto* const bytes = static_cast<unsigned char*>(base);
    return {reinterpret_cast<collective::post*>(bytes), bytes + zeroed_bytes,
            reinterpret_cast<unsigned*>(bytes + collective::post_bytes)};
  }
  static constexpr std::size_t zeroed_bytes = collective::post_bytes + collective::ticket_bytes;
  static constexpr std::size_t device_bytes =
      zeroed_bytes + collective::partial_bytes + collective::marked_bytes;

  const collective::grid_storage& grid() const { return grid_; }
  /// Returns device memory for the partial states of a kernel with more than
  /// `collective::partial_bytes` of them. The first call that needs so much allocates it.
  /// @throws out_of_memory if there is no memory
  void* partials(std::size_t bytes) {
    if (bytes <= collective::partial_bytes) return grid_.partials;
    if (more_ == nullptr || more_->bytes < bytes) {
      // Powers of two: the smaller blocks, which may still be in use, are together smaller than the
      // current one.
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

  /// The result: pinned host memory that the GPU writes directly.
  void* result() const { return host_; }
  /// The same for several results. The first call that needs so much allocates it.
  /// @throws out_of_memory if there is no memory
  void* results(std::size_t bytes) {
    if (bytes <= result_bytes) return host_;
    if (results_bytes_ < bytes) {
      std::size_t rounded = 4 * result_bytes;
      while (rounded < bytes) rounded *= 2;
      bytes = rounded;
      const runtime::relaxed_capture relaxed;
      (void)cudaFreeHost(std::exchange(results_, nullptr));
      results_bytes_ = 0;
      runtime::check(cudaHostAlloc(&results_, bytes, cudaHostAllocMapped | cudaHostAllocPortable),
                     "cudaHostAlloc", [&] { return message(bytes, " bytes for results"); });
      results_bytes_ = bytes;
    }
    return results_;
  }
  unsigned* flag() const { return reinterpret_cast<unsigned*>(host_ + result_bytes); }

  /// Pinned host memory, `report_bytes` of it, for what a kernel reports beside its result.
  void* report() const { return host_ + result_bytes + 16; }
  static constexpr std::size_t report_bytes = 48;

  /// The sink of the next launch that the host waits for: the result, and a new value of the flag.
  template <class Out>
  collective::result_sink<Out> next_sink() {
    return {reinterpret_cast<Out*>(host_), reinterpret_cast<unsigned*>(host_ + result_bytes),
            ++signal_};
  }

 private:
  static constexpr std::size_t flag_bytes = 16 + report_bytes;

  struct unallocated {};
  explicit workspace(unallocated) noexcept {}

  // Memory for many partial states, the largest first. The smaller blocks may still be in use.
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
    (void)cudaFree(grid_.posts);
    (void)cudaFreeHost(host_);
    (void)cudaFreeHost(results_);
  }

  collective::grid_storage grid_{};
  unsigned char* host_ = nullptr;
  larger_partials* more_ = nullptr;
  void* results_ = nullptr;
  std::size_t results_bytes_ = 0;
  unsigned signal_ = 0;
};

}  // namespace warpfold
