/// @file
/// Dimensions that several arrays share, with a stride for each array.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/core/config.hpp>
#include <warpfold/view/chunk.hpp>

namespace warpfold {

/// a / b, in 32 bits if both fit: on the GPU that takes a fifth of the time.
WARPFOLD_HD constexpr std::size_t divided_down(std::size_t a, std::size_t b) {
  if (((a | b) >> 32) == 0) {
    return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
  }
  return a / b;
}

/// A position in each of `Arrays` arrays, in elements.
template <int Arrays>
struct array_offsets {
  std::size_t of[std::size_t{Arrays}];
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
    WARPFOLD_NO_UNROLL
    for (int d = from; d < count; ++d) {
      std::size_t own = i;
      if (d + 1 < count) {
        const std::size_t next = divided_down(i, dims[d].extent);
        own = i - next * dims[d].extent;
        i = next;
      }
      WARPFOLD_UNROLL
      for (int a = 0; a < Arrays; ++a) at.of[a] += own * dims[d].stride[a];
    }
    return at;
  }

  /// Calls `f(at, first, last)` for each line (the positions along the first dimension) that the
  /// `n` positions from `i` on are in. Positions `i + first` to `i + last - 1` are in that line,
  /// and `at` are the offsets of the first of them.
  WARPFOLD_ANY_SIDE
  template <class F>
  WARPFOLD_HD void for_lines(std::size_t i, int n, const F& f) const {
    const dimension& line = dims[0];
    std::size_t own = i, next = 0;
    if (count > 1) {
      next = divided_down(i, line.extent);
      own = i - next * line.extent;
    }
    int first = 0;
    WARPFOLD_NO_UNROLL
    for (;;) {
      array_offsets<Arrays> at{};
      if (count > 1) at = place(next, 1);
      WARPFOLD_UNROLL
      for (int a = 0; a < Arrays; ++a) at.of[a] += own * line.stride[a];
      const std::size_t left = line.extent - own;
      if (left >= static_cast<std::size_t>(n - first)) {
        f(at, first, n);
        return;
      }
      f(at, first, first + static_cast<int>(left));
      first += static_cast<int>(left);
      own = 0;
      ++next;
    }
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

/// True if, in each line of `line_size` elements, an array can be accessed in chunks of `Size`
/// elements that are whole words.
template <int Size, class T, int Arrays>
bool has_words(const T* first, const array_dimensions<Arrays>& dims, int array,
               std::size_t line_size) {
  constexpr std::size_t per_word = word_bytes % sizeof(T) == 0 ? word_bytes / sizeof(T) : 0;
  if constexpr (!chunk<T, Size>::fills_words || per_word == 0) {
    return false;
  } else {
    if (dims.dims[0].stride[array] != 1 ||
        reinterpret_cast<std::uintptr_t>(first) % word_bytes != 0) {
      return false;
    }
    for (int d = 1; d < dims.count; ++d) {
      if (dims.dims[d].stride[array] % per_word != 0) return false;
    }
    return line_size == dims.dims[0].extent || line_size % per_word == 0;
  }
}

}  // namespace warpfold
