/// @file
/// The elements of an expression of arrays, one after the other, in any order of the dimensions.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

#include <warpfold/view/concept.hpp>
#include <warpfold/view/expression.hpp>

namespace warpfold {

/// The elements of an expression, numbered along `dims`: the first dimension varies fastest. Each
/// chunk finds its place with one division for each dimension after the first; in
/// kernel/elementwise/lines.hpp each thread finds its place once.
///
/// An array without gaps in this order is loaded as a contiguous range. Of other arrays, a chunk
/// within one line (the elements along the first dimension) is loaded in words if it is contiguous
/// and aligned, and once if it repeats; others element by element.
template <class Source>
class expression_view {
 public:
  static constexpr int arrays = Source::arrays;
  using value_type = typename Source::value_type;

  static constexpr bool tells_memory = true;
  static constexpr bool computes_elements = Source::function_type::computes;
  static constexpr int chunk_size = Source::chunk_size;
  using chunk_type = typename Source::template chunk_type<chunk_size>;

  expression_view(const Source& source, const array_dimensions<arrays>& dims)
      : source_(source), dims_(dims), size_(dims.size()) {
    for (int a = 0; a < arrays; ++a) contiguous_[a] = dims.is_contiguous(a);
  }

  WARPFOLD_HD std::size_t size() const { return size_; }
  WARPFOLD_HD std::size_t head() const { return any_head; }

  WARPFOLD_ANY_SIDE WARPFOLD_HD value_type operator[](std::size_t i) const {
    return source_.value(dims_.place(i).of);
  }

  /// Calls `f(i, value)` for the elements `begin` to `end - 1`, on the host.
  WARPFOLD_ANY_SIDE
  void visit_values(std::size_t begin, std::size_t end, const auto& f) const {
    const auto& line = dims_.dims[0];
    for (std::size_t i = begin; i < end;) {
      array_offsets<arrays> at = dims_.place(i);
      const std::size_t left = line.extent - i % line.extent;
      const std::size_t next = end - i < left ? end : i + left;
      for (; i < next; ++i) {
        f(i, source_.value(at.of));
        for (int a = 0; a < arrays; ++a) at.of[a] += line.stride[a];
      }
    }
  }

  WARPFOLD_ANY_SIDE inline WARPFOLD_HD value_type at(std::size_t i, const auto& loads) const {
    typename Source::template chunk_type<1> c;
    source_.load_one(c, dims_.place(i).of, loads);
    return source_.template get<1>(c, 0);
  }

  inline WARPFOLD_HD void load(chunk_type& c, std::size_t i, const auto& loads) const {
    load_anywhere(c, i, loads);
  }
  inline WARPFOLD_HD void load_anywhere(chunk_type& c, std::size_t i, const auto& loads) const {
    dims_.for_lines(i, chunk_size, [&](const array_offsets<arrays>& at, int first, int last) {
      [&]<std::size_t... At>(std::index_sequence<At...>) {
        (load_array(warpfold::get<At>(c), warpfold::get<At>(source_.data), i, at.of[At],
                    dims_.dims[0].stride[At], contiguous_[At], first, last, loads),
         ...);
      }(every{});
    });
  }
  WARPFOLD_ANY_SIDE WARPFOLD_HD value_type get(const chunk_type& c, int k) const {
    return source_.template get<chunk_size>(c, k);
  }

  // --- lines, for kernel/elementwise/lines.hpp ---

  template <int Size>
  using line_chunk = typename Source::template chunk_type<Size>;

  std::size_t line_size() const { return dims_.dims[0].extent; }
  /// True if every array repeats, or each line can be loaded in chunks that are whole words.
  template <int Size>
  bool has_words_in_lines(std::size_t line_size) const {
    return [&]<std::size_t... At>(std::index_sequence<At...>) {
      return (
          (dims_.dims[0].stride[At] == 0 ||
           detail::has_words<Size>(warpfold::get<At>(source_.data), dims_, int{At}, line_size)) &&
          ...);
    }(every{});
  }
  /// The offsets of the first element of line `number`. `line_size()` is a multiple of `line_size`.
  WARPFOLD_HD array_offsets<arrays> line_start(std::size_t number, std::size_t line_size) const {
    return dims_.line_start(number, line_size);
  }
  /// Loads chunks `first`, `first + step`, ... of the line that starts at `start`. Arrays that
  /// repeat come last: their values are copied, and the copies wait for the load.
  template <int Size, std::size_t Count, class Loads>
  WARPFOLD_HD void load_in_line(line_chunk<Size> (&c)[Count], const array_offsets<arrays>& start,
                                std::size_t first, unsigned step, const Loads& loads) const {
    const auto& stride = dims_.dims[0].stride;
    [&]<std::size_t... At>(std::index_sequence<At...>) {
      ((stride[At] != 0 ? load_in<Size, At>(c, start.of[At], first, step, loads) : void()), ...);
      ((stride[At] == 0 ? repeat_in<Size, At>(c, start.of[At], loads) : void()), ...);
    }(every{});
  }
  WARPFOLD_ANY_SIDE
  template <int Size>
  WARPFOLD_HD value_type get_in_line(const line_chunk<Size>& c, int k) const {
    return source_.template get<Size>(c, k);
  }

