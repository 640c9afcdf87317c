/// @file
/// threadIdx, __syncthreads, __shfl_down_sync and the other names of CUDA C++'s execution model: nvcc has
/// them, and for a host compiler they come from the emulation. Kernels and collectives include this and do
/// not ask which it is.
#pragma once

#include <warpfold/core/call_site.hpp>
#include <warpfold/core/config.hpp>

#if !defined(__CUDACC__)
#include <warpfold/emulation/names.hpp>
#endif
