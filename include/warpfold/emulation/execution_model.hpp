/// @file
/// threadIdx, __syncthreads, __shfl_down_sync and the other names of the CUDA C++ execution model.
/// nvcc defines them; for a host compiler they come from the emulation. Kernels and collectives
/// include this header instead of testing for the compiler.
#pragma once

#include <warpfold/core/call_site.hpp>
#include <warpfold/core/config.hpp>

#if !defined(__CUDACC__)
#include <warpfold/emulation/names.hpp>
#endif
