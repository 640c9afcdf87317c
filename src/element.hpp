/// @file
/// The elements, ops and arrays that the program knows, as run-time values.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace warpfold::program {

/// An element type, with NumPy's name. float3 is three floats, reduced by component.
enum class element {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  float32,
  float64,
  complex64,
  complex128,
  float3,
};

struct element_info {
  std::string_view name;
  std::size_t bytes;
};

inline constexpr std::array<element_info, 15> element_infos{{
    {"bool", 1},
    {"int8", 1},
    {"int16", 2},
    {"int32", 4},
    {"int64", 8},
    {"uint8", 1},
    {"uint16", 2},
    {"uint32", 4},
    {"uint64", 8},
    {"float16", 2},
    {"float32", 4},
    {"float64", 8},
    {"complex64", 8},
    {"complex128", 16},
    {"float3", 12},
}};

constexpr std::string_view name_of(element e) {
  return element_infos[static_cast<std::size_t>(e)].name;
}
constexpr std::size_t bytes_of(element e) {
  return element_infos[static_cast<std::size_t>(e)].bytes;
}
constexpr bool is_signed_integer(element e) { return e >= element::int8 && e <= element::int64; }
constexpr bool is_integer(element e) { return e >= element::int8 && e <= element::uint64; }
constexpr bool is_floating(element e) { return e >= element::float16; }
constexpr bool is_complex(element e) { return e == element::complex64 || e == element::complex128; }

/// An op of the library.
enum class op {
  plus,
  multiplies,
  minimum,
  maximum,
  bit_and,
  bit_or,
  bit_xor,
  logical_and,
  logical_or,
  // Functions of the library with another result than an element: wf::mean, wf::norm_2, ...
  mean,
  norm,
  argmin,
  argmax,
};

inline constexpr std::array<std::string_view, 13> op_names{
    "plus",        "multiplies", "minimum", "maximum", "bit_and", "bit_or", "bit_xor",
    "logical_and", "logical_or", "mean",    "norm",    "argmin",  "argmax"};

constexpr std::string_view name_of(op o) { return op_names[static_cast<std::size_t>(o)]; }
constexpr bool is_bitwise(op o) { return o >= op::bit_and && o <= op::bit_xor; }
constexpr bool is_logical(op o) { return o == op::logical_and || o == op::logical_or; }
constexpr bool is_index(op o) { return o == op::argmin || o == op::argmax; }
/// Whether the result of a part of an array is no start for the next part.
constexpr bool takes_whole_arrays(op o) { return o >= op::mean; }
/// Whether an empty array has no result.
constexpr bool needs_elements(op o) {
  return o == op::minimum || o == op::maximum || o == op::mean || is_index(o);
}
constexpr bool is_extremum(op o) { return o == op::minimum || o == op::maximum; }

/// Whether `o` is defined for `e`: complex numbers have no order, and bitwise ops need integers.
constexpr bool fits(op o, element e) {
  if (takes_whole_arrays(o) && e == element::float3) return false;
  if (is_index(o) || o == op::norm) {
    return e != element::boolean && (o == op::norm || !is_complex(e));
  }
  if (o == op::mean) return !is_complex(e);
  if (is_extremum(o)) return !is_complex(e);
  if (is_bitwise(o)) return !is_floating(e);
  if (is_logical(o)) return !is_complex(e) && e != element::float3;
  return true;
}

/// Elements in memory, `stride` bytes apart. They may be misaligned, as in a packed struct.
struct array {
  element type = element::uint8;
  const std::byte* data = nullptr;
  std::size_t count = 0;
  std::size_t stride = 1;

  /// Whether the elements are contiguous and aligned, so that a pointer to the element type can
  /// walk them.
  bool is_contiguous() const {
    const std::size_t bytes = bytes_of(type);
    const std::size_t alignment = type == element::float3 ? 4
                                  : is_complex(type)      ? bytes / 2
                                                          : bytes;
    return stride == bytes && reinterpret_cast<std::size_t>(data) % alignment == 0;
  }
  /// The bytes to reduce, without the other fields of a struct.
  std::size_t bytes() const { return count * bytes_of(type); }

  array piece(std::size_t first, std::size_t n) const {
    return {type, data + first * stride, n, stride};
  }
};

}  // namespace warpfold::program
