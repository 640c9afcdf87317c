/// @file
/// The extents and strides of an mdspan, with and without the axis that is folded.
#pragma once

#include <cstddef>

#include <warpfold/core/error.hpp>
#include <warpfold/view/axis_layout.hpp>
#include <warpfold/view/distinct_places.hpp>
#include <warpfold/view/matrix.hpp>

namespace warpfold::detail {

inline constexpr int max_axes = 8;

// Dimensions in the order of their indices. Strides count elements.
struct axis_shape {
  int rank = 0;
  std::size_t extent[max_axes] = {};
  std::size_t stride[max_axes] = {};

  std::size_t count() const {  // after require_countable
    std::size_t n = 1;
    for (int d = 0; d < rank; ++d) n *= extent[d];
    return n;
  }
  std::size_t span() const {  // elements from the first to the last; after require_countable
    if (count() == 0) return 0;
    std::size_t last = 0;
    for (int d = 0; d < rank; ++d) last += (extent[d] - 1) * stride[d];
    return last + 1;
  }

  // @throws invalid_range if the elements, or the span from the first to the last, exceed the
  //     address space
  void require_countable(const char* what, std::size_t element_bytes) const {
    std::size_t n = 1, last = 0;
    bool none = false, too_many = false;
    for (int d = 0; d < rank; ++d) none |= extent[d] == 0;
    for (int d = 0; d < rank && !none; ++d) {
      std::size_t reach = 0;
      too_many |= __builtin_mul_overflow(n, extent[d], &n);
      too_many |= __builtin_mul_overflow(extent[d] - 1, stride[d], &reach);
      too_many |= __builtin_add_overflow(last, reach, &last);
    }
    // With strides of 0 there may be more elements than the span has.
    too_many |= last >= max_bytes / element_bytes || n > max_bytes / element_bytes;
    if (!none && too_many) {
      throw invalid_range("warpfold: ", what, " of ", rank, " dimensions and elements of ",
                          element_bytes,
                          " bytes is larger than the address space; check the extents and strides");
    }
  }

  axis_shape without(int axis) const {
    axis_shape kept;
    for (int d = 0; d < rank; ++d) {
      if (d == axis) continue;
      kept.extent[kept.rank] = extent[d];
      kept.stride[kept.rank++] = stride[d];
    }
    return kept;
  }

  // The same extents in row-major order without gaps.
  axis_shape row_major() const {
    axis_shape packed = *this;
    std::size_t step = 1;
    for (int d = rank; d-- > 0;) {
      packed.stride[d] = step;
      step *= extent[d];
    }
    return packed;
  }
};

// @throws invalid_range if a stride is negative
template <mdspan_like Mdspan>
axis_shape shape_of(const Mdspan& m) {
  axis_shape s;
  s.rank = static_cast<int>(Mdspan::rank());
  if constexpr (Mdspan::rank() > 0) {
    for (int d = 0; d < s.rank; ++d) {
      const dimension own = dimension_of(m, d);
      s.extent[d] = own.extent;
      s.stride[d] = own.stride;
    }
  }
  return s;
}

// @throws invalid_range if the output's extents differ from those that are kept, or if several
//     results have one address
inline void require_same_extents(const axis_shape& kept, const axis_shape& out) {
  for (int d = 0; d < kept.rank; ++d) {
    if (out.extent[d] != kept.extent[d]) {
      throw invalid_range(
          "warpfold: the output's dimension ", d, " has an extent of ", out.extent[d],
          ", but the input, without the axis, has ", kept.extent[d],
          "; pass an output with the input's extents in their order, without the axis");
    }
  }
  if (out.count() == 0) return;  // a row without elements has a stride of 0
  for (int d = 0; d < kept.rank; ++d) {
    if (out.stride[d] == 0 && out.extent[d] > 1) {
      throw invalid_range("warpfold: the output's dimension ", d,
                          " has a stride of 0: several results would be written to one element. "
                          "Pass an output with one element for each result");
    }
  }
  if (strided_places(out.rank, out.extent, out.stride).are_distinct()) return;
  message m("warpfold: the output has extents of ");
  for (int d = 0; d < out.rank; ++d) m << (d == 0 ? "" : " x ") << out.extent[d];
  m << " and strides of ";
  for (int d = 0; d < out.rank; ++d) m << (d == 0 ? "" : ", ") << out.stride[d];
  m << " elements: several results would be written to one element. Pass an output with one "
       "element for each result";
  throw invalid_range(m);
}

// Removes dimensions of extent 1 and sorts the others by the input's strides. Merges dimensions
// that continue each other in both the input and the output.
inline axis_layout layout_of(std::size_t length, std::size_t step, const axis_shape& kept,
                             const axis_shape& out) {
  axis_layout l;
  l.outputs = kept.count();
  l.length = length;
  l.step = length > 1 ? step : 0;
  axis_dimension sorted[axis_layout::max_kept] = {};
  int count = 0;
  for (int d = 0; d < kept.rank; ++d) {
    if (kept.extent[d] == 1) continue;
    const axis_dimension own{kept.extent[d], kept.stride[d], out.stride[d]};
    int at = count++;
    for (; at > 0 && (own.in < sorted[at - 1].in ||
                      (own.in == sorted[at - 1].in && own.out < sorted[at - 1].out));
         --at) {
      sorted[at] = sorted[at - 1];
    }
    sorted[at] = own;
  }
  if (count == 0) return l;  // one result
  l.dims[0] = sorted[0];
  for (int d = 1; d < count; ++d) {
    axis_dimension& before = l.dims[l.kept - 1];
    if (sorted[d].in == before.extent * before.in && sorted[d].out == before.extent * before.out) {
      before.extent *= sorted[d].extent;
    } else {
      l.dims[l.kept++] = sorted[d];
    }
  }
  return l;
}

}  // namespace warpfold::detail
