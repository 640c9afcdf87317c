/// @file
/// The `output_view` concept: where elements are written, and how a thread stores a chunk of them.
#pragma once

#include <concepts>
#include <cstddef>
#include <new>
#include <type_traits>

#include <warpfold/view/as_view.hpp>
#include <warpfold/view/concept.hpp>
#include <warpfold/view/global_access.hpp>

namespace warpfold {

/// Stores of host threads, without a report, so that the compiler can vectorize loops of them.
struct host_stores {
  WARPFOLD_HD void store_word(void* to, const word& w) const {
    __builtin_memcpy(to, &w, word_bytes);
  }
  template <class T>
  WARPFOLD_HD void store(T* to, const T& value) const {
    ::new (static_cast<void*>(to)) T(value);
  }
};

/// A sequence of elements that a kernel can write, on the host and on the GPU.
///
/// Required members:
/// - `value_type` and `size()` (in elements).
/// - `chunk_size`: elements per `store`; a power of two up to 32.
/// - `chunk_type`: the registers that `store` takes; default constructible.
/// - `head()`: number of elements before the first one at which stores are aligned; less than
///   `chunk_size`, or `any_head`.
/// - `set(chunk, k, value)`: sets element `k` of a chunk. Each is set once before the chunk is
///   stored.
/// - `store(chunk, i, stores)`: stores a chunk to elements `i` to `i + chunk_size - 1`, where
///   `i - head()` is a multiple of `chunk_size`. `stores` is a `global_access` or a similar class:
///   pass it on, or store words and elements with it.
/// - `store_at(i, value, stores)`: stores element `i`.
/// - `visit_memory(f)`: calls `f(pointer, bytes, alignment)` for each array that is written.
///
/// Optional members:
/// - `visit_columns(f)`: as for views. Without it nothing can be transformed in place.
/// - `is_contiguous`: true if the elements are exactly those at `data()`, contiguous.
///
/// A small value, passed to kernels as bytes. All its functions are const, as for a span.
template <class V>
concept output_view =
    std::copy_constructible<V> &&
    requires(const V& v, typename V::chunk_type& chunk, const typename V::value_type& value,
             std::size_t i, const global_access& stores) {
      { v.size() } -> std::convertible_to<std::size_t>;
      { V::chunk_size } -> std::convertible_to<int>;
      { v.head() } -> std::convertible_to<std::size_t>;
      v.set(chunk, 0, value);
      v.store(chunk, i, stores);
      v.store_at(i, value, stores);
      v.visit_memory(detail::ignore_memory{});
    } &&
    (V::chunk_size >= 1 && V::chunk_size <= 32 && (V::chunk_size & (V::chunk_size - 1)) == 0);

/// `size` writable contiguous elements of type `T`, starting at `data`. Stores are 16 bytes wide,
/// like the loads of `contiguous_view`.
template <class T>
class contiguous_output {
  static_assert(!std::is_const_v<T>);

 public:
  using value_type = T;

  static constexpr bool is_contiguous = true;
  static constexpr int chunk_size = detail::elements_per_chunk(sizeof(T));
  using chunk_type = chunk<T, chunk_size>;

  contiguous_output() = default;
  WARPFOLD_HD constexpr contiguous_output(T* data, std::size_t size) : data_(data), size_(size) {}

  WARPFOLD_HD constexpr std::size_t size() const { return size_; }
  WARPFOLD_HD constexpr T* data() const { return data_; }
  /// Element `i`, which a call that combines results with it reads.
  WARPFOLD_HD constexpr const T& operator[](std::size_t i) const { return data_[i]; }

  WARPFOLD_HD std::size_t head() const { return contiguous_view<T>(data_, size_).head(); }

  WARPFOLD_HD void set(chunk_type& c, int k, const T& value) const { c.set(k, value); }

  inline WARPFOLD_HD void store(const chunk_type& c, std::size_t i, const auto& stores) const {
    if constexpr (chunk_type::fills_words && detail::has_aligned_element<T>) {
      detail::store_words(data_ + i, c, stores);
    } else {
      if constexpr (chunk_type::fills_words) {
        if (detail::at_word(data_ + i)) {
          detail::store_words(data_ + i, c, stores);
          return;
        }
      }
      WARPFOLD_UNROLL
      for (int k = 0; k < chunk_size; ++k) stores.store(data_ + i + k, c.elements[k]);
    }
  }

