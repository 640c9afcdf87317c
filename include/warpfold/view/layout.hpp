/// @file
/// Layouts of arrays with strides: their shapes, and their dimensions in the order of memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/core/config.hpp>
#include <warpfold/core/error.hpp>
#include <warpfold/view/chunk.hpp>

namespace warpfold {

namespace detail {

/// a / b, in 32 bits if both fit: on the GPU that takes a fifth of the time.
WARPFOLD_HD constexpr std::size_t divided_down(std::size_t a, std::size_t b) {
  if (((a | b) >> 32) == 0) return static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b);
  return a / b;
}

inline constexpr int max_array_rank = 8;

// The maximum size of a range in bytes: half of the address space.
inline constexpr std::size_t max_bytes = ~std::size_t{0} / 2;

template <class Dimension, class Before>
void sort_dimensions(Dimension* dims, int count, const Before& before) {
  for (int i = 1; i < count; ++i) {
    const Dimension own = dims[i];
    int at = i;
    for (; at > 0 && before(own, dims[at - 1]); --at) dims[at] = dims[at - 1];
    dims[at] = own;
  }
}

// Dimensions in another order than that of their indices.
struct dimension_order {
  int count = 0;
  int of[max_array_rank] = {};

  bool operator==(const dimension_order&) const = default;
};

// Dimensions of one array in the order of their indices. Strides count elements.
struct array_shape {
  int rank = 0;
  std::size_t extent[max_array_rank] = {};
  std::size_t stride[max_array_rank] = {};
  // True if memory counts dimension 0: it is then the last one of all orders, so that the elements
  // that exist come first.
  bool has_counted_rows = false;

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

  // @throws invalid_range if the elements, or their span, exceed the address space
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
    if (none || !too_many) return;
    message m("warpfold: ", what, " with ");
    describe(m);
    throw_error<invalid_range>(
        m << " elements is larger than the address space; check the extents and strides");
  }

  // By stride, and of equal strides the last index first. Extents of 1 are left out.
  dimension_order order() const {
    dimension_order o;
    for (int d = rank; d-- > 0;) {
      if (extent[d] != 1) o.of[o.count++] = d;
    }
    const int sorted =
        has_counted_rows && o.count != 0 && o.of[o.count - 1] == 0 ? o.count - 1 : o.count;
    sort_dimensions(o.of, sorted, [&](int d, int e) { return stride[d] < stride[e]; });
    return o;
  }

  // True if each stride is larger than the span of all smaller ones: no two share an address.
  bool nests() const {
    if (count() == 0) return true;
    array_shape in_memory = *this;
    in_memory.has_counted_rows = false;
    const dimension_order o = in_memory.order();
    std::size_t reach = 0;
    for (int i = 0; i < o.count; ++i) {
      if (stride[o.of[i]] <= reach) return false;
      reach += (extent[o.of[i]] - 1) * stride[o.of[i]];
    }
    return true;
  }

  // @throws invalid_range if the dimensions of an output do not nest
  void require_nested() const {
    if (nests()) return;
    message own;
    describe(own);
    throw_error<invalid_range>(
        "warpfold: several results would be written to one element, or the dimensions interleave: "
        "the output has ",
        own,
        " elements. Pass an output in which each stride is larger than the span of the dimensions "
        "with smaller strides");
  }

  array_shape without(int axis) const {
    array_shape kept;
    kept.has_counted_rows = has_counted_rows;
    for (int d = 0; d < rank; ++d) {
      if (d == axis) continue;
      kept.extent[kept.rank] = extent[d];
      kept.stride[kept.rank++] = stride[d];
    }
    return kept;
  }

  // The same extents in row-major order without gaps.
  array_shape row_major() const {
    array_shape packed = *this;
    std::size_t step = 1;
    for (int d = rank; d-- > 0; step *= extent[d]) packed.stride[d] = step;
    return packed;
  }

  void list_strides(message& m) const {
    for (int d = 0; d < rank; ++d) m << (d == 0 ? "" : ", ") << stride[d];
  }

 private:
  void describe(message& m) const {
    m << "extents of ";
    for (int d = 0; d < rank; ++d) m << (d == 0 ? "" : " x ") << extent[d];
    m << " and strides of ";
    list_strides(m);
  }
};

inline array_shape shape_of_line(std::size_t extent, std::size_t stride) {
  array_shape line;
  line.rank = 1;
  line.extent[0] = extent;
  line.stride[0] = stride;
  return line;
}

}  // namespace detail

/// A position in each of `Arrays` arrays, in elements.
template <int Arrays>
struct array_offsets {
  std::size_t of[std::size_t{Arrays}];
};

