/// @file
/// A view of contiguous elements.
#pragma once

#include <new>

#include <warpfold/view/concept.hpp>

namespace warpfold {

/// `size` contiguous elements of type `T`, starting at `data`.
///
/// Loads are 16 bytes wide for every element type: 16 chars, 8 halves, 4 floats, one float4, and
/// four float3 as three words. The elements before the first aligned one are the head, which a
/// kernel loads one by one. A pointer that is not 16-byte aligned therefore costs narrow loads for
/// at most 15 elements; all other loads stay wide.
template <class T>
class contiguous_view {
 public:
  using value_type = std::remove_cv_t<T>;

  static constexpr bool is_contiguous = true;
  static constexpr int arrays = 1;
  static constexpr std::size_t array_bytes = sizeof(T);
  static constexpr bool tells_memory = true;
  static constexpr int chunk_size = detail::elements_per_chunk(sizeof(value_type));
  using chunk_type = chunk<value_type, chunk_size>;
  using array_chunk = chunk_type;

  contiguous_view() = default;
  WARPFOLD_HD constexpr contiguous_view(const T* data, std::size_t size)
      : data_(data), size_(size) {}

  WARPFOLD_HD constexpr std::size_t size() const { return size_; }
  WARPFOLD_HD constexpr const T* data() const { return data_; }
  WARPFOLD_HD constexpr const T& operator[](std::size_t i) const { return data_[i]; }

  WARPFOLD_HD std::size_t head() const {
    if constexpr (chunk_type::fills_words) {
      for (int i = 0; i < chunk_size; ++i) {
        if (detail::at_word(data_ + i)) return static_cast<std::size_t>(i);
      }
    }
    return any_head;
  }

  inline WARPFOLD_HD value_type at(std::size_t i, const auto& loads) const {
    return loads.load(data_ + i);
  }

  inline WARPFOLD_HD void load(chunk_type& c, std::size_t i, const auto& loads) const {
    if constexpr (chunk_type::fills_words && detail::has_aligned_element<T>) {
      detail::load_words(c, data_ + i, loads);
    } else {
      load_anywhere(c, i, loads);
    }
  }

  inline WARPFOLD_HD void load_anywhere(chunk_type& c, std::size_t i, const auto& loads) const {
    if constexpr (chunk_type::fills_words) {
      // The same for every chunk and thread of a launch, so the branch never diverges.
      if (detail::at_word(data_ + i)) {
        detail::load_words(c, data_ + i, loads);
        return;
      }
    }
    load_misaligned(c, i, loads);
  }

  inline WARPFOLD_HD void load_misaligned(chunk_type& c, std::size_t i, const auto& loads) const {
    if constexpr (chunk_type::fills_words && sizeof(T) < 4 &&
                  requires { loads.load_part(data_); }) {
      if (load_parts(c, i, loads)) return;
    }
    WARPFOLD_UNROLL
    for (int k = 0; k < chunk_size; ++k) {
      ::new (static_cast<void*>(&c.elements[k])) value_type(loads.load(data_ + i + k));
    }
  }

  WARPFOLD_HD const value_type& get(const chunk_type& c, int k) const { return c.elements[k]; }

  void visit_memory(auto&& f) const {
    constexpr std::size_t all = static_cast<std::size_t>(-1);
    const std::size_t bytes = size_ > all / sizeof(T) ? all : size_ * sizeof(T);
    f(static_cast<const void*>(data_), bytes, alignof(T));
  }
  void visit_columns(auto&& f) const { f(static_cast<const void*>(data_), sizeof(T)); }

 private:
  // Loads a chunk of chars or shorts that starts anywhere, 4 bytes at a time, and shifts them into
  // place. Words at chars one apart from each other, 16 loads of chars -> 5: docs/performance.md.
  // Returns false, without a load, if the first or the last part would be partly outside the range.
  template <class Loads>
  WARPFOLD_HD bool load_parts(chunk_type& c, std::size_t i, const Loads& loads) const {
    constexpr unsigned parts = chunk_type::words * 4;
    const auto before =
        static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(data_ + i) % 4);  // bytes
    const std::size_t left = (size_ - i) * sizeof(T);
    if (i * sizeof(T) < before || left < 4 * parts + (before != 0 ? 4 - before : 0)) return false;
    const auto* const from = reinterpret_cast<const unsigned char*>(data_ + i) - before;
    std::uint32_t loaded[std::size_t{parts} + 1];
    WARPFOLD_UNROLL
    for (unsigned p = 0; p < parts; ++p) loaded[p] = loads.load_part(from + 4 * p);
    loaded[parts] = before != 0 ? loads.load_part(from + 4 * parts) : 0;
    WARPFOLD_UNROLL
    for (unsigned p = 0; p < parts; ++p) {
      const std::uint64_t both = std::uint64_t{loaded[p + 1]} << 32 | loaded[p];
      c.as_words[p / 4].part[p % 4] = static_cast<std::uint32_t>(both >> (8 * before));
    }
    return true;
  }

  const T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace warpfold
