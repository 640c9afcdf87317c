/// @file
/// CUDA's small vectors (float2, float3, float4 and similar) as elements: an arithmetic op works on
/// each component. CUDA defines no operators for them.
#pragma once

#include <type_traits>

#include <warpfold/core/config.hpp>

#if __has_include(<vector_types.h>)
#include <vector_types.h>
#endif

namespace warpfold {

/// Number of components of a small vector; 0 for all other types.
template <class T>
inline constexpr int vector_components_v = 0;

#if __has_include(<vector_types.h>)
template <>
inline constexpr int vector_components_v<float2> = 2;
template <>
inline constexpr int vector_components_v<float3> = 3;
template <>
inline constexpr int vector_components_v<float4> = 4;
template <>
inline constexpr int vector_components_v<double2> = 2;
template <>
inline constexpr int vector_components_v<double3> = 3;
template <>
inline constexpr int vector_components_v<int2> = 2;
template <>
inline constexpr int vector_components_v<int3> = 3;
template <>
inline constexpr int vector_components_v<int4> = 4;
template <>
inline constexpr int vector_components_v<uint2> = 2;
template <>
inline constexpr int vector_components_v<uint3> = 3;
template <>
inline constexpr int vector_components_v<uint4> = 4;
#endif

/// A small CUDA vector.
template <class T>
concept vector_element = (vector_components_v<T> > 0);

/// The type of a small vector's components.
template <vector_element T>
using vector_component_t = decltype(T::x);

/// The vector `{f(a.x, b.x), f(a.y, b.y), ...}`.
WARPFOLD_ANY_SIDE
template <vector_element T, class F>
WARPFOLD_HD constexpr T componentwise(const T& a, const T& b, const F& f) {
  if constexpr (vector_components_v<T> == 2) {
    return T{f(a.x, b.x), f(a.y, b.y)};
  } else if constexpr (vector_components_v<T> == 3) {
    return T{f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)};
  } else {
    return T{f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w)};
  }
}

/// The vector with `value` in every component.
template <vector_element T>
WARPFOLD_HD constexpr T all_components(vector_component_t<T> value) {
  T v{};
  v.x = value;
  v.y = value;
  if constexpr (vector_components_v<T> >= 3) v.z = value;
  if constexpr (vector_components_v<T> == 4) v.w = value;
  return v;
}

}  // namespace warpfold