  inline WARPFOLD_HD void store_at(std::size_t i, const T& value, const auto& stores) const {
    stores.store(data_ + i, value);
  }

  void visit_memory(auto&& f) const { contiguous_view<T>(data_, size_).visit_memory(f); }
  void visit_columns(auto&& f) const { f(static_cast<const void*>(data_), sizeof(T)); }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

namespace detail {

template <class R>
concept sized_output = requires(R& r) {
  { std::size(r) } -> std::convertible_to<std::size_t>;
  raw_pointer(std::data(r));
};

// A container with a member `output()` that returns an output view.
template <class R>
concept has_output = requires(R& r) {
  { r.output() } -> output_view;
};

// An output of any kind, also if its elements are const.
template <class R>
concept output_like =
    output_view<std::remove_cvref_t<R>> || has_output<std::remove_reference_t<R>> ||
    sized_output<std::remove_reference_t<R>> ||
    (unwrappable<std::remove_cvref_t<R>> &&
     (!std::is_pointer_v<std::remove_cvref_t<R>> ||
      std::is_object_v<std::remove_pointer_t<std::remove_cvref_t<R>>>));

template <class R>
constexpr auto element_pointer(R& out) {
  if constexpr (sized_output<R>) {
    return raw_pointer(std::data(out));
  } else {
    return raw_pointer(out);
  }
}

// True if its elements are const or volatile. For types that are output_like and not views.
template <class R>
inline constexpr bool is_const_output = !std::is_same_v<
    std::remove_pointer_t<decltype(element_pointer(std::declval<std::remove_reference_t<R>&>()))>,
    std::remove_cv_t<std::remove_pointer_t<decltype(element_pointer(
        std::declval<std::remove_reference_t<R>&>()))>>>;

template <class R>
concept is_plain_output = !view<std::remove_cvref_t<R>> &&
                          sized_output<std::remove_reference_t<R>> && !is_const_output<R>;

// True if one result can be written: to a pointer, contiguous iterator, container or span.
template <class R>
concept result_output = sized_output<std::remove_reference_t<R>> ||
                        (output_like<R> && unwrappable<std::remove_cvref_t<R>>);

/// The address that one result is written to.
/// @throws invalid_range if `out` is a container or span without elements
template <class R>
auto result_address(R& out) {
  if constexpr (sized_output<R>) {
    if (std::size(out) == 0) {
      throw_error<invalid_range>(
          "warpfold: the output has no elements, but the reduction writes one; pass an output of "
          "at least one element");
    }
  }
  return element_pointer(out);
}

}  // namespace detail

/// A writable output:
///
/// - an output view;
/// - anything with `data()` and `size()` and non-const elements: `std::span`, `std::vector`,
///   `thrust::device_vector`, `device_buffer`, a C array;
/// - a pointer or other contiguous iterator to enough memory.
template <class R>
concept output_range =
    output_view<std::remove_cvref_t<R>> || detail::has_output<std::remove_reference_t<R>> ||
    (detail::output_like<R> && !detail::is_const_output<R>);

/// Returns an output view of `out`; returns a view unchanged. A pointer or iterator becomes a view
/// of `size` elements.
template <class R>
  requires output_range<R>
auto as_output(R&& out, std::size_t size) {
  using plain = std::remove_cvref_t<R>;
  if constexpr (output_view<plain>) {
    return plain(out);
  } else if constexpr (detail::has_output<std::remove_reference_t<R>>) {
    return out.output();
  } else {
    auto* const data = detail::element_pointer(out);
    using element = std::remove_pointer_t<decltype(detail::element_pointer(out))>;
    if constexpr (detail::sized_output<std::remove_reference_t<R>>) {
      return contiguous_output<element>(data, std::size(out));
    } else {
      return contiguous_output<element>(data, size);
    }
  }
}

}  // namespace warpfold
