/// @file
/// `matrix(mdspan)`: all elements of an mdspan of rank 2, in memory order.
///
/// An mdspan is recognized by its members, so `cuda::std::mdspan`, `std::mdspan` and others are
/// accepted, and none of their headers is needed here.
#pragma once

#include <new>

#include <warpfold/core/error.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/element_check.hpp>

namespace warpfold {

/// `rows` rows of `columns` elements each. The elements of a row are `step` elements apart, and a
/// row starts `pitch` elements after the one before. If rows do not overlap, elements are in memory
/// order, row by row. `matrix` makes one and takes the dimension with the smaller stride as the
/// columns.
///
/// With a step of 1, a chunk within one row and at a multiple of 16 bytes is loaded in 16-byte
/// words; others element by element. All chunks are loaded in words if the pitch is a multiple of
/// 16 bytes and the columns fill whole chunks.
///
/// Cost: for a single row, as `contiguous_view`. For several rows, each chunk takes one division to
/// find its row, in 32 bits if the index fits.
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
    const place p = index_of(i);
    return data_[p.row * pitch_ + p.column * step_];
  }

  /// The head of the first row, and of all rows with the same alignment.
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
    load_anywhere(c, i, loads);  // each chunk tests whether it is within its row
  }

  template <class Loads>
  WARPFOLD_HD void load_anywhere(chunk_type& c, std::size_t i, const Loads& loads) const {
    place p = index_of(i);
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
    // One division per chunk; the following elements are found by stepping.
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

  /// Visits all memory from the first element to the last, including gaps between rows. All of it
  /// must be readable, and `bytes_of` counts it.
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

  // A 64-bit division takes about 100 instructions on the GPU, a 32-bit division a fifth of that. A
  // single row takes none. Both branches diverge only at their boundary.
  WARPFOLD_HD constexpr place index_of(std::size_t i) const {
    if (i < columns_) return {0, i};
    if (((i | columns_) >> 32) == 0) {
      const auto narrow = static_cast<std::uint32_t>(i);
      const auto columns = static_cast<std::uint32_t>(columns_);
      return {narrow / columns, narrow % columns};
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

// The members of an mdspan of the standard library, CUDA or Kokkos.
template <class Mdspan>
concept mdspan_like = requires(const Mdspan& m) {
  typename Mdspan::element_type;
  typename Mdspan::data_handle_type;
  typename Mdspan::reference;
  Mdspan::rank();
  Mdspan::is_always_strided();
  Mdspan::is_always_exhaustive();
  m.data_handle();
  m.mapping();
  m.extent(0);
};

// The extent and the stride of one dimension, in elements.
struct dimension {
  std::size_t extent;
  std::size_t stride;
};

// A dimension of an mdspan.
// @throws invalid_range if its stride is negative
template <class Mdspan>
dimension dimension_of(const Mdspan& m, int d) {
  using index = decltype(Mdspan::rank());
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

// True if the elements are those at the data handle; otherwise reports an error.
template <class Mdspan>
constexpr bool check_accessor() {
  constexpr bool plain = std::is_pointer_v<typename Mdspan::data_handle_type> &&
                         std::is_same_v<typename Mdspan::reference, typename Mdspan::element_type&>;
  static_assert(plain,
                "warpfold: the mdspan's accessor is not default_accessor, and no view would "
                "call it; use default_accessor and project");
  return plain;
}

// True if the layout has strides; otherwise reports an error.
template <class Mdspan>
constexpr bool check_strides() {
  constexpr bool strided = Mdspan::is_always_strided();
  static_assert(strided,
                "warpfold: the mdspan's layout has no strides; use layout_right, layout_left or "
                "layout_stride");
  return strided;
}

// The maximum size of a range in bytes: half of the address space.
inline constexpr std::size_t max_bytes = ~std::size_t{0} / 2;

// The number of elements of a matrix.
// @throws invalid_range if they, or the span from the first to the last, exceed the address space
inline std::size_t elements_of(const dimension& a, const dimension& b, std::size_t element_bytes) {
  std::size_t all = 0, to_last_a = 0, to_last_b = 0, span = 0;
  if (a.extent == 0 || b.extent == 0) return 0;
  bool too_many = __builtin_mul_overflow(a.extent, b.extent, &all);
  too_many |= __builtin_mul_overflow(a.extent - 1, a.stride, &to_last_a);
  too_many |= __builtin_mul_overflow(b.extent - 1, b.stride, &to_last_b);
  too_many |= __builtin_add_overflow(to_last_a, to_last_b, &span);
  too_many |= __builtin_add_overflow(span, std::size_t{1}, &span);
  // With strides of 0 there may be more elements than the span has.
  too_many |= (all > span ? all : span) > max_bytes / element_bytes;
  if (too_many) {
    throw invalid_range(
        "warpfold: a matrix of ", a.extent, " x ", b.extent, " elements of ", element_bytes,
        " bytes, with strides of ", a.stride, " and ", b.stride,
        " elements, is larger than the address space; check the extents and strides");
  }
  return all;
}

}  // namespace detail

/// Returns a view of all elements of `m` in memory order: `layout_right` row by row, `layout_left`
/// column by column, and `layout_stride` along the smaller stride.
///
/// Ops that are not commutative see this order, not the order of the indices. So does `zip` of such
/// views, which cannot know the indices.
///
/// @param m an mdspan of rank 2 with any strides; its memory must outlive the view, `m` itself need
///     not
/// @return a view of all elements
///
/// Cost: layouts without gaps are contiguous ranges. Parts of a matrix are loaded as `matrix_view`
/// describes; if neither stride is 1, one element at a time.
/// @throws invalid_range if a stride is negative, or the span from the first element to the last
///     exceeds the address space
///
/// Example: test/examples/matrix.cu
template <detail::mdspan_like Mdspan>
auto matrix(const Mdspan& m) {
  using T = typename Mdspan::element_type;
  constexpr bool two = Mdspan::rank() == 2;
  static_assert(two,
                "warpfold: matrix takes an mdspan of rank 2; for other ranks pass the mdspan "
                "itself, or wf::elements(mdspan)");
  constexpr bool plain = detail::check_accessor<Mdspan>();
  constexpr bool strided = detail::check_strides<Mdspan>();
  constexpr bool loadable = detail::check_not_volatile<T>();
  if constexpr (!two || !plain || !strided || !loadable) {
    return contiguous_view<const std::remove_volatile_t<T>>();
  } else {
    const detail::dimension a = detail::dimension_of(m, 0);
    const detail::dimension b = detail::dimension_of(m, 1);
    const std::size_t all = detail::elements_of(a, b, sizeof(T));
    if constexpr (Mdspan::is_always_exhaustive()) {
      return contiguous_view<const T>(m.data_handle(), all);
    } else {
      if (all == 0) return matrix_view<const T>(m.data_handle(), 0, 0, 0, 1);
      // A dimension of extent 1 has a stride that is never used.
      const bool along_b = a.extent == 1 || (b.extent != 1 && b.stride <= a.stride);
      const detail::dimension& column = along_b ? b : a;
      const detail::dimension& row = along_b ? a : b;
      const std::size_t step = column.extent == 1 ? 1 : column.stride;
      // Merges rows that continue each other.
      if (row.extent == 1 || row.stride == column.extent * step) {
        return matrix_view<const T>(m.data_handle(), 1, all, 0, step);
      }
      return matrix_view<const T>(m.data_handle(), row.extent, column.extent, row.stride, step);
    }
  }
}

}  // namespace warpfold
