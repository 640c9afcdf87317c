/// @file
/// `elements(mdspan)`: all elements of an mdspan of rank 0 to 8, in memory order.
///
/// An mdspan is recognized by its members, so `cuda::std::mdspan`, `std::mdspan` and others are
/// accepted, and none of their headers is needed here.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include <warpfold/core/error.hpp>
#include <warpfold/view/contiguous.hpp>
#include <warpfold/view/element_check.hpp>
#include <warpfold/view/layout.hpp>

namespace warpfold {

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

// A function of arrays (`project`, `zip` and `broadcast` of mdspans): it keeps the dimensions, for
// calls that fold along some of them.
template <class A>
concept array_expression = requires {
  requires A::is_array_expression;
  typename A::value_type;
};

template <class A>
concept has_axes = mdspan_like<A> || array_expression<A>;

template <class A>
struct array_element {
  using value_type = typename A::value_type;
};
template <mdspan_like A>
struct array_element<A> {
  using value_type = std::remove_cv_t<typename A::element_type>;
};
template <has_axes A>
using array_element_t = typename array_element<A>::value_type;

// True if the elements can be taken as a range, in memory order.
template <class A>
concept converts_to_view = mdspan_like<A> || requires(const A& a) { a.view(); };

// @throws invalid_range if a stride is negative
template <mdspan_like Mdspan>
array_shape shape_of(const Mdspan& m) {
  array_shape s;
  s.rank = static_cast<int>(Mdspan::rank());
  if constexpr (Mdspan::rank() > 0) {
    using index = decltype(Mdspan::rank());
    for (int d = 0; d < s.rank; ++d) {
      const auto extent = m.extent(static_cast<index>(d));
      const auto stride = m.mapping().stride(static_cast<index>(d));
      if constexpr (std::is_signed_v<decltype(stride)>) {
        if (extent > 1 && stride < 0) {
          throw_error<invalid_range>(
              "warpfold: dimension ", d, " of the mdspan has a negative stride, ", stride,
              " elements; start at the dimension's other end and pass a positive stride");
        }
      }
      s.extent[d] = static_cast<std::size_t>(extent);
      s.stride[d] = static_cast<std::size_t>(stride);
    }
  }
  return s;
}

// True if the elements of an mdspan are those behind its data handle.
template <class Mdspan>
inline constexpr bool has_plain_accessor =
    std::is_pointer_v<typename Mdspan::data_handle_type> &&
    std::is_same_v<typename Mdspan::reference, typename Mdspan::element_type&>;

// True if the data handle and strides reach all elements; otherwise reports an error.
template <class Mdspan>
constexpr bool check_mdspan() {
  constexpr bool plain = has_plain_accessor<Mdspan>;
  static_assert(plain,
                "warpfold: the mdspan's accessor is not default_accessor, and no view would "
                "call it; use default_accessor and project");
  constexpr bool strided = Mdspan::is_always_strided();
  static_assert(strided,
                "warpfold: the mdspan's layout has no strides; use layout_right, layout_left or "
                "layout_stride");
  return plain && strided && check_not_volatile<typename Mdspan::element_type>();
}

}  // namespace detail

/// All elements of an array of `Rank` dimensions with any strides, in memory order: along the
/// smallest stride first. `elements` makes one.
///
/// If the smallest stride is 1, a chunk that lies within one run of it and at a multiple of 16
/// bytes is loaded in 16-byte words; others element by element. All chunks are loaded in words if
/// all runs start at multiples of 16 bytes and fill whole chunks.
///
/// Cost: each chunk takes one division for each dimension but the outermost, in 32 bits if the
/// index fits; none if the index is within the dimension. Dimensions that continue each other count
/// as one.
template <class T, int Rank>
class mdspan_view {
 public:
  using value_type = std::remove_cv_t<T>;

  static constexpr bool tells_memory = true;
  static constexpr bool computes_elements = false;
  static constexpr int chunk_size = detail::elements_per_chunk(sizeof(value_type));
  using chunk_type = chunk<value_type, chunk_size>;

  mdspan_view(const T* data, const detail::array_shape& shape)
      : data_(data), size_(shape.count()), dims_(detail::in_order_of<1, Rank>(shape, &shape)) {
    // No index reaches the dimensions that are left.
    for (int d = dims_.count; d < Rank; ++d) dims_.dims[d].extent = 1;
    if (size_ == 1) dims_.dims[0].stride[0] = 1;
  }

  WARPFOLD_HD std::size_t size() const { return size_; }
  WARPFOLD_HD const T& operator[](std::size_t i) const { return data_[place_of(i).at]; }

  /// The head of the first run, and of all runs with the same alignment.
  WARPFOLD_HD std::size_t head() const {
    return stride(0) == 1 ? contiguous_view<T>(data_, size_).head() : any_head;
  }

  inline WARPFOLD_HD value_type at(std::size_t i, const auto& loads) const {
    return loads.load(&(*this)[i]);
  }

  inline WARPFOLD_HD void load(chunk_type& c, std::size_t i, const auto& loads) const {
    load_anywhere(c, i, loads);  // each chunk tests whether it is within its run
  }

