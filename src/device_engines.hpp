/// @file
/// Definitions that the files of the GPU engines share.
#pragma once

#include <cstdint>

#include <cuda_fp16.h>
#include <cuda/std/complex>

#include <warpfold/reduce.hpp>

#include "dispatch.hpp"
#include "engine.hpp"
#include "plan_text.hpp"

namespace warpfold::program {

template <element E>
struct device_type;
template <>
struct device_type<element::boolean> : std::type_identity<std::uint8_t> {};
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

/// Converts a result of the GPU's types to the program's value.
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

/// Calls `f(view, op)` on a whole array in the GPU's memory, if `Cases` has its type and op.
template <class Cases, class F>
bool visit_on_device(const array& whole, op o, const F& f) {
  return visit_case<Cases>(whole.type, o, [&](auto e, auto op) {
    using T = typename device_type<e.value>::type;
    const contiguous_view<T> all(reinterpret_cast<const T*>(whole.data), whole.count);
    if constexpr (e.value == element::boolean) {
      f(project(all, to_truth{}), op);
    } else {
      f(all, op);
    }
  });
}

/// The functions of an engine for a GPU policy and a set of cases.
template <class Policy, class Cases>
struct device_engine {
  static bool built_for(const array& a, op o) { return has_case<Cases>(a.type, o); }
  static void fold(const array& whole, op o, std::optional<value>& total) {
    visit_on_device<Cases>(whole, o, [&](const auto& view, auto op) {
      const auto result = reduce(Policy{}, view, op);
      if constexpr (whole_array_op<decltype(op)>) {
        total = finished_value<typename std::remove_cvref_t<decltype(view)>::value_type>(result);
      } else {
        total = device_value(result);
      }
    });
  }
  static std::string kernel(const array& whole, op o) {
    std::string name;
    visit_on_device<Cases>(
        whole, o, [&](const auto& view, auto op) { name = kernel_of(Policy{}, view, op); });
    return name;
  }
  static std::string explain(const array& whole, op o) {
    std::string text;
    visit_on_device<Cases>(
        whole, o, [&](const auto& view, auto op) { text = plan_text(Policy{}, view, op); });
    return text;
  }
};

/// The elements with mean, norm, argmin and argmax on the GPU. The other elements have them on host
/// threads only, because each pair is one more kernel to compile.
struct device_whole_array_cases {
  using enum element;
  using means = elements<uint8, int32, int64, float32, float64>;
  using norms = means;
  using places = means;
};

/// `wf::device` is compiled in three files, each baseline in one.
extern const engine device_integers_engine;
extern const engine device_floats_engine;
extern const engine device_whole_arrays_engine;
extern const engine cub_engine;
extern const engine thrust_engine;

}  // namespace warpfold::program
