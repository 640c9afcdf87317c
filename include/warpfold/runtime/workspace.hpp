/// @file
/// needs: cuda
/// The memory a launch needs besides its input: partial states and a ticket on the GPU, and a place in
/// pinned host memory where the result and a flag land. Made once, used again: no allocation, no
/// memset and no second copy on the way of a call.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <warpfold/collective/grid_finish.hpp>
#include <warpfold/runtime/cuda_check.hpp>
#include <warpfold/runtime/device_info.hpp>
#include <warpfold/runtime/resource.hpp>

namespace warpfold {

/// Scratch for one reduction at a time, on the device that was current when it was made.
///
/// Give it to a policy, `wf::device.with(my_workspace)`, to keep a stream's scratch apart from the
/// library's own, or to be sure that a call allocates nothing. As with CUB's temporary storage, two
/// reductions that use one workspace must not overlap: keep it to one stream, or order the streams.
class workspace {
 public:
  /// Room on the GPU for the posts of 2048 blocks, and for partial states: 512 blocks' of 128 bytes.
  /// Larger states get fewer blocks.
  static constexpr std::size_t post_bytes = 32 * 1024;
  static constexpr std::size_t partial_bytes = 64 * 1024;
  /// The largest result, and the largest state a thread may keep.
  static constexpr std::size_t result_bytes = 1024;

  /// Allocates the scratch and waits until it is zeroed, on a stream of its own.
  /// @throws no_device, out_of_memory, cuda_error
  workspace() {
    const runtime::relaxed_capture relaxed;
    void* device = nullptr;
    runtime::check(cudaMalloc(&device, device_bytes), "cudaMalloc",
                   [] { return std::string("for a reduction's workspace"); });
    device_.reset(static_cast<unsigned char*>(device));
    void* host = nullptr;
    runtime::check(cudaHostAlloc(&host, result_bytes + flag_bytes,
                                 cudaHostAllocMapped | cudaHostAllocPortable),
                   "cudaHostAlloc", [] { return std::string("for a reduction's result"); });
    host_.reset(static_cast<unsigned char*>(host));
    *flag() = 0;

    // A stream of its own: the default stream would wait for, and be waited for by, the caller's.
    cudaStream_t stream = nullptr;
    runtime::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                   "cudaStreamCreateWithFlags");
    const cudaError_t zeroed = cudaMemsetAsync(device_.get(), 0, zeroed_bytes, stream);
    const cudaError_t waited = cudaStreamSynchronize(stream);
    (void)cudaStreamDestroy(stream);
    runtime::check(zeroed, "cudaMemsetAsync");
    runtime::check(waited, "cudaStreamSynchronize");
  }

  workspace(workspace&&) = default;
  workspace& operator=(workspace&&) = default;
  workspace(const workspace&) = delete;             // a launch in flight points into it
  workspace& operator=(const workspace&) = delete;  // likewise

  /// How the scratch lies in `device_bytes` of device memory from `base` on. The first `zeroed_bytes`
  /// are zero between launches.
  static collective::grid_storage grid_at(void* base) {
    auto* const bytes = static_cast<unsigned char*>(base);
    return {reinterpret_cast<collective::post*>(bytes), bytes + zeroed_bytes,
            reinterpret_cast<unsigned*>(bytes + post_bytes)};
  }
  static constexpr std::size_t zeroed_bytes = post_bytes + 256;
  static constexpr std::size_t device_bytes = zeroed_bytes + partial_bytes;

  collective::grid_storage grid() const { return grid_at(device_.get()); }
  /// `partial_bytes` of device memory.
  void* partials() const { return grid().partials; }

  /// Where the result lands: pinned host memory that the GPU writes directly.
  void* result() const { return host_.get(); }
  unsigned* flag() const { return reinterpret_cast<unsigned*>(host_.get() + result_bytes); }

  /// The signal by which the next launch says that it is done.
  unsigned next_signal() { return ++signal_; }

