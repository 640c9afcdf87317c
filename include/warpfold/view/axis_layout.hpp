/// @file
/// Where the elements of each result of a fold along an axis lie, and where the results go.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/core/config.hpp>

namespace warpfold {

/// A dimension that is kept. Strides count elements: of the input, and of the output.
struct axis_dimension {
  std::size_t extent;
  std::size_t in;
  std::size_t out;
};

/// Where an element is in the input, or a result in the output: in elements from the first.
struct axis_place {
  std::size_t in;
  std::size_t out;
};

/// How the elements of each result lie. The kept dimensions are in the order of the input's strides, the smallest first, and
/// those that go on where the one before ends are one; so most arrays are outer x axis x inner.
struct axis_layout {
  static constexpr int most_kept = 4;

  std::size_t outputs = 1;  ///< results
  std::size_t length = 1;   ///< elements of each
  std::size_t step = 1;     ///< from one of those to the next
  int kept = 1;             ///< dimensions, one at least
  axis_dimension dims[most_kept] = {{1, 1, 1}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}};

  /// Where result number `i` is, and its first element; counted from dimension `from` on.
  WARPFOLD_HD axis_place place(std::size_t i, int from = 0) const {
    axis_place at{0, 0};
    for (int d = from; d < most_kept; ++d) {
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

  /// Results for each of the first dimension's: 1 where that is the only one.
  std::size_t outers() const { return dims[0].extent == 0 ? 0 : outputs / dims[0].extent; }
};

}  // namespace warpfold
