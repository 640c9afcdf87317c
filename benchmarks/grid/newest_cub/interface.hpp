/// @file
/// needs: cuda
/// The interface of the newest CUB, a contender beside the toolkit's CUB.
///
/// Headers of two versions of CCCL in one program would give the same inline functions and kernels
/// two definitions. The newest version is therefore in a shared library that exports only the two
/// functions below (symbols.map), and has its own copy of CUDA's runtime. Streams, memory and
/// captures belong to the driver, which both copies share.
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

namespace grid {

/// One op on one element type: `n` elements at `in` on the device.
struct newest_cub_calls {
  void (*enqueue)(const void* in, std::size_t n, void* out, cudaStream_t stream);
  void (*value)(const void* in, std::size_t n, void* out,
                cudaStream_t stream);  ///< `out` on the host
};

}  // namespace grid

extern "C" {
/// Returns CUB_VERSION.
int grid_newest_cub_version();
/// Returns null if the library does not have the element or op.
const grid::newest_cub_calls* grid_newest_cub_find(const char* element, const char* op);
}
