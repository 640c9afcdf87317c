/// @file
/// The result of a reduction as a run-time value.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>

#include "element.hpp"

namespace warpfold::program {

/// Three floats, reduced by component.
struct vec3 {
  float x, y, z;
  bool operator==(const vec3&) const = default;
};

/// An element and its index in the array.
struct place {
  std::variant<std::int64_t, std::uint64_t, float, double> element;
  std::uint64_t index;
  bool operator==(const place&) const = default;
};

/// A result of any op on any element. Integers are widened to 64 bits.
using value = std::variant<std::int64_t, std::uint64_t, float, double, bool, std::complex<float>,
                           std::complex<double>, vec3, place>;

template <class T>
value to_value(const T& x) {
  if constexpr (std::is_same_v<T, bool> || !std::is_integral_v<T>) {
    return x;
  } else if constexpr (std::is_signed_v<T>) {
    return std::int64_t{x};
  } else {
    return std::uint64_t{x};
  }
}

/// The inverse of `to_value`.
template <class T>
T from_value(const value& v) {
  if constexpr (std::is_same_v<T, bool> || !std::is_integral_v<T>) {
    return std::get<T>(v);
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(std::get<std::int64_t>(v));
  } else {
    return static_cast<T>(std::get<std::uint64_t>(v));
  }
}

/// Converts `v`, the result of reducing elements `e` with `o`, to the type that a user expects. The
/// program reduces some signed integers as unsigned ones, and bools with other ops (`compiled_op`).
value presented(const value& v, element e, op o);

/// With the fewest digits that identify the number.
std::string to_string(const value& v);
/// NumPy's name of its type.
std::string_view type_name(const value& v);

}  // namespace warpfold::program
