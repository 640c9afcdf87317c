/// @file
/// `elements(mdspan)`: all elements of an mdspan of rank 0 to 8, in memory order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include <warpfold/core/error.hpp>
#include <warpfold/view/matrix.hpp>

namespace warpfold {

namespace detail {

inline constexpr int max_mdspan_rank = 8;

// The dimensions of an mdspan without those of extent 1, sorted by stride, the smallest first. A
// dimension that continues the one before is merged with it.
template <int Rank>
struct memory_order {
  dimension dims[std::size_t{Rank}] = {};
  int rank = 0;
  std::size_t size = 0;

  // `all` is in the order of the indices. Of equal strides the last index varies fastest, as in
  // `matrix`.
  // @throws invalid_range if the elements, or the span from the first to the last, exceed the
  //     address space
  memory_order(const dimension (&all)[std::size_t{Rank}], std::size_t element_bytes) {
    size = count(all, element_bytes);
    if (size == 0) return;
    dimension sorted[std::size_t{Rank}] = {};
    int kept = 0;
    for (int d = 0; d < Rank; ++d) {
      if (all[d].extent == 1) continue;
      int at = kept++;
      for (; at > 0 && all[d].stride <= sorted[at - 1].stride; --at) sorted[at] = sorted[at - 1];
      sorted[at] = all[d];
    }
    for (int d = 0; d < kept; ++d) {
      if (rank > 0 && sorted[d].stride == dims[rank - 1].extent * dims[rank - 1].stride) {
        dims[rank - 1].extent *= sorted[d].extent;
      } else {
        dims[rank++] = sorted[d];
      }
    }
    if (rank == 0) dims[rank++] = {1, 1};
  }

 private:
  static std::size_t count(const dimension (&all)[std::size_t{Rank}], std::size_t element_bytes) {
    std::size_t n = 1, span = 1;
    bool too_many = false;
    for (const dimension& d : all) {
      if (d.extent == 0) return 0;
    }
    for (const dimension& d : all) {
      std::size_t reach = 0;
      too_many |= __builtin_mul_overflow(n, d.extent, &n);
      too_many |= __builtin_mul_overflow(d.extent - 1, d.stride, &reach);
      too_many |= __builtin_add_overflow(span, reach, &span);
    }
    // With strides of 0 there may be more elements than the span has.
    too_many |= (n > span ? n : span) > max_bytes / element_bytes;
    if (too_many) {
      message m("warpfold: an mdspan with extents of ");
      for (int d = 0; d < Rank; ++d) m << (d == 0 ? "" : " x ") << all[d].extent;
      m << " and strides of ";
      for (int d = 0; d < Rank; ++d) m << (d == 0 ? "" : ", ") << all[d].stride;
      m << " elements is larger than the address space; check the extents and strides";
      throw invalid_range(m);
    }
    return n;
  }
};

}  // namespace detail

/// All elements of an array of up to `Rank` dimensions with any strides, in memory order: along the
/// smallest stride first. `elements` makes one.
///
/// If the smallest stride is 1, a chunk that lies within one run of it and at a multiple of 16
/// bytes is loaded in 16-byte words; others element by element. All chunks are loaded in words if
/// all runs start at multiples of 16 bytes and fill whole chunks.
///
/// Cost: each chunk takes one division for each dimension but the outermost, in 32 bits if the
/// index fits. Dimensions that continue each other count as one.
template <class T, int Rank>
class mdspan_view {
 public:
  using value_type = std::remove_cv_t<T>;

  static constexpr bool tells_memory = true;
  static constexpr bool computes_elements = false;
  static constexpr int chunk_size = detail::elements_per_chunk(sizeof(value_type));
  using chunk_type = chunk<value_type, chunk_size>;

  mdspan_view(const T* data, const detail::memory_order<Rank>& order)
      : data_(data), size_(order.size), rank_(order.rank) {
    for (int d = 0; d < Rank; ++d) dims_[d] = order.dims[d];
  }

  WARPFOLD_HD std::size_t size() const { return size_; }
  WARPFOLD_HD const T& operator[](std::size_t i) const { return data_[place_of(i).at]; }

