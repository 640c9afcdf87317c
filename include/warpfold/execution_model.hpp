/// @file
/// threadIdx, __syncthreads, __shfl_down_sync and the other names of CUDA C++'s execution model: nvcc has
/// them, and for a host compiler they come from the emulation. Kernels and collectives include this and do
/// not ask which it is.
#pragma once

#include <warpfold/config.hpp>

#if defined(__CUDACC__)

namespace warpfold {

/// The caller's line, as the default of a last parameter: `call_site at = call_site::here()`. On the GPU
/// it is nothing.
struct call_site {
  static WARPFOLD_HD constexpr call_site here() { return {}; }
};

}  // namespace warpfold

#else

#include <warpfold/emulation/names.hpp>

namespace warpfold {

using call_site = emulation::site;

}  // namespace warpfold

#endif
