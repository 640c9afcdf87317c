/// @file
/// needs: cuda
/// The memory a launch needs besides its input: partial states and a ticket on the GPU, and a place in
/// pinned host memory where the result and a flag land. Made once, used again: no allocation, no
/// memset and no second copy on the way of a call.
#pragma once

#include <cstddef>
#include <utility>

#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/runtime/cuda_check.hpp>
#include <warpfold/runtime/device_info.hpp>
#include <warpfold/runtime/resource.hpp>
#include <warpfold/runtime/spin_lock.hpp>

namespace warpfold {

/// Scratch for one reduction at a time, on the device that was current when it was made.
///
/// Give it to a policy, `wf::device.with(my_workspace)`, to keep a stream's scratch apart from the
/// library's own, or to be sure that a call allocates nothing. As with CUB's temporary storage, two
/// reductions that use one workspace must not overlap: keep it to one stream, or order the streams.
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
        signal_(other.signal_) {}
  workspace& operator=(workspace&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(host_, other.host_);
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
  /// `collective::partial_bytes` of device memory.
  void* partials() const { return grid().partials; }

  /// Where the result lands: pinned host memory that the GPU writes directly.
  void* result() const { return host_; }
  unsigned* flag() const { return reinterpret_cast<unsigned*>(host_ + result_bytes); }

  /// The signal by which the next launch says that it is done.
  unsigned next_signal() { return ++signal_; }

 private:
  static constexpr std::size_t flag_bytes = 64;

  void release() noexcept {
    (void)cudaFree(device_);
    (void)cudaFreeHost(host_);
  }

  unsigned char* device_ = nullptr;
  unsigned char* host_ = nullptr;
  unsigned signal_ = 0;
};

namespace runtime {

/// A workspace of the library's own, in one of its pool's lists.
struct pooled_workspace {
  workspace scratch;
  pooled_workspace* next = nullptr;
  unsigned long long stream_id = 0;
  int users = 0;  // calls that are about to enqueue work with it
};

/// The library's own workspaces on one device.
///
/// A call that waits borrows one and gives it back. A call that does not wait uses the one that
/// belongs to its stream: work on a stream is ordered, so that one workspace serves all of it. A
/// captured call gets one that belongs to the graph. All are kept for the life of the process, since
/// the driver may be gone before static objects are destroyed.
class workspace_pool {
 public:
  /// The current device's pool.
  static workspace_pool& current() {
    static workspace_pool* const pools = new workspace_pool[max_devices];
    return pools[current_device()];
  }

  /// A workspace that nobody else uses.
  pooled_workspace* borrow() {
    {
      const spin_guard guard(lock_);
      if (idle_ != nullptr) return pop(idle_);
    }
    return new pooled_workspace;
  }

  /// Gives a borrowed workspace back; no launch may still use it.
  void give_back(pooled_workspace* w) noexcept {
    const spin_guard guard(lock_);
    push(idle_, w);
  }

  /// A stream's workspace, which stays the stream's for as long as this lives.
  class of_stream {
   public:
    of_stream(workspace_pool& pool, cudaStream_t stream)
        : pool_(pool), workspace_(pool.find(stream)) {}
    ~of_stream() {
      const spin_guard guard(pool_.lock_);
      --workspace_->users;
    }
    of_stream(const of_stream&) = delete;             // it counts itself once
    of_stream& operator=(const of_stream&) = delete;  // likewise

    workspace& get() const { return workspace_->scratch; }

   private:
    workspace_pool& pool_;
    pooled_workspace* workspace_;
  };

  /// A workspace for a call captured into `graph`, kept until the graph and its instances are gone.
  workspace& of_graph(cudaGraph_t graph) {
    struct held {
      workspace_pool* pool;
      pooled_workspace* w;
    };
    auto* const h = new held{this, borrow()};
    const auto give_back = [](void* p) {
      auto* const done = static_cast<held*>(p);
      done->pool->give_back(done->w);
      delete done;
    };
    cudaUserObject_t object = nullptr;
    const cudaError_t made =
        cudaUserObjectCreate(&object, h, give_back, 1, cudaUserObjectNoDestructorSync);
    if (made != cudaSuccess) {
      give_back(h);
      check(made, "cudaUserObjectCreate");
    }
    const cudaError_t kept = cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
    if (kept != cudaSuccess) {
      (void)cudaUserObjectRelease(object, 1);
      check(kept, "cudaGraphRetainUserObject");
    }
    return h->w->scratch;
  }

