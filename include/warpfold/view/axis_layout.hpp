/// @file
/// The positions of the elements of each result of a fold along an axis, and of the results.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/core/config.hpp>

namespace warpfold {

/// A dimension that is kept, with the strides of the input and of the output, in elements.
struct axis_dimension {
  std::size_t extent;
  std::size_t in;
  std::size_t out;
};

/// The offset of an element in the input and of a result in the output, in elements from the first.
struct axis_place {
  std::size_t in;
  std::size_t out;
};

/// The positions of all results and their elements. The kept dimensions are sorted by the input's
/// strides, the smallest first. A dimension that continues the one before is merged with it, so
/// most arrays become outer x axis x inner.
struct axis_layout {
  static constexpr int max_kept = 4;

  std::size_t outputs = 1;  ///< results
  std::size_t length = 1;   ///< elements per result
  std::size_t step = 1;     ///< elements between two elements of a result
  int kept = 1;             ///< dimensions, at least 1
  axis_dimension dims[max_kept] = {{1, 1, 1}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}};

  /// The offsets of result `i` and of its first element; `i` counts from dimension `from` on.
  WARPFOLD_HD axis_place place(std::size_t i, int from = 0) const {
    axis_place at{0, 0};
    for (int d = from; d < max_kept; ++d) {
      std::size_t own = i;
      if (d + 1 < kept) {
        const std::size_t extent = dims[d].extent;
        std::size_t next;
        if (((i | extent) >> 32) == 0) {
          next = static_cast<std::uint32_t>(i) / static_cast<std::uint32_t>(extent);
        } else {
          next = i / extent;
        }
        own = i - next * extent;
        i = next;
      }
      at.in += own * dims[d].in;
      at.out += own * dims[d].out;
      if (d + 1 >= kept) break;
    }
    return at;
  }

  /// Results per index of the first dimension; 1 if there is no other dimension.
  std::size_t outers() const { return dims[0].extent == 0 ? 0 : outputs / dims[0].extent; }
};

}  // namespace warpfold