  template <std::size_t At, class T>
  void set_array(const T* data) {
    warpfold::get<At>(source_.data) = data;
  }

  void visit_memory(auto&& visit) const {
    visit_each([&]<class T>(const T* p, int a) {
      visit(static_cast<const void*>(p), dims_.span(a) * sizeof(T), alignof(T));
    });
  }
  /// Calls `visit(pointer, bytes, step)` for each array: element `i` is `i * step` bytes after the
  /// first one, or anywhere if `step` is 0.
  void visit_arrays(auto&& visit) const {
    visit_each([&]<class T>(const T* p, int a) {
      visit(static_cast<const void*>(p), dims_.span(a) * sizeof(T), contiguous_[a] ? sizeof(T) : 0);
    });
  }

#if defined(__CUDACC__)
  WARPFOLD_DEVICE void name_user_functions() const { source_.name_user_functions(); }
#endif

 private:
  using every = std::make_index_sequence<std::size_t{arrays}>;

  // Calls `visit(data, number)` for each array.
  void visit_each(const auto& visit) const {
    [&]<std::size_t... At>(std::index_sequence<At...>) {
      (visit(warpfold::get<At>(source_.data), int{At}), ...);
    }(every{});
  }

  // Loads a chunk's elements in one line; all of an array without gaps with the first line.
  template <class T, class Loads>
  static WARPFOLD_HD void load_array(chunk<T, chunk_size>& c, const T* data, std::size_t i,
                                     std::size_t at, std::size_t step, bool contiguous, int first,
                                     int last, const Loads& loads) {
    if (contiguous) {
      at = i;
      step = 1;
      if (first != 0) return;
      last = chunk_size;
    }
    const T* const from = data + at;
    if (first == 0 && last == chunk_size) {
      if constexpr (chunk<T, chunk_size>::fills_words) {
        if (step == 1 && detail::at_word(from)) {
          detail::load_words(c, from, loads);
          return;
        }
      }
      Source::template load_elements<chunk_size>(c, from, step, chunk_size, loads);
      return;
    }
    WARPFOLD_UNROLL
    for (int k = 0; k < chunk_size; ++k) {
      if (k < first || k >= last) continue;
      ::new (static_cast<void*>(&c.elements[k]))
          T(loads.load(from + static_cast<unsigned>(k - first) * step));
    }
  }

  template <int Size, std::size_t At, std::size_t Count, class Loads>
  WARPFOLD_HD void load_in(line_chunk<Size> (&c)[Count], std::size_t start, std::size_t first,
                           unsigned step, const Loads& loads) const {
    const auto* const from = warpfold::get<At>(source_.data) + start;
    WARPFOLD_UNROLL
    for (std::size_t u = 0; u < Count; ++u) {
      const std::size_t at = (first + u * step) * Size;
      if constexpr (Size == 1) {
        Source::template load_elements<1>(warpfold::get<At>(c[u]),
                                          from + at * dims_.dims[0].stride[At], 1, 1, loads);
      } else if constexpr (std::remove_cvref_t<decltype(warpfold::get<At>(c[u]))>::fills_words) {
        detail::load_words(warpfold::get<At>(c[u]), from + at, loads);
      }
    }
  }
  template <int Size, std::size_t At, std::size_t Count, class Loads>
  WARPFOLD_HD void repeat_in(line_chunk<Size> (&c)[Count], std::size_t start,
                             const Loads& loads) const {
    const auto* const from = warpfold::get<At>(source_.data) + start;
    const auto x = loads.load(from);
    WARPFOLD_UNROLL
    for (std::size_t u = 0; u < Count; ++u) {
      WARPFOLD_UNROLL
      for (int k = 0; k < Size; ++k) {
        ::new (static_cast<void*>(&warpfold::get<At>(c[u]).elements[k])) auto(x);
      }
    }
  }

  Source source_;
  array_dimensions<arrays> dims_;
  std::size_t size_;
  bool contiguous_[std::size_t{arrays}];
};

}  // namespace warpfold