/// Up to `Max` dimensions that `Arrays` arrays share; the first one varies fastest.
template <int Arrays, int Max = detail::max_array_rank>
struct array_dimensions {
  struct dimension {
    std::size_t extent;
    std::size_t stride[std::size_t{Arrays}];
  };

  int count = 1;  ///< at least 1
  dimension dims[std::size_t{Max}] = {{1, {}}};

  /// The number of positions; the product must fit.
  WARPFOLD_HD constexpr std::size_t size(int from = 0) const {
    std::size_t n = 1;
    for (int d = from; d < count; ++d) n *= dims[d].extent;
    return n;
  }

  /// The offsets of position `i`, which counts from dimension `from` on.
  WARPFOLD_HD array_offsets<Arrays> place(std::size_t i, int from = 0) const {
    array_offsets<Arrays> at{};
    if constexpr (Max <= 4) {
      // The loop below, with a bound that the compiler knows. It saves instructions.
      for (int d = from; d < Max; ++d) {
        std::size_t own = i;
        if (d + 1 < count) {
          const std::size_t next = detail::divided_down(i, dims[d].extent);
          own = i - next * dims[d].extent;
          i = next;
        }
        for (int a = 0; a < Arrays; ++a) at.of[a] += own * dims[d].stride[a];
        if (d + 1 >= count) break;
      }
    } else {
      WARPFOLD_NO_UNROLL
      for (int d = from; d < count; ++d) {
        std::size_t own = i;
        if (d + 1 < count) {
          const std::size_t next = detail::divided_down(i, dims[d].extent);
          own = i - next * dims[d].extent;
          i = next;
        }
        WARPFOLD_UNROLL
        for (int a = 0; a < Arrays; ++a) at.of[a] += own * dims[d].stride[a];
      }
    }
    return at;
  }

  /// The offsets of line `number`: lines are the first dimension or `line_size` positions of it.
  WARPFOLD_HD array_offsets<Arrays> line_start(std::size_t number, std::size_t line_size) const {
    return line_size == dims[0].extent ? place(number, 1) : place(number * line_size);
  }

  /// The elements of an array from the first to the last, including gaps.
  std::size_t span(int array) const {
    std::size_t last = 0;
    for (int d = 0; d < count; ++d) {
      if (dims[d].extent == 0) return 0;
      last += (dims[d].extent - 1) * dims[d].stride[array];
    }
    return last + 1;
  }

  /// True if position `i` is at offset `i` in an array.
  WARPFOLD_HD constexpr bool is_contiguous(int array) const {
    std::size_t next = 1;
    for (int d = 0; d < count; next *= dims[d++].extent) {
      if (dims[d].extent != 1 && dims[d].stride[array] != next) return false;
    }
    return true;
  }

