/// @file
/// Matrices: all elements of an mdspan of two dimensions, along the dimension in which they lie side by side.
///
/// An mdspan is known by what it offers and not by name, so that `cuda::std::mdspan`, `std::mdspan` and others
/// of that interface are all taken, and none of their headers is needed here.
#pragma once

#include <new>

#include <warpfold/core/error.hpp>
#include <warpfold/view/contiguous.hpp>

namespace warpfold {

/// `rows` rows of `columns` elements each; a row's elements are `step` elements apart, and a row starts `pitch`
/// elements after the one before. The elements' order is that of memory, row after row, if rows do not overlap.
/// `matrix` makes one, with the dimension of the smaller stride as that of the columns.
///
/// Elements side by side are loaded 16 bytes at a time where a chunk is within one row and at a multiple of 16
/// bytes, as all are but the rows' ends where the pitch is a multiple of 16 bytes and the number of columns
/// one of the chunk's elements; others are loaded one by one.
///
/// Cost: as `contiguous_view` for a single row. Of several, each chunk takes a division to find its row, of 32
///       bits where the place of the element fits those.
template <class T>
class matrix_view {
 public:
  using value_type = std::remove_cv_t<T>;

  static constexpr bool tells_memory = true;
  static constexpr bool computes_elements = false;
  static constexpr int chunk_size = detail::elements_per_chunk(sizeof(value_type));
  using chunk_type = chunk<value_type, chunk_size>;

  matrix_view() = default;
  WARPFOLD_HD constexpr matrix_view(const T* data, std::size_t rows, std::size_t columns,
                                    std::size_t pitch, std::size_t step)
      : data_(data), size_(rows * columns), columns_(columns), pitch_(pitch), step_(step) {}

  WARPFOLD_HD constexpr std::size_t size() const { return size_; }
  WARPFOLD_HD constexpr const T& operator[](std::size_t i) const {
    const place p = place_of(i);
    return data_[p.row * pitch_ + p.column * step_];
  }

  /// That of the first row, and of every other that lies as it does.
  WARPFOLD_HD std::size_t head() const {
    if constexpr (chunk_type::fills_words) {
      if (step_ != 1) return any_head;
      for (int i = 0; i < chunk_size; ++i) {
        if (is_aligned(data_ + i)) return static_cast<std::size_t>(i);
      }
    }
    return any_head;
  }

  template <class Loads>
  WARPFOLD_HD value_type at(std::size_t i, const Loads& loads) const {
    return loads.load(&(*this)[i]);
  }

  template <class Loads>
  WARPFOLD_HD void load(chunk_type& c, std::size_t i, const Loads& loads) const {
    load_anywhere(c, i, loads);  // whether a chunk is within its row each has to find out
  }

  template <class Loads>
  WARPFOLD_HD void load_anywhere(chunk_type& c, std::size_t i, const Loads& loads) const {
    place p = place_of(i);
    std::size_t row_at = p.row * pitch_;
    std::size_t at = row_at + p.column * step_;
    if constexpr (chunk_type::fills_words) {
      const bool within = columns_ - p.column >= static_cast<std::size_t>(chunk_size);
      if (step_ == 1 && within && is_aligned(data_ + at)) {
        const auto* const from = reinterpret_cast<const unsigned char*>(data_ + at);
        WARPFOLD_UNROLL
        for (int w = 0; w < chunk_type::words; ++w) {
          c.as_words[w] = loads.load_word(from + static_cast<std::size_t>(w) * word_bytes);
        }
        return;
      }
    }
    // One division a chunk: from there on steps, and a new row where one ends.
    WARPFOLD_UNROLL
    for (int k = 0; k < chunk_size; ++k) {
      ::new (static_cast<void*>(&c.elements[k])) value_type(loads.load(data_ + at));
      at += step_;
      if (++p.column == columns_) {
        p.column = 0;
        row_at += pitch_;
        at = row_at;
      }
    }
  }

  WARPFOLD_HD const value_type& get(const chunk_type& c, int k) const { return c.elements[k]; }

  /// Tells of all memory from the first element to the last, with what lies between the rows: that is what
  /// must be readable, and what `bytes_of` counts.
  template <class Visitor>
  void visit_memory(Visitor&& visit) const {
    std::size_t span = 0;
    if (size_ != 0) {
      span = (size_ / columns_ - 1) * pitch_ + (columns_ - 1) * step_ + 1;
    }
    contiguous_view<T>(data_, span).visit_memory(visit);
  }

 private:
  struct place {
    std::size_t row;
    std::size_t column;
  };

  // A 64-bit division is a hundred instructions on the GPU, and one of 32 bits a fifth of that. A single
  // row takes none, and neither branch diverges but at its edge.
  WARPFOLD_HD constexpr place place_of(std::size_t i) const {
    if (i < columns_) return {0, i};
    if (((i | columns_) >> 32) == 0) {
      const auto small = static_cast<std::uint32_t>(i);
      const auto columns = static_cast<std::uint32_t>(columns_);
      return {small / columns, small % columns};
    }
    return {i / columns_, i % columns_};
  }

  static WARPFOLD_HD bool is_aligned(const T* p) {
    return reinterpret_cast<std::uintptr_t>(p) % word_bytes == 0;
  }