 private:
  static constexpr std::size_t flag_bytes = 64;

  struct free_device {
    void operator()(unsigned char* p) const { (void)cudaFree(p); }
  };
  struct free_host {
    void operator()(unsigned char* p) const { (void)cudaFreeHost(p); }
  };
  std::unique_ptr<unsigned char, free_device> device_;
  std::unique_ptr<unsigned char, free_host> host_;
  unsigned signal_ = 0;
};

namespace runtime {

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
  workspace* borrow() {
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) {
        workspace* const w = idle_.back();
        idle_.pop_back();
        return w;
      }
    }
    return new workspace;
  }

  /// Gives a borrowed workspace back; no launch may still use it.
  void give_back(workspace* w) noexcept {
    const std::lock_guard lock(mutex_);
    idle_.push_back(w);
  }

  /// A stream's workspace, and the lock that keeps it the stream's until the launch is enqueued.
  struct held_by_stream {
    workspace& scratch;
    std::shared_lock<std::shared_mutex> lock;
  };

  /// The workspace of a stream.
  held_by_stream of_stream(cudaStream_t stream) {
    unsigned long long id = 0;  // handles are reused after a stream is destroyed; ids are not
    check(cudaStreamGetId(stream, &id), "cudaStreamGetId");
    {
      std::shared_lock lock(streams_mutex_);
      if (const auto found = by_stream_.find(id); found != by_stream_.end()) {
        return {*found->second, std::move(lock)};
      }
    }
    {
      const std::unique_lock lock(streams_mutex_);
      if (by_stream_.size() >= most_streams) reclaim();
      if (!by_stream_.contains(id)) by_stream_.emplace(id, borrow());
    }
    return of_stream(stream);
  }

  /// A workspace for a call captured into `graph`, kept until the graph and its instances are gone.
  workspace& of_graph(cudaGraph_t graph) {
    struct held {
      workspace_pool* pool;
      workspace* w;
    };
    auto* const h = new held{this, borrow()};
    cudaUserObject_t object = nullptr;
    cudaError_t status = cudaUserObjectCreate(
        &object, h,
        [](void* p) {
          auto* const done = static_cast<held*>(p);
          done->pool->give_back(done->w);
          delete done;
        },
        1, cudaUserObjectNoDestructorSync);
    if (status == cudaSuccess) {
      status = cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
    }
    workspace& w = *h->w;
    check(status, "cudaGraphRetainUserObject");
    return w;
  }

 private:
  // A program that makes and drops streams would keep a workspace for each. Once in so many new
  // streams, all of them are waited for and their workspaces start again.
  static constexpr std::size_t most_streams = 256;

  void reclaim() {
    const relaxed_capture relaxed;
    if (cudaDeviceSynchronize() != cudaSuccess) {  // a capture is under way: another time
      (void)cudaGetLastError();
      return;
    }
    for (const auto& [id, w] : by_stream_) give_back(w);
    by_stream_.clear();
  }

  std::mutex mutex_;  // of idle_
  std::vector<workspace*> idle_;
  std::shared_mutex streams_mutex_;  // of by_stream_; held shared until a launch is enqueued
  std::unordered_map<unsigned long long, workspace*> by_stream_;
};

/// The caller's workspace if there is one, else one of the library's for as long as this lives.
class borrowed_workspace {
 public:
  explicit borrowed_workspace(workspace* callers)
      : pool_(callers == nullptr ? &workspace_pool::current() : nullptr),
        workspace_(callers == nullptr ? pool_->borrow() : callers) {}
  ~borrowed_workspace() {
    if (pool_ != nullptr) pool_->give_back(workspace_);
  }
  borrowed_workspace(const borrowed_workspace&) = delete;             // it is given back once
  borrowed_workspace& operator=(const borrowed_workspace&) = delete;  // likewise

  workspace& get() const { return *workspace_; }

 private:
  workspace_pool* pool_;
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
