/// @file
/// The library's version, the check for C++20, and the macros that differ between compilers.
#pragma once

// GCC continues after an #error and prints pages of other errors. A missing file stops every
// compiler.
#if __cplusplus < 202002L
#error "warpfold needs C++20; compile with -std=c++20 (CMake: target_compile_features, cxx_std_20)"
#include "warpfold needs C++20"
#endif

/// The library's version; CMake reads it from here.
#define WARPFOLD_VERSION_MAJOR 0
#define WARPFOLD_VERSION_MINOR 1
#define WARPFOLD_VERSION_PATCH 0

// nvcc with Clang as the host compiler takes a member function with parameters of auto for host
// code, unless a specifier precedes the macro: these functions begin with `inline`.
#if defined(__CUDACC__)
#define WARPFOLD_HD __host__ __device__
#define WARPFOLD_DEVICE __device__
#define WARPFOLD_SHARED __shared__
// A generic host-and-device function may be instantiated with a host-only functor. The policy
// chooses the side, so nvcc's warning about the other side does not help. Clang, which defines
// __CUDA__, checks only what is called.
#if defined(__CUDA__)
#define WARPFOLD_ANY_SIDE
#else
#define WARPFOLD_ANY_SIDE _Pragma("nv_exec_check_disable")
#endif
#else
#define WARPFOLD_HD
#define WARPFOLD_DEVICE
// The emulation runs a block on one host thread, and a host thread runs one block at a time.
#define WARPFOLD_SHARED static thread_local
#define WARPFOLD_ANY_SIDE
#endif

// In device code only: the host compiler behind nvcc warns about the unknown pragma.
#if defined(__CUDA_ARCH__)
#define WARPFOLD_UNROLL _Pragma("unroll")
#define WARPFOLD_UNROLL_4 _Pragma("unroll 4")
#define WARPFOLD_NO_UNROLL _Pragma("unroll 1")
#else
#define WARPFOLD_UNROLL
#define WARPFOLD_UNROLL_4
#define WARPFOLD_NO_UNROLL
#endif

// A type whose loads may read objects of other types, and a function that is not inlined. NVRTC
// does not know the attributes.
#if defined(__CUDACC_RTC__)
#define WARPFOLD_MAY_ALIAS
#define WARPFOLD_NOINLINE __noinline__
#include <warpfold/nvrtc/builtins>
#else
#define WARPFOLD_MAY_ALIAS [[gnu::may_alias]]
#define WARPFOLD_NOINLINE [[gnu::noinline]]
#endif
