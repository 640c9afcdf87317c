// What a C function asks for, and the functions that compute it, one for each element type.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#if defined(COMPILED_HAS_HALVES)  // by CMake
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

#include <warpfold.h>

#include <warpfold/compiled.hpp>

namespace compiled {

namespace wf = warpfold;

struct request {
  const char* call = nullptr;  // the name of the function, for messages
  warpfold_operation operation = {};
  warpfold_array array;
  const warpfold_array* factor = nullptr;  // of a dot product
  bool is_exact = false;                   // of a dot product
  const std::int64_t* offsets = nullptr;   // of segments
  std::size_t segments = 0;
  void* keys_out = nullptr;  // of runs
  std::uint64_t* lengths = nullptr;
  std::size_t* runs = nullptr;
  int rank = 0, axis = 0;  // of an array of several dimensions
  const std::size_t* extents = nullptr;
  const std::size_t* strides = nullptr;
  void* result = nullptr;
};

/// What the library does with elements of one type. Each function throws the errors of the headers.
struct type_functions {
  warpfold_type (*result_type)(warpfold_operation);
  void (*reduce)(const request&);
  void (*dot)(const request&);
  void (*reduce_segments)(const request&);
  void (*run_lengths)(const request&);
  void (*reduce_axis)(const request&);
};

template <class T>
inline constexpr warpfold_type type_of = wf::compiled::detail::type_of<T>();
#if defined(COMPILED_HAS_HALVES)
template <>
inline constexpr warpfold_type type_of<__half> = WARPFOLD_FLOAT16;
template <>
inline constexpr warpfold_type type_of<__nv_bfloat16> = WARPFOLD_BFLOAT16;
#define COMPILED_HALVES(X) X(float16, __half) X(bfloat16, __nv_bfloat16)
#else
#define COMPILED_HALVES(X)
#endif
static_assert(type_of<std::int64_t> == WARPFOLD_INT64 && type_of<long long> == WARPFOLD_INT64);
static_assert(type_of<std::uint8_t> == WARPFOLD_UINT8 && type_of<float> == WARPFOLD_FLOAT32);
static_assert(type_of<double> == WARPFOLD_FLOAT64);

/// Throws for an operation that these elements, or this call, do not have.
[[noreturn]] void refuse_operation(const char* call, warpfold_operation operation,
                                   warpfold_type type);

// clang-format off
#define COMPILED_TYPES(X)  \
  X(int8, std::int8_t)     \
  X(int16, std::int16_t)   \
  X(int32, std::int32_t)   \
  X(int64, std::int64_t)   \
  X(uint8, std::uint8_t)   \
  X(uint16, std::uint16_t) \
  X(uint32, std::uint32_t) \
  X(uint64, std::uint64_t) \
  X(float32, float)        \
  X(float64, double)       \
  X(complex64, std::complex<float>)   \
  X(complex128, std::complex<double>) \
  COMPILED_HALVES(X)
// clang-format on

#define COMPILED_DECLARE(name, T) extern const type_functions name##_elements;
COMPILED_TYPES(COMPILED_DECLARE)
#undef COMPILED_DECLARE

}  // namespace compiled