  /// Calls `f(at, first, last)` for each line that has some of the `n` positions from `i` on. A
  /// line is the positions along the first dimension. Positions `i + first` to `i + last - 1` are
  /// in that line, and `at` are the offsets of the first of them.
  WARPFOLD_ANY_SIDE inline WARPFOLD_HD void for_lines(std::size_t i, int n, const auto& f) const {
    const dimension& line = dims[0];
    std::size_t own = i, next = 0;
    if (count > 1) {
      next = detail::divided_down(i, line.extent);
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

  /// Appends a dimension, or merges it with one that it continues. Extents of 1 are left out.
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

namespace detail {

/// True if lines of `line_size` elements can be accessed in chunks of whole words.
template <int Size, class T, int Arrays>
bool has_words(const T* first, const array_dimensions<Arrays>& dims, int array,
               std::size_t line_size) {
  constexpr std::size_t per_word = word_bytes % sizeof(T) == 0 ? word_bytes / sizeof(T) : 0;
  if constexpr (!chunk<T, Size>::fills_words || per_word == 0) {
    return false;
  } else {
    if (dims.dims[0].stride[array] != 1 || !at_word(first)) return false;
    for (int d = 1; d < dims.count; ++d) {
      if (dims.dims[d].stride[array] % per_word != 0) return false;
    }
    return line_size == dims.dims[0].extent || line_size % per_word == 0;
  }
}

}  // namespace detail

/// The places of results of one array, of their elements and of the output. The kept dimensions are
/// sorted by the array's strides and merged: most arrays become outer x axis x inner.
struct axis_layout {
  static constexpr int max_kept = 4;
  static constexpr int in = 0, out = 1;  ///< the strides and offsets in `kept`

  std::size_t outputs = 1;  ///< results
  std::size_t length = 1;   ///< elements per result
  std::size_t step = 1;     ///< elements between two elements of a result
  array_dimensions<2, max_kept> kept = {1, {{1, {1, 1}}}};
};

/// The same for a fold of several arrays along several dimensions to several outputs. Both kinds of
/// dimensions are sorted by the strides of the largest array, the smallest first.
template <int Arrays, int Outs>
struct array_layout {
  std::size_t outputs = 1;  ///< results
  std::size_t length = 1;   ///< elements per result
  array_dimensions<Arrays + Outs> kept;
  /// The last stride is that of the index, which counts elements in the order of their indices.
  array_dimensions<Arrays + 1> folded;
  bool by_rows = false;  ///< true if neighboring elements in memory belong to one result
};

namespace detail {

// The dimensions of arrays of the same extents, in the order of the memory of `by`.
template <int Arrays, int Max = max_array_rank>
array_dimensions<Arrays, Max> in_order_of(const array_shape& by, const array_shape* shapes) {
  const dimension_order order = by.order();
  array_dimensions<Arrays, Max> dims;
  for (int i = 0; i < order.count; ++i) {
    typename array_dimensions<Arrays, Max>::dimension own{};
    own.extent = by.extent[order.of[i]];
    for (int a = 0; a < Arrays; ++a) own.stride[a] = shapes[a].stride[order.of[i]];
    dims.append(own);
  }
  return dims;
}

// A fold of `length` elements, `step` apart; of equal strides the output's smallest is first.
inline axis_layout layout_of(std::size_t length, std::size_t step, const array_shape& kept,
                             const array_shape& out) {
  axis_layout l;
  l.outputs = kept.count();
  l.length = length;
  l.step = length > 1 ? step : 0;
  using dimension = decltype(l.kept)::dimension;
  dimension sorted[max_array_rank] = {};
  for (int d = 0; d < kept.rank; ++d) sorted[d] = {kept.extent[d], {kept.stride[d], out.stride[d]}};
  const int first = kept.has_counted_rows ? 1 : 0;
  sort_dimensions(sorted + first, kept.rank - first, [](const dimension& x, const dimension& y) {
    return x.stride[0] < y.stride[0] || (x.stride[0] == y.stride[0] && x.stride[1] < y.stride[1]);
  });
  for (int d = first; d < kept.rank; ++d) l.kept.append(sorted[d]);
  if (first != 0) l.kept.append(sorted[0]);
  return l;
}

// A fold of arrays of the same extents along the dimensions with `folds[d]`. `bytes` are those of
// an element of each array, `outs` the shapes of the outputs.
template <int Arrays, int Outs>
array_layout<Arrays, Outs> layout_of(const array_shape* shapes, const bool* folds,
                                     const std::size_t* bytes, const array_shape* outs) {
  array_layout<Arrays, Outs> l;
  typename array_dimensions<Arrays + Outs>::dimension kept[max_array_rank];
  typename array_dimensions<Arrays + 1>::dimension folded[max_array_rank];
  const int rank = shapes[0].rank;
  int keeps = 0, many = 0;
  for (int d = 0; d < rank; ++d) {
    const auto set = [&](auto& own) {
      own.extent = shapes[0].extent[d];
      for (int a = 0; a < Arrays; ++a) own.stride[a] = shapes[a].stride[d];
    };
    if (folds[d]) {
      set(folded[many++]);
    } else {
      set(kept[keeps]);
      for (int o = 0; o < Outs; ++o) kept[keeps].stride[Arrays + o] = outs[o].stride[keeps];
      l.outputs *= kept[keeps++].extent;
    }
  }
  for (int d = many; d-- > 0; l.length *= folded[d].extent) folded[d].stride[Arrays] = l.length;

  // The bytes of each array, without repetitions, and the arrays from the largest to the smallest.
  double weight[std::size_t{Arrays}] = {};
  int order[std::size_t{Arrays}] = {};
  for (int a = 0; a < Arrays; ++a) {
    order[a] = a;
    weight[a] = static_cast<double>(bytes[a]);
    for (int d = 0; d < rank; ++d) {
      if (shapes[a].stride[d] != 0) weight[a] *= static_cast<double>(shapes[a].extent[d]);
    }
  }
  sort_dimensions(order, Arrays, [&](int a, int b) { return weight[a] > weight[b]; });
  const auto before = [&](const auto& x, const auto& y) {
    for (const int a : order) {
      if (x.stride[a] != y.stride[a]) return x.stride[a] < y.stride[a];
    }
    return false;
  };
  const int first = shapes[0].has_counted_rows ? 1 : 0;
  sort_dimensions(kept + first, keeps - first, before);
  sort_dimensions(folded, many, before);
  for (int d = first; d < keeps; ++d) l.kept.append(kept[d]);
  if (first != 0) l.kept.append(kept[0]);
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
