/// @file
/// Stream-ordered memory resources that count, for the tests of `with(resource)`.
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

#include <cuda/stream_ref>

#include <warpfold/runtime/cuda_check.hpp>

namespace test {

/// A stream-ordered resource with the interface of CCCL 3.0 and RMM. Counts allocations and frees.
struct pool {
  int given = 0, taken = 0;
  std::size_t bytes = 0;

  void* allocate(std::size_t n, std::size_t) {
    void* p = nullptr;
    warpfold::runtime::check(cudaMalloc(&p, n), "cudaMalloc");
    return p;
  }
  void deallocate(void* p, std::size_t, std::size_t) { (void)cudaFree(p); }
  void* allocate_async(std::size_t n, std::size_t, cuda::stream_ref stream) {
    void* p = nullptr;
    warpfold::runtime::check(cudaMallocAsync(&p, n, stream.get()), "cudaMallocAsync");
    ++given;
    bytes += n;
    return p;
  }
  void deallocate_async(void* p, std::size_t n, std::size_t, cuda::stream_ref stream) {
    (void)cudaFreeAsync(p, stream.get());
    ++taken;
    bytes -= n;
  }
  friend bool operator==(const pool& a, const pool& b) { return &a == &b; }
  friend bool operator!=(const pool& a, const pool& b) { return &a != &b; }
};

/// The same with the interface of later versions of CCCL.
struct later_pool {
  pool counts;

  void* allocate(cuda::stream_ref stream, std::size_t n, std::size_t alignment) {
    return counts.allocate_async(n, alignment, stream);
  }
  void deallocate(cuda::stream_ref stream, void* p, std::size_t n, std::size_t alignment) {
    counts.deallocate_async(p, n, alignment, stream);
  }
};

/// A resource without memory.
struct empty_pool {
  void* allocate_async(std::size_t n, std::size_t, cuda::stream_ref) {
    throw warpfold::out_of_memory("no ", n, " bytes");
  }
  void deallocate_async(void*, std::size_t, std::size_t, cuda::stream_ref) {}
};

}  // namespace test
