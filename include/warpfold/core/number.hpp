/// @file
/// Which element types are numbers.
#pragma once

#include <type_traits>

// Declared here and not included: cuda_fp16.h and cuda_bf16.h cost a quarter of a second each, and
// whoever has such an element has included them.
struct __half;
struct __nv_bfloat16;

namespace warpfold {

/// True for CUDA's 16-bit floating-point elements, which are summed in `float`.
template <class T>
inline constexpr bool is_half_v = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

/// True for a number of the language or a 16-bit float.
template <class T>
inline constexpr bool is_number_v = std::is_arithmetic_v<T> || is_half_v<T>;

}  // namespace warpfold
