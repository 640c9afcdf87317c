/// @file
/// An output with strides: the elements of an mdspan, one after the other.
#pragma once

#include <cstddef>
#include <new>

#include <warpfold/view/array_dimensions.hpp>
#include <warpfold/view/output.hpp>

namespace warpfold {

/// Writable elements, numbered along `dims`: the first dimension varies fastest. A chunk within one
/// line (the elements along the first dimension) is stored in words if it is contiguous and
/// aligned; others element by element.
template <class T>
class array_output {
 public:
  using value_type = T;

  static constexpr int chunk_size = detail::elements_per_chunk(sizeof(T));
  using chunk_type = chunk<T, chunk_size>;

  /// @param span elements from the first to the last
  array_output(T* data, const array_dimensions<1>& dims, std::size_t span)
      : data_(data), dims_(dims), size_(dims.size()), span_(span) {}

  WARPFOLD_HD std::size_t size() const { return size_; }
  /// The first element, the dimensions, and the elements from the first to the last.
  WARPFOLD_HD T* data() const { return data_; }
  WARPFOLD_HD const array_dimensions<1>& dimensions() const { return dims_; }
  WARPFOLD_HD std::size_t span() const { return span_; }
  WARPFOLD_HD std::size_t head() const {
    return is_contiguous() ? contiguous_view<T>(data_, size_).head() : any_head;
  }

  WARPFOLD_HD void set(chunk_type& c, int k, const T& value) const {
    ::new (static_cast<void*>(&c.elements[k])) T(value);
  }

  template <class Stores>
  WARPFOLD_HD void store(const chunk_type& c, std::size_t i, const Stores& stores) const {
    dims_.for_lines(i, chunk_size, [&](const array_offsets<1>& at, int first, int last) {
      const std::size_t step = dims_.dims[0].stride[0];
      T* const to = data_ + at.of[0];
      if constexpr (chunk_type::fills_words) {
        if (step == 1 && first == 0 && last == chunk_size &&
            reinterpret_cast<std::uintptr_t>(to) % word_bytes == 0) {
          store_words(to, c, stores);
          return;
        }
      }
      WARPFOLD_UNROLL
      for (int k = 0; k < chunk_size; ++k) {
        if (k < first || k >= last) continue;
        stores.store(to + static_cast<unsigned>(k - first) * step, c.elements[k]);
      }
    });
  }

  template <class Stores>
  WARPFOLD_HD void store_at(std::size_t i, const T& value, const Stores& stores) const {
    stores.store(data_ + dims_.place(i).of[0], value);
  }

  // --- lines, for kernel/elementwise/lines.hpp; as those of expression_view ---

  std::size_t line_size() const { return dims_.dims[0].extent; }
  template <int Size>
  bool has_words_in_lines(std::size_t line_size) const {
    return has_words<Size>(static_cast<const T*>(data_), dims_, 0, line_size);
  }
  WARPFOLD_HD std::size_t line_start(std::size_t number, std::size_t line_size) const {
    return line_size == dims_.dims[0].extent ? dims_.place(number, 1).of[0]
                                             : dims_.place(number * line_size).of[0];
  }
  /// Stores chunk `number` of the line that starts at offset `start`.
  template <int Size, class Stores>
  WARPFOLD_HD void store_in_line(const chunk<T, Size>& c, std::size_t start, std::size_t number,
                                 const Stores& stores) const {
    if constexpr (Size > 1 && chunk<T, Size>::fills_words) {
      store_words(data_ + start + number * Size, c, stores);
    } else {
      stores.store(data_ + start + number * dims_.dims[0].stride[0], c.elements[0]);
    }
  }

  /// Element `i`, which a call that combines results with it reads.
  WARPFOLD_HD const T& operator[](std::size_t i) const { return data_[dims_.place(i).of[0]]; }

  template <class F>
  void visit_memory(F&& f) const {
    f(static_cast<const void*>(data_), span_ * sizeof(T), alignof(T));
  }
  /// As for expression_view.
  template <class F>
  void visit_arrays(F&& f) const {
    f(static_cast<const void*>(data_), span_ * sizeof(T), is_contiguous() ? sizeof(T) : 0);
  }

 private:
  template <int Size, class Stores>
  static WARPFOLD_HD void store_words(T* to, const chunk<T, Size>& c, const Stores& stores) {
    auto* const bytes = reinterpret_cast<unsigned char*>(to);
    WARPFOLD_UNROLL
    for (int w = 0; w < chunk<T, Size>::words; ++w) {
      stores.store_word(bytes + static_cast<std::size_t>(w) * word_bytes, c.as_words[w]);
    }
  }
  WARPFOLD_HD bool is_contiguous() const {
    return dims_.count == 1 && (dims_.dims[0].stride[0] == 1 || dims_.dims[0].extent == 1);
  }

  T* data_;
  array_dimensions<1> dims_;
  std::size_t size_;
  std::size_t span_;
};

static_assert(output_view<array_output<float>>);

}  // namespace warpfold
