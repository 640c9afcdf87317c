/// @file
/// The positions of the elements of each result of a fold of several arrays, and of the results.
#pragma once

#include <cstddef>

#include <warpfold/view/array_dimensions.hpp>
#include <warpfold/view/array_tree.hpp>
#include <warpfold/view/axis_shape.hpp>

namespace warpfold {

/// The kept dimensions and the folded ones. Both are sorted by the strides of the largest array,
/// the smallest first. Dimensions that continue each other in all arrays are merged.
template <int Arrays, int Outs>
struct array_layout {
  std::size_t outputs = 1;  ///< results
  std::size_t length = 1;   ///< elements per result
  array_dimensions<Arrays + Outs> kept;
  /// The last stride is that of the index: elements are counted in the order of their indices.
  array_dimensions<Arrays + 1> folded;
  bool by_rows = false;  ///< true if neighboring elements in memory belong to one result
};

namespace detail {

// Arranges the dimensions of `shape`: those with `folds[d]` are folded, the others are kept in
// their order.
// @param bytes of an element of each array
// @param outs the shapes of the outputs
template <int Arrays, int Outs>
array_layout<Arrays, Outs> arranged(const array_shape<Arrays>& shape, const bool* folds,
                                    const std::size_t* bytes, const axis_shape* outs) {
  array_layout<Arrays, Outs> l;
  using kept_dimension = typename array_dimensions<Arrays + Outs>::dimension;
  using folded_dimension = typename array_dimensions<Arrays + 1>::dimension;
  kept_dimension kept[max_array_rank];
  folded_dimension folded[max_array_rank];
  int keeps = 0, many = 0;
  for (int d = 0; d < shape.rank; ++d) {
    if (folds[d]) {
      folded_dimension& own = folded[many++];
      own.extent = shape.extent[d];
      for (int a = 0; a < Arrays; ++a) own.stride[a] = shape.stride[a][d];
    } else {
      kept_dimension& own = kept[keeps];
      own.extent = shape.extent[d];
      for (int a = 0; a < Arrays; ++a) own.stride[a] = shape.stride[a][d];
      for (int o = 0; o < Outs; ++o) own.stride[Arrays + o] = outs[o].stride[keeps];
      l.outputs *= own.extent;
      ++keeps;
    }
  }
  for (int d = many; d-- > 0;) {
    folded[d].stride[Arrays] = l.length;
    l.length *= folded[d].extent;
  }

  // The bytes of each array, without repetitions, and the arrays from the largest to the smallest.
  double weight[std::size_t{Arrays}] = {};
  int order[std::size_t{Arrays}] = {};
  for (int a = 0; a < Arrays; ++a) {
    weight[a] = static_cast<double>(bytes[a]);
    for (int d = 0; d < shape.rank; ++d) {
      if (shape.stride[a][d] != 0) weight[a] *= static_cast<double>(shape.extent[d]);
    }
    int at = a;
    for (; at > 0 && weight[a] > weight[order[at - 1]]; --at) order[at] = order[at - 1];
    order[at] = a;
  }
  const auto sort = [&](auto* dims, int count) {
    const auto before = [&](const auto& x, const auto& y) {
      for (const int a : order) {
        if (x.stride[a] != y.stride[a]) return x.stride[a] < y.stride[a];
      }
      return false;
    };
    for (int i = 1; i < count; ++i) {
      const auto own = dims[i];
      int at = i;
      for (; at > 0 && before(own, dims[at - 1]); --at) dims[at] = dims[at - 1];
      dims[at] = own;
    }
  };
  sort(kept, keeps);
  sort(folded, many);
  for (int d = 0; d < keeps; ++d) l.kept.append(kept[d]);
  for (int d = 0; d < many; ++d) l.folded.append(folded[d]);

  const auto& along = l.folded.dims[0];
  const auto& across = l.kept.dims[0];
  double rows = 0, columns = 0;
  for (int a = 0; a < Arrays; ++a) {
    if (along.extent > 1 && along.stride[a] == 1) rows += weight[a];
    if (across.extent > 1 && across.stride[a] == 1) columns += weight[a];
  }
  if (rows == columns && rows == 0) {
    const int a = order[0];
    l.by_rows = along.extent > 1 && (across.extent <= 1 || along.stride[a] < across.stride[a]);
  } else {
    l.by_rows = rows >= columns;
  }
  return l;
}

}  // namespace detail

}  // namespace warpfold
