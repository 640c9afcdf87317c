/// @file
/// needs: cuda
/// The scratch memory of one call: cached workspaces, the call that uses each, and how long it is
/// reserved.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/runtime/capture.hpp>
#include <warpfold/runtime/current_device.hpp>
#include <warpfold/runtime/resource_block.hpp>
#include <warpfold/runtime/spin_lock.hpp>
#include <warpfold/runtime/workspace.hpp>

namespace warpfold::runtime {

/// A workspace in one of its pool's lists.
struct pooled_workspace {
  workspace scratch;
  pooled_workspace* next = nullptr;
  unsigned long long stream_id = 0;
  bool in_use = false;         // by a call that is enqueuing work with it
  cudaEvent_t done = nullptr;  // recorded after each such call, once there are many streams
};

/// The library's workspaces on one device.
///
/// A call that waits borrows one and returns it. A call that does not wait uses one of its stream
/// that no other call is enqueuing with. Work on a stream is ordered, but launches of two threads
/// may interleave, so each thread has its own. A captured call gets one that belongs to the graph.
/// All are kept for the life of the process, because the driver may be gone before static objects
/// are destroyed.
class workspace_pool {
 public:
  /// The current device's pool.
  static workspace_pool& current() {
    static workspace_pool* const pools = new workspace_pool[max_devices];
    return pools[current_device()];
  }

  /// Returns a workspace that no other call uses.
  pooled_workspace* borrow() {
    {
      const spin_guard guard(lock_);
      if (idle_ != nullptr) return std::exchange(idle_, idle_->next);
    }
    return new pooled_workspace;
  }

  /// Returns a borrowed workspace to the pool; no launch may still use it.
  void give_back(pooled_workspace* w) noexcept {
    const spin_guard guard(lock_);
    push(idle_, w);
  }

  /// A stream's workspace, reserved while this object lives.
  class of_stream {
   public:
    of_stream(workspace_pool& pool, cudaStream_t stream)
        : pool_(pool), stream_(stream), workspace_(pool.find(stream)) {}
    ~of_stream() {
      if (workspace_->done != nullptr) (void)cudaEventRecord(workspace_->done, stream_);
      const spin_guard guard(pool_.lock_);
      workspace_->in_use = false;
    }
    of_stream(const of_stream&) = delete;  // it releases the workspace once
    of_stream& operator=(const of_stream&) = delete;

    workspace& get() const { return workspace_->scratch; }

   private:
    workspace_pool& pool_;
    cudaStream_t stream_;
    pooled_workspace* workspace_;
  };

  /// Returns a workspace for a call captured into `graph`, kept until the graph and its instances
  /// are destroyed.
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
  // A program that creates and destroys streams would keep a workspace for each. Beyond this number
  // of streams, an event follows a stream's work (1 us per call). A workspace whose event has
  // completed is free for the next stream. Nothing waits: that would invalidate a capture in
  // progress on another stream.
  static constexpr int streams_without_events = 128;

  static void push(pooled_workspace*& list, pooled_workspace* w) {
    w->next = list;
    list = w;
  }

  // Finds a stream's workspace and marks it as in use.
  pooled_workspace* find(cudaStream_t stream) {
    unsigned long long id = 0;  // handles are reused after a stream is destroyed; ids are not
    check(cudaStreamGetId(stream, &id), "cudaStreamGetId");
    {
      const spin_guard guard(lock_);
      for (pooled_workspace* w = by_stream_; w != nullptr; w = w->next) {
        if (w->stream_id == id && !w->in_use) {
          w->in_use = true;
          return w;
        }
      }
    }
    const relaxed_capture relaxed;
    pooled_workspace* w = finished();
    bool many = false;
    if (w == nullptr) {
      w = borrow();
      const spin_guard guard(lock_);
      many = ++streams_ > streams_without_events;
    }
    if (many && w->done == nullptr) {
      const cudaError_t made = cudaEventCreateWithFlags(&w->done, cudaEventDisableTiming);
      if (made != cudaSuccess) {
        give_back(w);
        check(made, "cudaEventCreateWithFlags");
      }
    }
    w->stream_id = id;
    w->in_use = true;
    const spin_guard guard(lock_);
    push(by_stream_, w);
    return w;
  }

