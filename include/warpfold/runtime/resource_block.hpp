/// @file
/// needs: cuda
/// Device memory for one call.
#pragma once

#include <cstddef>

#include <warpfold/runtime/cuda_check.hpp>
#include <warpfold/runtime/resource.hpp>

namespace warpfold::runtime {

/// Device memory from a resource, or from CUDA's default pool if there is none, freed in stream
/// order.
class resource_block {
 public:
  /// @throws out_of_memory if there is no memory, or the resource's exception
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
  resource_block(const resource_block&) = delete;  // it frees its memory once
  resource_block& operator=(const resource_block&) = delete;

  void* data() const { return data_; }

 private:
  resource_ref resource_;
  cudaStream_t stream_;
  std::size_t bytes_;
  void* data_ = nullptr;
};

}  // namespace warpfold::runtime
