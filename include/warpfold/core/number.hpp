/// @file
/// Which element types are numbers.
#pragma once

#include <type_traits>
#include <warpfold/core/config.hpp>

// Declared, not included: cuda_fp16.h and cuda_bf16.h add 0.25 s each to the compile time.
struct __half;
struct __nv_bfloat16;

namespace warpfold {

/// True for CUDA's 16-bit floating-point elements, which are summed in `float`.
template <class T>
inline constexpr bool is_half_v = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

/// True for an arithmetic type or a 16-bit float.
template <class T>
inline constexpr bool is_number_v = std::is_arithmetic_v<T> || is_half_v<T>;

}  // namespace warpfold