  /// The head of the first run, and of all runs with the same alignment.
  WARPFOLD_HD std::size_t head() const {
    if constexpr (chunk_type::fills_words) {
      if (dims_[0].stride != 1) return any_head;
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
    load_anywhere(c, i, loads);  // each chunk tests whether it is within its run
  }

  template <class Loads>
  WARPFOLD_HD void load_anywhere(chunk_type& c, std::size_t i, const Loads& loads) const {
    place p = place_of(i);
    if constexpr (chunk_type::fills_words) {
      const bool within = dims_[0].extent - p.index[0] >= static_cast<std::size_t>(chunk_size);
      if (dims_[0].stride == 1 && within && is_aligned(data_ + p.at)) {
        const auto* const from = reinterpret_cast<const unsigned char*>(data_ + p.at);
        WARPFOLD_UNROLL
        for (int w = 0; w < chunk_type::words; ++w) {
          c.as_words[w] = loads.load_word(from + static_cast<std::size_t>(w) * word_bytes);
        }
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
  template <class Visitor>
  void visit_memory(Visitor&& visit) const {
    std::size_t span = size_ == 0 ? 0 : 1;
    for (int d = 0; d < rank_; ++d) span += (dims_[d].extent - 1) * dims_[d].stride;
    contiguous_view<T>(data_, span).visit_memory(visit);
  }

 private:
  struct place {
    std::size_t at;  // from the first element, in elements
    std::size_t index[std::size_t{Rank}];
  };

  // As in matrix_view: a 64-bit division takes about 100 instructions on the GPU, a 32-bit division
  // a fifth of that.
  static WARPFOLD_HD std::size_t quotient(std::size_t i, std::size_t by) {
    if (((i | by) >> 32) == 0)
      return static_cast<std::uint32_t>(i) / static_cast<std::uint32_t>(by);
    return i / by;
  }

  WARPFOLD_HD place place_of(std::size_t i) const {
    place p{};
    WARPFOLD_UNROLL
    for (int d = 0; d < Rank; ++d) {
      const bool divides = d + 1 < rank_ && i >= dims_[d].extent;
      const std::size_t next = divides ? quotient(i, dims_[d].extent) : 0;
      p.index[d] = i - next * dims_[d].extent;
      p.at += p.index[d] * dims_[d].stride;
      i = next;
    }
    return p;
  }

  // Moves to the next element. Behind the last one, `at` may be anything.
  WARPFOLD_HD void advance(place& p) const {
    bool carries = true;
    WARPFOLD_UNROLL
    for (int d = 0; d < Rank; ++d) {
      if (!carries || d >= rank_) continue;
      carries = p.index[d] + 1 == dims_[d].extent;
      if (carries) {
        p.at -= p.index[d] * dims_[d].stride;
        p.index[d] = 0;
      } else {
        ++p.index[d];
        p.at += dims_[d].stride;
      }
    }
  }

  static WARPFOLD_HD bool is_aligned(const T* p) {
    return reinterpret_cast<std::uintptr_t>(p) % word_bytes == 0;
  }

  const T* data_ = nullptr;
  std::size_t size_ = 0;
  int rank_ = 0;
  detail::dimension dims_[std::size_t{Rank}] = {};
};

static_assert(view<mdspan_view<float, 3>>);

namespace detail {

// True if all elements of an mdspan can be read through its data handle and strides; otherwise
// reports an error.
template <class Mdspan>
constexpr bool check_mdspan() {
  using T = typename Mdspan::element_type;
  constexpr bool few = static_cast<int>(Mdspan::rank()) <= max_mdspan_rank;
  static_assert(few,
                "warpfold: an mdspan that is a range has a rank of 0 to 8; merge dimensions, "
                "or reduce parts of it");
  return few && check_accessor<Mdspan>() && check_strides<Mdspan>() && check_not_volatile<T>();
}

}  // namespace detail

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
/// ranges. Others are loaded as `mdspan_view` describes. Ranks 1 and 2 take a `matrix_view`.
/// @throws invalid_range if a stride is negative, or the span from the first element to the last
///     exceeds the address space
///
/// Example: test/examples/matrix.cu
template <detail::mdspan_like Mdspan>
auto elements(const Mdspan& m) {
  using T = typename Mdspan::element_type;
  constexpr auto rank = static_cast<int>(Mdspan::rank());
  if constexpr (rank == 2) {
    return matrix(m);
  } else if constexpr (!detail::check_mdspan<Mdspan>()) {
    return contiguous_view<const std::remove_volatile_t<T>>();
  } else if constexpr (rank == 0) {
    return contiguous_view<const T>(m.data_handle(), 1);
  } else {
    detail::dimension dims[std::size_t{rank}];
    for (int d = 0; d < rank; ++d) dims[d] = detail::dimension_of(m, d);
    const detail::memory_order<rank> order(dims, sizeof(T));
    if constexpr (Mdspan::is_always_exhaustive()) {
      return contiguous_view<const T>(m.data_handle(), order.size);
    } else if constexpr (rank == 1) {
      if (order.size == 0) return matrix_view<const T>(m.data_handle(), 0, 0, 0, 1);
      return matrix_view<const T>(m.data_handle(), 1, order.size, 0, order.dims[0].stride);
    } else {
      return mdspan_view<const T, rank>(m.data_handle(), order);
    }
  }
}

}  // namespace warpfold