  inline WARPFOLD_HD void load_anywhere(chunk_type& c, std::size_t i, const auto& loads) const {
    place p = place_of(i);
    if constexpr (chunk_type::fills_words) {
      const bool within = extent(0) - p.index[0] >= static_cast<std::size_t>(chunk_size);
      if (stride(0) == 1 && within && detail::at_word(data_ + p.at)) {
        detail::load_words(c, data_ + p.at, loads);
        return;
      }
    }
    // The divisions are those of the first element; the others are found by counting.
    WARPFOLD_UNROLL
    for (int k = 0; k < chunk_size; ++k) {
      ::new (static_cast<void*>(&c.elements[k])) value_type(loads.load(data_ + p.at));
      advance(p);
    }
  }

  WARPFOLD_HD const value_type& get(const chunk_type& c, int k) const { return c.elements[k]; }

  /// Visits all memory from the first element to the last, including gaps. All of it must be
  /// readable, and `bytes_of` counts it.
  void visit_memory(auto&& visit) const {
    // Not dims_.span, of which GCC 12 says at -Og that it reads what is not initialized.
    std::size_t span = 1;
    for (int d = 0; d < Rank; ++d) span += (extent(d) - 1) * stride(d);
    contiguous_view<T>(data_, size_ == 0 ? 0 : span).visit_memory(visit);
  }

 private:
  struct place {
    std::size_t at;    // from the first element, in elements
    std::size_t line;  // that of the first element of the run
    std::size_t index[std::size_t{Rank}];
  };

  WARPFOLD_HD std::size_t extent(int d) const { return dims_.dims[d].extent; }
  WARPFOLD_HD std::size_t stride(int d) const { return dims_.dims[d].stride[0]; }

  WARPFOLD_HD place place_of(std::size_t i) const {
    place p{};
    WARPFOLD_UNROLL
    for (int d = 0; d < Rank; ++d) {
      const bool divides = d + 1 < Rank && i >= extent(d);
      const std::size_t next = divides ? detail::divided_down(i, extent(d)) : 0;
      p.index[d] = i - next * extent(d);
      if (d > 0) p.line += p.index[d] * stride(d);
      i = next;
    }
    p.at = p.line + p.index[0] * stride(0);
    return p;
  }

  // Moves to the next element. Behind the last one, `at` may be anything.
  WARPFOLD_HD void advance(place& p) const {
    p.at += stride(0);
    if (Rank == 1 || ++p.index[0] != extent(0)) return;
    p.index[0] = 0;
    bool carries = true;
    WARPFOLD_UNROLL
    for (int d = 1; d < Rank; ++d) {
      if (!carries) continue;
      p.line += stride(d);
      carries = d + 1 < Rank && ++p.index[d] == extent(d);
      if (carries) {
        p.line -= p.index[d] * stride(d);
        p.index[d] = 0;
      }
    }
    p.at = p.line;
  }

  const T* data_ = nullptr;
  std::size_t size_ = 0;
  array_dimensions<1, Rank> dims_;
};

/// Returns a view of all elements of `m` in memory order: along the smallest stride first, and of
/// equal strides along the last index.
///
/// `reduce` and all other calls take an mdspan directly and read it in this way. Ops that are not
/// commutative, and the index that `argmin` returns, follow this order, not the order of the
/// indices. So does `zip` where a range is expected, which throws for mdspans of the same extents
/// whose layouts differ in order.
///
/// @param m an mdspan of rank 0 to 8 with any strides (`cuda::std`, `std`, Kokkos); its memory must
///     outlive the view, `m` itself need not
/// @return a view of all elements; one element for rank 0
///
/// Cost: layouts that are always without gaps (`layout_right`, `layout_left`) are contiguous
/// ranges. Others are loaded as `mdspan_view` describes; if no stride is 1, one element at a time.
/// @throws invalid_range if a stride is negative, or the span from the first element to the last
///     exceeds the address space
///
/// Example: test/examples/matrix.cu
template <detail::mdspan_like Mdspan>
auto elements(const Mdspan& m) {
  using T = typename Mdspan::element_type;
  constexpr auto rank = static_cast<int>(Mdspan::rank());
  constexpr bool few = rank <= detail::max_array_rank;
  static_assert(few,
                "warpfold: an mdspan that is a range has a rank of 0 to 8; merge dimensions, "
                "or reduce parts of it");
  if constexpr (!few || !detail::check_mdspan<Mdspan>()) {
    return contiguous_view<const std::remove_volatile_t<T>>();
  } else {
    const detail::array_shape shape = detail::shape_of(m);
    shape.require_countable("an mdspan", sizeof(T));
    if constexpr (rank == 0 || Mdspan::is_always_exhaustive()) {
      return contiguous_view<const T>(m.data_handle(), shape.count());
    } else {
      return mdspan_view<const T, rank>(m.data_handle(), shape);
    }
  }
}

/// Returns `elements(m)` of an mdspan of rank 2: `layout_right` row by row, `layout_left` column by
/// column, and `layout_stride` along the smaller stride.
///
/// @param m an mdspan of rank 2; otherwise as for `elements`
///
/// Cost and errors: as for `elements`.
template <detail::mdspan_like Mdspan>
auto matrix(const Mdspan& m) {
  constexpr bool two = Mdspan::rank() == 2;
  static_assert(two,
                "warpfold: matrix takes an mdspan of rank 2; for other ranks pass the mdspan "
                "itself, or wf::elements(mdspan)");
  if constexpr (two) {
    return elements(m);
  } else {
    return contiguous_view<const std::remove_volatile_t<typename Mdspan::element_type>>();
  }
}

}  // namespace warpfold
