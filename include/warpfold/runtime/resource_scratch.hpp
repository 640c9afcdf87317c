/// @file
/// needs: cuda
/// The scratch of one call from the user's allocator, with the members of a `workspace`.
#pragma once

#include <cstddef>
#include <optional>

#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/runtime/resource_block.hpp>
#include <warpfold/runtime/workspace.hpp>

namespace warpfold::runtime {

/// Scratch from a resource. Allocates what the kernel asks for, and frees it in stream order. A
/// kernel asks once, for `grid()` or for `partials(bytes)`; see kernel/concept.hpp.
class resource_scratch {
 public:
  /// @param resource must outlive this object
  resource_scratch(const resource_ref& resource, cudaStream_t stream)
      : resource_(resource), stream_(stream) {}

  /// The memory through which the blocks of one launch combine their states, zeroed in stream
  /// order.
  /// @throws out_of_memory,cuda_error or the resource's exception
  collective::grid_storage grid() {
    void* const data = allocate(workspace::device_bytes);
    check(cudaMemsetAsync(data, 0, workspace::zeroed_bytes, stream_), "cudaMemsetAsync");
    return workspace::grid_at(data);
  }

  /// Device memory for partial states, uninitialized.
  /// @throws out_of_memory or the resource's exception
  void* partials(std::size_t bytes) { return allocate(bytes); }

 private:
  void* allocate(std::size_t bytes) {
    block_.reset();
    return block_.emplace(resource_, bytes, stream_).data();
  }

  const resource_ref& resource_;
  cudaStream_t stream_;
  std::optional<resource_block> block_;
};

}  // namespace warpfold::runtime