  const T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t columns_ = 0;
  std::size_t pitch_ = 0;
  std::size_t step_ = 1;
};

static_assert(view<matrix_view<float>>);

namespace detail {

// What an mdspan of the standard, CUDA's or Kokkos', offers.
template <class M>
concept mdspan_like = requires(const M& m) {
  typename M::element_type;
  typename M::data_handle_type;
  typename M::reference;
  M::rank();
  M::is_always_strided();
  M::is_always_exhaustive();
  m.data_handle();
  m.mapping();
  m.extent(0);
};

// One dimension: how many elements, and how many elements lie between two.
struct dimension {
  std::size_t extent;
  std::size_t stride;
};

// A dimension of an mdspan.
// @throws invalid_range  if its stride is negative
template <class M>
dimension dimension_of(const M& m, int d) {
  using index = decltype(M::rank());
  const auto extent = m.extent(static_cast<index>(d));
  const auto stride = m.mapping().stride(static_cast<index>(d));
  if constexpr (std::is_signed_v<decltype(stride)>) {
    if (extent > 1 && stride < 0) {
      throw invalid_range(
          "warpfold: dimension ", d, " of the mdspan has a negative stride, ", stride,
          " elements; start at the dimension's other end and pass a positive stride");
    }
  }
  return {static_cast<std::size_t>(extent), static_cast<std::size_t>(stride)};
}

// The most bytes that a range can have: addresses reach no further.
inline constexpr std::size_t most_bytes = ~std::size_t{0} / 2;

// How many elements a matrix has, which is 0 if it has no row or no column.
// @throws invalid_range  if they, or the span from the first to the last, have more bytes than an address space
inline std::size_t elements_of(const dimension& a, const dimension& b, std::size_t element_bytes) {
  std::size_t all = 0, to_last_a = 0, to_last_b = 0, span = 0;
  if (a.extent == 0 || b.extent == 0) return 0;
  bool too_many = __builtin_mul_overflow(a.extent, b.extent, &all);
  too_many |= __builtin_mul_overflow(a.extent - 1, a.stride, &to_last_a);
  too_many |= __builtin_mul_overflow(b.extent - 1, b.stride, &to_last_b);
  too_many |= __builtin_add_overflow(to_last_a, to_last_b, &span);
  too_many |= __builtin_add_overflow(span, std::size_t{1}, &span);
  // With strides of 0 there may be more elements than the span has.
  too_many |= (all > span ? all : span) > most_bytes / element_bytes;
  if (too_many) {
    throw invalid_range("warpfold: a matrix of ", a.extent, " x ", b.extent, " elements of ",
                        element_bytes, " bytes, with strides of ", a.stride, " and ", b.stride,
                        " elements, is larger than any memory; are extents and strides those of "
                        "the data?");
  }
  return all;
}

}  // namespace detail

/// All elements of `m`, an mdspan of rank 2, in the order in which they lie in memory: those of
/// `layout_right` row by row, of `layout_left` column by column, and of `layout_stride` along the smaller stride.
/// Ops that are not commutative see that order and not the indices', and so does `zip`: it pairs the elements of
/// two matrices of one layout only.
///
/// `m` may be row-major, column-major, a part of either, or anything else with strides. Its memory must outlive
/// the view; `m` itself need not.
///
/// Cost: layouts without gaps are contiguous ranges. A part of a matrix is loaded as `matrix_view` says; where
///       neither stride is 1, one element at a time.
/// @throws invalid_range  if a stride is negative, or the span from the first element to the last has more bytes than an
///                        address space
///
/// Example: test/examples/matrix.cu
template <detail::mdspan_like M>
auto matrix(const M& m) {
  using T = typename M::element_type;
  constexpr bool two = M::rank() == 2;
  static_assert(two,
                "warpfold: matrix takes an mdspan of rank 2; of another, take the elements "
                "from data_handle() on, or its parts of rank 2");
  constexpr bool plain =
      std::is_pointer_v<typename M::data_handle_type> && std::is_same_v<typename M::reference, T&>;
  static_assert(plain,
                "warpfold: the mdspan's accessor does more than to read memory; matrix would not "
                "call it. Use default_accessor and project");
  constexpr bool strided = M::is_always_strided();
  static_assert(strided, "warpfold: the mdspan's layout is not one of two strides");
  constexpr bool loadable = !std::is_volatile_v<T>;
  static_assert(loadable,
                "warpfold: the matrix's elements are volatile; copy them elsewhere, or cast "
                "volatile away");
  if constexpr (!two || !plain || !strided || !loadable) {
    return contiguous_view<const std::remove_volatile_t<T>>();
  } else {
    const detail::dimension a = detail::dimension_of(m, 0);
    const detail::dimension b = detail::dimension_of(m, 1);
    const std::size_t all = detail::elements_of(a, b, sizeof(T));
    if constexpr (M::is_always_exhaustive()) {
      return contiguous_view<const T>(m.data_handle(), all);
    } else {
      if (all == 0) return matrix_view<const T>(m.data_handle(), 0, 0, 0, 1);
      // A dimension of one element has a stride that nobody uses.
      const bool along_b = a.extent == 1 || (b.extent != 1 && b.stride <= a.stride);
      const detail::dimension& column = along_b ? b : a;
      const detail::dimension& row = along_b ? a : b;
      const std::size_t step = column.extent == 1 ? 1 : column.stride;
      // Rows that go on where the one before ends are one.
      if (row.extent == 1 || row.stride == column.extent * step) {
        return matrix_view<const T>(m.data_handle(), 1, all, 0, step);
      }
      return matrix_view<const T>(m.data_handle(), row.extent, column.extent, row.stride, step);
    }
  }
}

}  // namespace warpfold
