/// @file
/// `aligned<Bytes>(range)`: loads structures in 16-byte or 8-byte words, if they are aligned.
#pragma once

#include <warpfold/core/error.hpp>
#include <warpfold/view/as_view.hpp>
#include <warpfold/view/range_check.hpp>

namespace warpfold {

namespace detail {

struct alignas(8) WARPFOLD_MAY_ALIAS half_word {
  std::uint32_t part[2];
};

// One element in registers, loaded as words of `Bytes` bytes.
template <class T, int Bytes>
union aligned_chunk {
  static constexpr int words = static_cast<int>(sizeof(T) / Bytes);

  std::conditional_t<Bytes == 16, word, half_word> as_words[std::size_t{words}];
  T element;

  WARPFOLD_HD aligned_chunk() {}
};

}  // namespace detail

/// `size` elements at `data`, which is `Bytes`-byte aligned, whatever `alignof(T)` is. A thread
/// loads each in words of `Bytes` bytes. `aligned` makes one and checks the pointer.
template <class T, int Bytes>
class aligned_view : public contiguous_view<T> {
  static_assert(Bytes == 8 || Bytes == 16);
  static_assert(sizeof(T) % Bytes == 0);

 public:
  using typename contiguous_view<T>::value_type;

  static constexpr int chunk_size = 1;
  using chunk_type = detail::aligned_chunk<value_type, Bytes>;
  using array_chunk = void;  // its chunks are not copied ahead of the threads

  using contiguous_view<T>::contiguous_view;

  WARPFOLD_HD std::size_t head() const { return any_head; }

  inline WARPFOLD_HD value_type at(std::size_t i, const auto& loads) const {
    chunk_type c;
    load(c, i, loads);
    return c.element;
  }

  inline WARPFOLD_HD void load(chunk_type& c, std::size_t i, const auto& loads) const {
    const auto* const from = reinterpret_cast<const unsigned char*>(this->data() + i);
    WARPFOLD_UNROLL
    for (int w = 0; w < chunk_type::words; ++w) {
      if constexpr (Bytes == 16) {
        c.as_words[w] = loads.load_word(from + w * Bytes);
      } else {
        c.as_words[w] = loads.load(reinterpret_cast<const detail::half_word*>(from + w * Bytes));
      }
    }
  }
  inline WARPFOLD_HD void load_anywhere(chunk_type& c, std::size_t i, const auto& loads) const {
    load(c, i, loads);
  }

  WARPFOLD_HD const value_type& get(const chunk_type& c, int) const { return c.element; }

  void visit_memory(auto&& visit) const {
    contiguous_view<T>::visit_memory([&](const void* p, std::size_t bytes, std::size_t) {
      visit(p, bytes, alignof(T) > Bytes ? alignof(T) : std::size_t{Bytes});
    });
  }
  // Other loads need no alignment, so it is not transformed in place.
  void visit_columns() const = delete;
};

/// Returns a view of `range` that loads each element in words of `Bytes` bytes.
///
/// Use it for structures whose addresses are more aligned than their type says, such as four ints:
/// `aligned<16>(v)`.
///
/// @tparam Bytes bytes of a load: 8 or 16; the size of an element is a multiple of it
/// @param range contiguous elements that start at a multiple of `Bytes` bytes; must outlive the
///     view
///
/// Cost: no memory and no launch. Elements of `Bytes` bytes take one coalesced load each. Larger
/// elements take one load per word, and the loads of a warp are strided.
/// @throws invalid_range if the range is not empty and does not start at a multiple of `Bytes`
///     bytes
template <int Bytes, class Range>
  requires reducible_range<Range>
auto aligned(Range&& range) {
  WARPFOLD_REQUIRE_LASTING("aligned", Range);
  using base = view_of_t<Range>;
  using T = typename base::value_type;
  constexpr bool is_width = Bytes == 8 || Bytes == 16;
  static_assert(is_width,
                "warpfold: aligned loads words of 8 or 16 bytes: aligned<8> or aligned<16>");
  constexpr bool side_by_side = requires { requires base::is_contiguous; };
  static_assert(side_by_side,
                "warpfold: aligned takes elements that lie side by side in memory, such as a "
                "vector's or a span's; apply project or field to what it returns");
  constexpr bool copyable = std::is_trivially_copyable_v<T>;
  static_assert(copyable,
                "warpfold: the elements that aligned was given are not trivially copyable");
  constexpr bool whole = !is_width || sizeof(T) % (is_width ? Bytes : 1) == 0;
  static_assert(whole,
                "warpfold: the size of the elements is not a multiple of aligned's words; "
                "add padding to the structure, or leave aligned out");
  const auto all = as_view(range);
  if constexpr (is_width && side_by_side && copyable && whole) {
    if (all.size() != 0 && reinterpret_cast<std::uintptr_t>(all.data()) % Bytes != 0) {
      throw_error<invalid_range>(
          "warpfold: aligned<", Bytes, "> was given a range at ",
          static_cast<const void*>(all.data()), ", which is not a multiple of ", Bytes,
          " bytes. Allocate it with that alignment (wf::device_buffer and cudaMalloc; on "
          "the host alignas or std::aligned_alloc), or leave aligned<",
          Bytes, "> out");
    }
    return aligned_view<const T, Bytes>(all.data(), all.size());
  } else {
    return all;
  }
}

// Misuse of the above is one error; see view/range_check.hpp.
template <int Bytes, class Range = detail::braces>
  requires(!reducible_range<Range>)
auto aligned(const Range&) {
  return detail::refuse_ranges<Range>();
}

}  // namespace warpfold
