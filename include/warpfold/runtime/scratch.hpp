/// @file
/// needs: cuda
/// The scratch memory of one call: where it comes from, and how long it is reserved.
#pragma once

#include <cstddef>
#include <optional>

#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/runtime/capture.hpp>
#include <warpfold/runtime/resource_block.hpp>
#include <warpfold/runtime/workspace_pool.hpp>

namespace warpfold::runtime {

/// Finds a workspace when a kernel first needs one. A kernel of one block needs none, and finding
/// one takes two queries of the stream and a lock.
class workspace_finder {
 public:
  virtual workspace& find() = 0;

 protected:
  ~workspace_finder() = default;
};

/// The scratch of one call, from a workspace or from the caller's resource: `grid()` and
/// `partials(bytes)`; see kernel/concept.hpp.
class scratch {
 public:
  /// @param from the workspace; null if the memory comes from `resource`
  /// @param resource must outlive this object; empty if there is none
  scratch(workspace* from, const resource_ref& resource, cudaStream_t stream)
      : workspace_(from), resource_(resource), stream_(stream) {}
  /// @param finder finds the workspace, unless the memory comes from `resource`
  scratch(workspace_finder& finder, const resource_ref& resource, cudaStream_t stream)
      : finder_(&finder), resource_(resource), stream_(stream) {}
  scratch(const scratch&) = delete;  // it frees its memory once
  scratch& operator=(const scratch&) = delete;

  /// The memory through which the blocks of one launch combine their states, zeroed.
  /// @throws out_of_memory,cuda_error or the resource's exception
  collective::grid_storage grid() {
    if (!resource_) return found().grid();
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
    return resource_ ? block_.emplace(resource_, bytes, stream_).data() : found().partials(bytes);
  }

 private:
  workspace& found() {
    if (workspace_ == nullptr) workspace_ = &finder_->find();
    return *workspace_;
  }

  workspace* workspace_ = nullptr;
  workspace_finder* finder_ = nullptr;
  const resource_ref& resource_;
  cudaStream_t stream_;
  // `partials` frees what an earlier launch of the same call used, in stream order.
  std::optional<resource_block> block_, grid_block_;
  collective::grid_storage grid_{};
};

/// The scratch of a call that waits, and a workspace for its result: the caller's workspace, or one
/// that no other call uses.
class waiting_scratch {
 public:
  waiting_scratch(workspace* callers, const resource_ref& resource, cudaStream_t stream)
      : borrowed_(callers), memory_(&borrowed_.get(), resource, stream) {}

  scratch& memory() { return memory_; }
  /// The workspace that has the result and the flag.
  workspace& own() const { return borrowed_.get(); }
  /// See `borrowed_workspace`.
  void set_in_flight(bool in_flight) { borrowed_.set_in_flight(in_flight); }

 private:
  borrowed_workspace borrowed_;
  scratch memory_;
};

/// The scratch of a call that does not wait: the caller's workspace or resource, else a workspace
/// of the graph that captures the stream, else the library's workspace of the stream.
class enqueued_scratch final : private workspace_finder {
 public:
  enqueued_scratch(workspace* callers, const resource_ref& resource, cudaStream_t stream)
      : callers_(callers), stream_(stream), memory_(*this, resource, stream) {}
  enqueued_scratch(const enqueued_scratch&) = delete;  // its memory refers to it
  enqueued_scratch& operator=(const enqueued_scratch&) = delete;

  scratch& memory() { return memory_; }

 private:
  workspace& find() override {
    if (callers_ != nullptr) return *callers_;
    workspace_pool& pool = workspace_pool::current();
    if (const cudaGraph_t graph = capturing_graph(stream_); graph != nullptr) {
      return pool.of_graph(graph);
    }
    return of_stream_.emplace(pool, stream_).get();
  }

  workspace* callers_;
  cudaStream_t stream_;
  std::optional<workspace_pool::of_stream> of_stream_;  // before `memory_`, which uses it
  scratch memory_;
};

}  // namespace warpfold::runtime
