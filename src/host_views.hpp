/// @file
/// The program's arrays as views for host threads.
#pragma once

#include <bit>
#include <complex>
#include <cstdint>
#include <cstring>

#include <warpfold/reduce.hpp>

#include "dispatch.hpp"
#include "engine.hpp"
#include "plan_text.hpp"
#include "value.hpp"

namespace warpfold::program {

/// The bits of a float16. Not every host compiler has the type.
struct half_bits {
  std::uint16_t bits;
};

/// A float16 as a float.
struct half_to_float {
  float operator()(half_bits h) const {
    // Shifts the exponent and the fraction into place. The multiplication corrects the exponent's
    // bias and normalizes subnormals.
    const std::uint32_t sign = std::uint32_t{h.bits & 0x8000u} << 16;
    const std::uint32_t rest = std::uint32_t{h.bits & 0x7fffu} << 13;
    const float magnitude = std::bit_cast<float>(rest) * 0x1p112f;
    const std::uint32_t special = rest >= 0x0f800000u ? 0x7f800000u : 0u;  // infinity and NaN
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | special | sign);
  }
};

template <element E>
struct host_type;
template <>
struct host_type<element::boolean> : std::type_identity<std::uint8_t> {};
template <>
struct host_type<element::int8> : std::type_identity<std::int8_t> {};
template <>
struct host_type<element::int16> : std::type_identity<std::int16_t> {};
template <>
struct host_type<element::int32> : std::type_identity<std::int32_t> {};
template <>
struct host_type<element::int64> : std::type_identity<std::int64_t> {};
template <>
struct host_type<element::uint8> : std::type_identity<std::uint8_t> {};
template <>
struct host_type<element::uint16> : std::type_identity<std::uint16_t> {};
template <>
struct host_type<element::uint32> : std::type_identity<std::uint32_t> {};
template <>
struct host_type<element::uint64> : std::type_identity<std::uint64_t> {};
template <>
struct host_type<element::float16> : std::type_identity<half_bits> {};
template <>
struct host_type<element::float32> : std::type_identity<float> {};
template <>
struct host_type<element::float64> : std::type_identity<double> {};
template <>
struct host_type<element::complex64> : std::type_identity<std::complex<float>> {};
template <>
struct host_type<element::complex128> : std::type_identity<std::complex<double>> {};
template <>
struct host_type<element::float3> : std::type_identity<vec3> {};

/// Elements a fixed number of bytes apart, at any alignment: a field of an array of structs.
template <class T>
class strided_view : public element_loads<strided_view<T>, T> {
 public:
  strided_view(const std::byte* data, std::size_t size, std::size_t stride)
      : data_(data), size_(size), stride_(stride) {}

  std::size_t size() const { return size_; }
  T operator[](std::size_t i) const {
    T x;
    std::memcpy(&x, data_ + i * stride_, sizeof(T));
    return x;
  }

  template <class F>
  void visit_memory(F&& f) const {
    if (size_ != 0) f(static_cast<const void*>(data_), (size_ - 1) * stride_ + sizeof(T), 1);
  }

 private:
  const std::byte* data_;
  std::size_t size_;
  std::size_t stride_;
};

/// The view to reduce: float16 converted to float, bools to 0 and 1.
template <element E, class View>
auto as_operands(const View& all) {
  if constexpr (E == element::float16) {
    return project(all, half_to_float{});
  } else if constexpr (E == element::boolean) {
    return project(all, to_truth{});
  } else {
    return all;
  }
}

/// The view of `a`, whose element type is `E` or is reduced as `E`.
template <element E>
auto contiguous_host_view(const array& a) {
  using T = typename host_type<E>::type;
  return as_operands<E>(contiguous_view<T>(reinterpret_cast<const T*>(a.data), a.count));
}
template <element E>
auto strided_host_view(const array& a) {
  using T = typename host_type<E>::type;
  return as_operands<E>(strided_view<T>(a.data, a.count, a.stride));
}

/// Applies `Op` to each component of a vec3.
template <class Op>
struct by_component {
  template <class T>
  using accumulator = T;

  template <class T>
  T identity() const {
    const float one = op_traits<Op, float>::identity(Op{});
    return {one, one, one};
  }
  vec3 operator()(const vec3& a, const vec3& b) const {
    return {Op{}(a.x, b.x), Op{}(a.y, b.y), Op{}(a.z, b.z)};
  }
};

/// The op to reduce `E` with.
template <element E, class Op>
auto host_op(Op) {
  if constexpr (E == element::float3) {
    return by_component<Op>{};
  } else {
    return Op{};
  }
}

/// Folds `view` into `total`. An op that takes whole arrays makes the total.
template <class Policy, class View, class Op>
void fold_view(const Policy& policy, const View& view, Op op, std::optional<value>& total) {
  if constexpr (whole_array_op<Op>) {
    total = finished_value<typename View::value_type>(reduce(policy, view, op));
  } else {
    using A = typename op_traits<Op, typename View::value_type>::accumulator;
    const A so_far = total ? from_value<A>(*total) : op_traits<Op, A>::identity(op);
    total = to_value(static_cast<A>(reduce(policy, view, so_far, op)));
  }
}

/// The functions of an engine for a host policy and a set of cases.
template <class Policy, bool Strided, class... Cases>
struct host_engine {
  /// Calls `f(view, op)`.
  template <class F>
  static void visit(const array& a, op o, const F& f) {
    const auto run = [&](auto e, auto op) {
      const auto element_op = host_op<e.value>(op);
      if constexpr (Strided) {
        if (!a.is_contiguous()) {
          f(strided_host_view<e.value>(a), element_op);
          return;
        }
      }
      f(contiguous_host_view<e.value>(a), element_op);
    };
    (void)(visit_case<Cases>(a.type, o, run) || ...);
  }

  static bool built_for(const array& a, op o) {
    return (Strided || a.is_contiguous()) && (has_case<Cases>(a.type, o) || ...);
  }
  static void fold(const array& piece, op o, std::optional<value>& total) {
    visit(piece, o, [&](const auto& view, auto op) { fold_view(Policy{}, view, op, total); });
  }
  static std::string kernel(const array& whole, op o) {
    std::string name;
    visit(whole, o, [&](const auto& view, auto op) { name = kernel_of(Policy{}, view, op); });
    return name;
  }
  static std::string explain(const array& whole, op o) {
    std::string text;
    visit(whole, o, [&](const auto& view, auto op) { text = plan_text(Policy{}, view, op); });
    return text;
  }
};

}  // namespace warpfold::program