  // Removes a workspace from the list whose stream has finished its last work with it; null if
  // there is none.
  pooled_workspace* finished() {
    const spin_guard guard(lock_);
    for (pooled_workspace** at = &by_stream_; *at != nullptr; at = &(*at)->next) {
      pooled_workspace* const w = *at;
      if (w->done != nullptr && !w->in_use && cudaEventQuery(w->done) == cudaSuccess) {
        *at = w->next;
        return w;
      }
    }
    return nullptr;
  }

  spin_lock lock_;
  pooled_workspace* idle_ = nullptr;
  pooled_workspace* by_stream_ = nullptr;
  int streams_ = 0;
};

/// The scratch of one call, from a workspace or from the caller's resource: `grid()` and
/// `partials(bytes)`; see kernel/concept.hpp.
class scratch {
 public:
  scratch(const scratch&) = delete;  // it frees its memory once
  scratch& operator=(const scratch&) = delete;

  /// The workspace of the call.
  virtual workspace& own() = 0;

  /// The memory through which the blocks of one launch combine their states, zeroed.
  /// @throws out_of_memory,cuda_error or the resource's exception
  collective::grid_storage grid() {
    if (!resource_) return own().grid();
    if (grid_.posts == nullptr) {
      void* const data = grid_block_.emplace(resource_, workspace::device_bytes, stream_).data();
      check(cudaMemsetAsync(data, 0, workspace::zeroed_bytes, stream_), "cudaMemsetAsync");
      grid_ = workspace::grid_at(data);
    }
    return grid_;
  }

  /// Device memory for partial states, uninitialized.
  /// @throws out_of_memory or the resource's exception
  void* partials(std::size_t bytes) {
    return resource_ ? block_.emplace(resource_, bytes, stream_).data() : own().partials(bytes);
  }

 protected:
  /// @param resource must outlive this object; empty if the memory comes from the workspace
  scratch(const resource_ref& resource, cudaStream_t stream)
      : stream_(stream), resource_(resource) {}
  ~scratch() = default;

  cudaStream_t stream_;

 private:
  const resource_ref& resource_;
  // `partials` frees what an earlier launch of the same call used, in stream order.
  std::optional<resource_block> block_, grid_block_;
  collective::grid_storage grid_{};
};

/// The scratch of a call that waits, and a workspace for its result and the flag: the caller's
/// workspace, or one that no other call uses while this object lives.
class waiting_scratch final : public scratch {
 public:
  waiting_scratch(workspace* callers, const resource_ref& resource, cudaStream_t stream)
      : scratch(resource, stream),
        pool_(callers == nullptr ? &workspace_pool::current() : nullptr),
        borrowed_(callers == nullptr ? pool_->borrow() : nullptr),
        own_(callers == nullptr ? borrowed_->scratch : *callers) {}
  ~waiting_scratch() {
    if (borrowed_ != nullptr && !in_flight_) pool_->give_back(borrowed_);
  }

  workspace& own() override { return own_; }

  /// True if enqueued work that uses the workspace may still be running. If that is so at the end,
  /// because the wait failed, the workspace is never used again.
  void set_in_flight(bool in_flight) { in_flight_ = in_flight; }

 private:
  workspace_pool* pool_;
  pooled_workspace* borrowed_;
  workspace& own_;
  bool in_flight_ = false;
};

/// The scratch of a call that does not wait: the caller's workspace or resource, else a workspace
/// of the graph that captures the stream, else the library's workspace of the stream. Finds it when
/// a kernel first needs one: a kernel of one block needs none, and finding one takes two queries of
/// the stream and a lock.
class enqueued_scratch final : public scratch {
 public:
  enqueued_scratch(workspace* callers, const resource_ref& resource, cudaStream_t stream)
      : scratch(resource, stream), own_(callers) {}

  workspace& own() override {
    if (own_ != nullptr) return *own_;
    workspace_pool& pool = workspace_pool::current();
    const cudaGraph_t graph = capturing_graph(stream_);
    own_ = graph != nullptr ? &pool.of_graph(graph) : &of_stream_.emplace(pool, stream_).get();
    return *own_;
  }

 private:
  workspace* own_;
  std::optional<workspace_pool::of_stream> of_stream_;
};

}  // namespace warpfold::runtime
