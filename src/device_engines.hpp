/// @file
/// The engines on the GPU: what their files share.
#pragma once

#include <cstdint>

#include <cuda_fp16.h>
#include <cuda/std/complex>

#include <warpfold/reduce.hpp>

#include "dispatch.hpp"
#include "engine.hpp"

namespace warpfold::program {

template <element E>
struct device_type;
template <>
struct device_type<element::int8> : std::type_identity<std::int8_t> {};
template <>
struct device_type<element::int16> : std::type_identity<std::int16_t> {};
template <>
struct device_type<element::int32> : std::type_identity<std::int32_t> {};
template <>
struct device_type<element::int64> : std::type_identity<std::int64_t> {};
template <>
struct device_type<element::uint8> : std::type_identity<std::uint8_t> {};
template <>
struct device_type<element::uint16> : std::type_identity<std::uint16_t> {};
template <>
struct device_type<element::uint32> : std::type_identity<std::uint32_t> {};
template <>
struct device_type<element::uint64> : std::type_identity<std::uint64_t> {};
template <>
struct device_type<element::float16> : std::type_identity<__half> {};
template <>
struct device_type<element::float32> : std::type_identity<float> {};
template <>
struct device_type<element::float64> : std::type_identity<double> {};
template <>
struct device_type<element::complex64> : std::type_identity<cuda::std::complex<float>> {};
template <>
struct device_type<element::complex128> : std::type_identity<cuda::std::complex<double>> {};
template <>
struct device_type<element::float3> : std::type_identity<::float3> {};

/// A result on the GPU's types as the program's value.
template <class T>
value device_value(const T& x) {
  if constexpr (std::is_same_v<T, __half>) {
    return static_cast<float>(x);
  } else if constexpr (std::is_same_v<T, ::float3>) {
    return vec3{x.x, x.y, x.z};
  } else if constexpr (requires { typename T::value_type; }) {
    return std::complex<typename T::value_type>(x.real(), x.imag());
  } else {
    return to_value(x);
  }
}

/// Reduces a whole array in the GPU's memory, if `Cases` has its type and op.
template <class Cases, class Policy>
bool fold_on_device(const Policy& policy, const array& whole, op o, std::optional<value>& total) {
  return visit_case<Cases>(whole.type, o, [&](auto e, auto op) {
    using T = typename device_type<e.value>::type;
    const contiguous_view<T> all(reinterpret_cast<const T*>(whole.data), whole.count);
    total = device_value(reduce(policy, all, op));
  });
}

/// `wf::device`, compiled in two files.
bool fold_integers_on_device(const array& whole, op o, std::optional<value>& total);
bool fold_floats_on_device(const array& whole, op o, std::optional<value>& total);

extern const engine cub_engine;
extern const engine thrust_engine;

}  // namespace warpfold::program