 private:
  // A program that makes and drops streams would keep a workspace for each. Once in so many new
  // streams, all work is waited for and their workspaces start again.
  static constexpr int most_streams = 256;

  static void push(pooled_workspace*& list, pooled_workspace* w) {
    w->next = list;
    list = w;
  }
  static pooled_workspace* pop(pooled_workspace*& list) { return std::exchange(list, list->next); }

  // Finds a stream's workspace and counts a user of it.
  pooled_workspace* find(cudaStream_t stream) {
    unsigned long long id = 0;  // handles are reused after a stream is destroyed; ids are not
    check(cudaStreamGetId(stream, &id), "cudaStreamGetId");
    bool full = false;
    {
      const spin_guard guard(lock_);
      full = streams_ >= most_streams;
      for (pooled_workspace* w = by_stream_; w != nullptr; w = w->next) {
        if (w->stream_id == id) {
          ++w->users;
          return w;
        }
      }
    }
    if (full) reclaim();
    pooled_workspace* const w = borrow();
    w->stream_id = id;
    w->users = 1;
    const spin_guard guard(lock_);
    push(by_stream_, w);  // two for one stream, should two threads meet here, do no harm
    ++streams_;
    return w;
  }

  void reclaim() {
    pooled_workspace* unused = nullptr;
    {
      const spin_guard guard(lock_);
      pooled_workspace* used = nullptr;
      while (by_stream_ != nullptr) {
        pooled_workspace* const w = pop(by_stream_);
        push(w->users == 0 ? unused : used, w);
        if (w->users == 0) --streams_;
      }
      by_stream_ = used;
    }
    const relaxed_capture relaxed;
    const bool waited = cudaDeviceSynchronize() == cudaSuccess;
    if (!waited) (void)cudaGetLastError();  // a capture is under way: another time
    const spin_guard guard(lock_);
    while (unused != nullptr) {
      pooled_workspace* const w = pop(unused);
      push(waited ? idle_ : by_stream_, w);
      if (!waited) ++streams_;
    }
  }

  spin_lock lock_;
  pooled_workspace* idle_ = nullptr;
  pooled_workspace* by_stream_ = nullptr;
  int streams_ = 0;
};

/// The caller's workspace if there is one, else one of the library's for as long as this lives.
class borrowed_workspace {
 public:
  explicit borrowed_workspace(workspace* callers)
      : pool_(callers == nullptr ? &workspace_pool::current() : nullptr),
        borrowed_(callers == nullptr ? pool_->borrow() : nullptr),
        workspace_(callers == nullptr ? &borrowed_->scratch : callers) {}
  ~borrowed_workspace() {
    if (borrowed_ != nullptr) pool_->give_back(borrowed_);
  }
  borrowed_workspace(const borrowed_workspace&) = delete;             // it is given back once
  borrowed_workspace& operator=(const borrowed_workspace&) = delete;  // likewise

  workspace& get() const { return *workspace_; }

 private:
  workspace_pool* pool_;
  pooled_workspace* borrowed_;
  workspace* workspace_;
};

/// Device memory from a resource, or where there is none from CUDA's default pool, given back in stream
/// order.
class resource_block {
 public:
  /// @throws out_of_memory, or what the resource throws
  resource_block(const resource_ref& resource, std::size_t bytes, cudaStream_t stream)
      : resource_(resource), stream_(stream), bytes_(bytes) {
    if (resource_) {
      data_ = resource_.allocate(bytes, stream);
    } else {
      check(cudaMallocAsync(&data_, bytes, stream), "cudaMallocAsync");
    }
  }
  ~resource_block() {
    if (resource_) {
      resource_.deallocate(data_, bytes_, stream_);
    } else {
      (void)cudaFreeAsync(data_, stream_);
    }
  }
  resource_block(const resource_block&) = delete;             // it gives its memory back once
  resource_block& operator=(const resource_block&) = delete;  // likewise

  void* data() const { return data_; }

 private:
  resource_ref resource_;
  cudaStream_t stream_;
  std::size_t bytes_;
  void* data_ = nullptr;
};

/// Grid scratch from a resource, zeroed in stream order.
class resource_grid {
 public:
  resource_grid(const resource_ref& resource, cudaStream_t stream)
      : block_(resource, workspace::device_bytes, stream) {
    check(cudaMemsetAsync(block_.data(), 0, workspace::zeroed_bytes, stream), "cudaMemsetAsync");
  }

  collective::grid_storage grid() const { return workspace::grid_at(block_.data()); }

 private:
  resource_block block_;
};

}  // namespace runtime
}  // namespace warpfold
