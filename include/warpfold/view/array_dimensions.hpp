/// @file
/// Dimensions that several arrays share, with a stride for each array.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/core/config.hpp>

namespace warpfold {

/// A position in each of `Arrays` arrays, in elements.
template <int Arrays>
struct array_offsets {
  std::size_t of[std::size_t{Arrays}];

  WARPFOLD_HD constexpr array_offsets operator+(const array_offsets& other) const {
    array_offsets sum{};
    WARPFOLD_UNROLL
    for (int a = 0; a < Arrays; ++a) sum.of[a] = of[a] + other.of[a];
    return sum;
  }
};

/// Up to eight dimensions of `Arrays` arrays; the first one varies fastest.
template <int Arrays>
struct array_dimensions {
  static constexpr int max = 8;

  struct dimension {
    std::size_t extent;
    std::size_t stride[std::size_t{Arrays}];
  };

  int count = 1;  ///< at least 1
  dimension dims[max] = {{1, {}}};

  /// The number of positions; the product must fit.
  WARPFOLD_HD constexpr std::size_t size(int from = 0) const {
    std::size_t n = 1;
    for (int d = from; d < count; ++d) n *= dims[d].extent;
    return n;
  }

  /// The offsets of position `i`, which counts from dimension `from` on.
  WARPFOLD_HD array_offsets<Arrays> place(std::size_t i, int from = 0) const {
    array_offsets<Arrays> at{};
    for (int d = from; d < count; ++d) {
      std::size_t own = i;
      if (d + 1 < count) {
        const std::size_t extent = dims[d].extent;
        // A 64-bit division takes five times as long as a 32-bit one on the GPU.
        std::size_t next;
        if (((i | extent) >> 32) == 0) {
          next = static_cast<std::uint32_t>(i) / static_cast<std::uint32_t>(extent);
        } else {
          next = i / extent;
        }
        own = i - next * extent;
        i = next;
      }
      WARPFOLD_UNROLL
      for (int a = 0; a < Arrays; ++a) at.of[a] += own * dims[d].stride[a];
    }
    return at;
  }

  /// Appends a dimension, or merges it with the one before if it continues that in every array.
  /// Dimensions of extent 1 are left out.
  constexpr void append(const dimension& next) {
    if (next.extent == 1) return;
    dimension& before = dims[count - 1];
    if (count == 1 && before.extent == 1) {
      before = next;
      return;
    }
    bool continues = true;
    for (int a = 0; a < Arrays; ++a) {
      continues = continues && next.stride[a] == before.extent * before.stride[a];
    }
    if (continues) {
      before.extent *= next.extent;
    } else {
      dims[count++] = next;
    }
  }
};

}  // namespace warpfold
