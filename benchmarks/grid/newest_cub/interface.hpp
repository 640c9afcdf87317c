/// @file
/// needs: cuda
/// What the grid knows of the newest CUB, a contender beside the toolkit's.
///
/// Headers of two versions of CCCL in one program would define the same inline functions and
/// kernels twice, and differently. So the newest is a shared library that shows the two functions
/// below and nothing else (symbols.map), not even its copy of CUDA's runtime. Streams, memory and
/// captures are the driver's, which both copies share.
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

namespace grid {

/// One op on one element: `n` of them, at `in` on the device.
struct newest_cub_calls {
  void (*enqueue)(const void* in, std::size_t n, void* out, cudaStream_t stream);
  void (*value)(const void* in, std::size_t n, void* out,
                cudaStream_t stream);  ///< `out` on the host
};

}  // namespace grid

extern "C" {
/// As CUB_VERSION.
int grid_newest_cub_version();
/// Null where the library has no such element or op.
const grid::newest_cub_calls* grid_newest_cub_find(const char* element, const char* op);
}
