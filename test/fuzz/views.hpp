/// @file
/// Views of the fuzzer, each one struct with
/// - `bytes<T>(n)`: the memory of `n` elements;
/// - `write(p, n, i, x, decoy)`: writes `x` as element `i`, and `decoy` to places that must not
///   be read;
/// - `write_count<T>(p, n)`, optional: writes the number of elements;
/// - `of<T>(p, n)`: the range.
///
/// `alignment<T>` is that of `p`.
#pragma once

#include <algorithm>
#include <iterator>
#include <span>

#include <warpfold/reduce.hpp>
#include <warpfold/view/iterator.hpp>
#include <warpfold/view/reverse.hpp>
#include <warpfold/view/strided.hpp>

#include "fuzz/elements.hpp"

namespace fuzz {

/// An mdspan, as the library knows one by its members; strides in elements.
template <class T, int Rank>
class strided {
 public:
  using element_type = T;
  using data_handle_type = T*;
  using reference = T&;

  struct mapping_type {
    std::size_t strides[Rank];
    std::size_t stride(int d) const { return strides[d]; }
  };

  strided(T* data, const std::size_t (&extents)[Rank], const std::size_t (&strides)[Rank])
      : data_(data) {
    for (int d = 0; d < Rank; ++d) {
      extents_[d] = extents[d];
      mapping_.strides[d] = strides[d];
    }
  }

  static constexpr int rank() { return Rank; }
  static constexpr bool is_always_strided() { return true; }
  static constexpr bool is_always_exhaustive() { return false; }
  T* data_handle() const { return data_; }
  const mapping_type& mapping() const { return mapping_; }
  std::size_t extent(int d) const { return extents_[d]; }

 private:
  T* data_;
  std::size_t extents_[Rank];
  mapping_type mapping_;
};

/// Elements side by side; the base of the other views.
struct contiguous {
  template <class T>
  static constexpr std::size_t alignment = alignof(T);

  template <class T>
  static std::size_t bytes(std::size_t n) {
    return n * sizeof(T);
  }
  template <class T>
  static void put(unsigned char* p, std::size_t i, const T& x) {
    std::memcpy(p + i * sizeof(T), static_cast<const void*>(&x), sizeof(T));
  }
  template <class T>
  static const T* at(const unsigned char* p, std::size_t i) {
    return reinterpret_cast<const T*>(p) + i;
  }

  template <class T>
  static void write(unsigned char* p, std::size_t, std::size_t i, const T& x, const T&) {
    put(p, i, x);
  }
  template <class T>
  static auto of(const unsigned char* p, std::size_t n) {
    return std::span<const T>(at<T>(p, 0), n);
  }
};

/// An iterator that runs backwards and hides its memory.
template <class T>
class backwards {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = const T*;
  using reference = const T&;

  WARPFOLD_HD explicit backwards(const T* end) : end_(end) {}
  WARPFOLD_HD const T& operator[](std::ptrdiff_t i) const { return end_[-1 - i]; }
  friend WARPFOLD_HD std::ptrdiff_t operator-(const backwards& a, const backwards& b) {
    return b.end_ - a.end_;
  }

 private:
  const T* end_;
};
struct iterator : contiguous {
  template <class T>
  static void write(unsigned char* p, std::size_t n, std::size_t i, const T& x, const T&) {
    put(p, n - 1 - i, x);
  }
  template <class T>
  static auto of(const unsigned char* p, std::size_t n) {
    return wf::as_view(backwards<T>(at<T>(p, n)), backwards<T>(at<T>(p, 0)));
  }
};

struct staged : contiguous {
  template <class T>
  static auto of(const unsigned char* p, std::size_t n) {
    return wf::staged(contiguous::of<T>(p, n));
  }
};

struct packed : contiguous {
  template <class T>
  static auto of(const unsigned char* p, std::size_t n) {
    return wf::packed(contiguous::of<T>(p, n));
  }
};

template <int N>
struct aligned : contiguous {
  template <class T>
  static constexpr std::size_t alignment = N;

  template <class T>
  static auto of(const unsigned char* p, std::size_t n) {
    return wf::aligned<N>(contiguous::of<T>(p, n));
  }
};

/// A structure of less than 16 bytes for most numbers, and one of more.
template <class T>
struct small_holder {
  T value;
  signed char other;
};
template <class T>
struct large_holder {
  signed char other;
  T value;
  T rest[5];
};
template <template <class> class Holder>
struct field : contiguous {
  template <class T>
  static constexpr std::size_t alignment = alignof(Holder<T>);

  template <class T>
  static std::size_t bytes(std::size_t n) {
    return n * sizeof(Holder<T>);
  }
  template <class T>
  static void write(unsigned char* p, std::size_t, std::size_t i, const T& x, const T& decoy) {
    Holder<T> s{};
    if constexpr (requires { s.rest; }) s.rest[0] = s.rest[4] = decoy;
    s.other = -1;
    s.value = x;
    put(p, i, s);
  }
  template <class T>
  static auto of(const unsigned char* p, std::size_t n) {
    return wf::field<&Holder<T>::value>(contiguous::of<Holder<T>>(p, n));
  }
};

/// Each element comes from one of two arrays; a third array selects it.
struct choose {
  template <class Triple>
  WARPFOLD_HD auto operator()(const Triple& t) const {
    return wf::get<2>(t) % 2 != 0 ? wf::get<0>(t) : wf::get<1>(t);
  }
};
struct zip : contiguous {
  template <class T>
  static std::size_t bytes(std::size_t n) {
    return n * (2 * sizeof(T) + 1);
  }
  template <class T>
  static void write(unsigned char* p, std::size_t n, std::size_t i, const T& x, const T& decoy) {
    const bool first = i * 2654435761u / 8192 % 2 != 0;
    put(p, i, first ? x : decoy);
    put(p, n + i, first ? decoy : x);
    p[2 * n * sizeof(T) + i] = first ? 255 : 0;
  }
  template <class T>
  static auto of(const unsigned char* p, std::size_t n) {
    const std::span<const unsigned char> which(p + 2 * n * sizeof(T), n);
    return wf::project(
        wf::zip(std::span<const T>(at<T>(p, 0), n), std::span<const T>(at<T>(p, n), n), which),
        choose{});
  }
};

/// Each element comes from one of two arrays; its index selects it.
struct choose_by_place {
  template <class Triple>
  WARPFOLD_HD auto operator()(const Triple& t) const {
    return wf::get<0>(t) % 3 == 0 ? wf::get<1>(t) : wf::get<2>(t);
  }
};
struct zip_counting : contiguous {
  template <class T>
  static std::size_t bytes(std::size_t n) {
    return 2 * n * sizeof(T);
  }
  template <class T>
  static void write(unsigned char* p, std::size_t n, std::size_t i, const T& x, const T& decoy) {
    put(p, i, i % 3 == 0 ? x : decoy);
    put(p, n + i, i % 3 == 0 ? decoy : x);
  }
  template <class T>
  static auto of(const unsigned char* p, std::size_t n) {
    return wf::project(wf::zip(wf::counting(std::size_t{0}, n), std::span<const T>(at<T>(p, 0), n),
                               std::span<const T>(at<T>(p, n), n)),
                       choose_by_place{});
  }
};

/// A part of a larger matrix: the rows have gaps between them.
struct matrix_part : contiguous {
  static std::size_t rows(std::size_t n) {
    return n % 7 == 0 ? 7 : n % 5 == 0 ? 5 : n % 3 == 0 ? 3 : n % 2 == 0 ? 2 : 1;
  }
  template <class T>
  static std::size_t bytes(std::size_t n) {
    return (n + 3 * (rows(n) - 1)) * sizeof(T);
  }
  template <class T>
  static void write(unsigned char* p, std::size_t n, std::size_t i, const T& x, const T& decoy) {
    const std::size_t columns = n / rows(n), row = i / columns, column = i % columns;
    const std::size_t place = row * (columns + 3) + column;
    put(p, place, x);
    if (column + 1 == columns && row + 1 != rows(n)) {
      for (std::size_t k = 1; k <= 3; ++k) put(p, place + k, decoy);
    }
  }
  template <class T>
  static auto of(const unsigned char* p, std::size_t n) {
    const std::size_t columns = n / rows(n);
    return wf::matrix(strided<const T, 2>(at<T>(p, 0), {rows(n), columns}, {columns + 3, 1}));
  }
};

/// Every second element of a matrix's rows, which have gaps between them.
struct matrix_steps : contiguous {
  template <class T>
  static std::size_t bytes(std::size_t n) {
    return (n == 0 ? 0 : 2 * n - 1 + matrix_part::rows(n) - 1) * sizeof(T);
  }
  template <class T>
  static void write(unsigned char* p, std::size_t n, std::size_t i, const T& x, const T& decoy) {
    const std::size_t columns = n / matrix_part::rows(n);
    const std::size_t place = i / columns * (2 * columns + 1) + i % columns * 2;
    put(p, place, x);
    if (i + 1 != n) put(p, place + 1, decoy);
    if (i + 1 != n && i % columns + 1 == columns) put(p, place + 2, decoy);
  }
  template <class T>
  static auto of(const unsigned char* p, std::size_t n) {
    const std::size_t columns = n / matrix_part::rows(n);
    return wf::matrix(
        strided<const T, 2>(at<T>(p, 0), {matrix_part::rows(n), columns}, {2 * columns + 1, 2}));
  }
};

/// A view of the user's, with the library's loading half.
template <class T>
class every_second_view : public wf::element_loads<every_second_view<T>, T> {
 public:
  every_second_view(const T* data, std::size_t size) : data_(data), size_(size) {}

  WARPFOLD_HD std::size_t size() const { return size_; }
  WARPFOLD_HD const T& operator[](std::size_t i) const { return data_[2 * i]; }
  template <class Visitor>
  void visit_memory(Visitor&& visit) const {
    const std::size_t all = size_ == 0 ? 0 : 2 * size_ - 1;
    visit(static_cast<const void*>(data_), all * sizeof(T), alignof(T));
  }

 private:
  const T* data_;
  std::size_t size_;
};
struct every_second : contiguous {
  template <class T>
  static std::size_t bytes(std::size_t n) {
    return (n == 0 ? 0 : 2 * n - 1) * sizeof(T);
  }
  template <class T>
  static void write(unsigned char* p, std::size_t n, std::size_t i, const T& x, const T& decoy) {
    put(p, 2 * i, x);
    if (i + 1 != n) put(p, 2 * i + 1, decoy);
  }
  template <class T>
  static auto of(const unsigned char* p, std::size_t n) {
    return every_second_view<T>(at<T>(p, 0), n);
  }
};

/// An array of three dimensions with gaps after its runs and its planes; its dimensions are not in
/// the order of their strides.
struct three_dimensions : contiguous {
  struct shape {
    std::size_t planes, rows, columns;

    explicit shape(std::size_t n)
        : planes(matrix_part::rows(n)),
          rows(n == 0 ? 1 : matrix_part::rows(n / planes)),
          columns(n / planes / rows) {}
    std::size_t pitch() const { return columns + 1; }
    std::size_t plane() const { return rows * pitch() + 2; }
    std::size_t place(std::size_t i) const {
      const std::size_t row = i / columns;
      return row / rows * plane() + row % rows * pitch() + i % columns;
    }
  };
  template <class T>
  static std::size_t bytes(std::size_t n) {
    return (n == 0 ? 0 : shape(n).place(n - 1) + 1) * sizeof(T);
  }
  template <class T>
  static void write(unsigned char* p, std::size_t n, std::size_t i, const T& x, const T& decoy) {
    const shape s(n);
    put(p, s.place(i), x);
    const std::size_t next = i + 1 == n ? 0 : s.place(i + 1);
    for (std::size_t k = s.place(i) + 1; k < next; ++k) put(p, k, decoy);
  }
  template <class T>
  static auto of(const unsigned char* p, std::size_t n) {
    const shape s(n);
    return strided<const T, 3>(at<T>(p, 0), {s.rows, s.columns, s.planes},
                               {s.pitch(), 1, s.plane()});
  }
};

/// Every third element of an array.
struct every_third : contiguous {
  template <class T>
  static std::size_t bytes(std::size_t n) {
    return (n == 0 ? 0 : 3 * n - 1) * sizeof(T);
  }
  template <class T>
  static void write(unsigned char* p, std::size_t n, std::size_t i, const T& x, const T& decoy) {
    put(p, 3 * i + 1, x);
    put(p, 3 * i, decoy);
    if (i + 1 != n) put(p, 3 * i + 2, decoy);
  }
  template <class T>
  static auto of(const unsigned char* p, std::size_t n) {
    return wf::strided(std::span<const T>(at<T>(p, 0), n == 0 ? 0 : 3 * n - 1), 3, 1);
  }
};

/// An array from its end.
struct reversed : contiguous {
  template <class T>
  static void write(unsigned char* p, std::size_t n, std::size_t i, const T& x, const T&) {
    put(p, n - 1 - i, x);
  }
  template <class T>
  static auto of(const unsigned char* p, std::size_t n) {
    return wf::reverse(contiguous::of<T>(p, n));
  }
};

/// The elements of an array whose bit is set: two of every three.
struct where : contiguous {
  static std::size_t place(std::size_t i) { return i + i / 2; }
  static std::size_t size(std::size_t n) { return n == 0 ? 0 : place(n - 1) + 1; }
  template <class T>
  static std::size_t bytes(std::size_t n) {
    return size(n) * sizeof(T) + (size(n) + 7) / 8;
  }
  template <class T>
  static void write(unsigned char* p, std::size_t n, std::size_t i, const T& x, const T& decoy) {
    put(p, place(i), x);
    unsigned char* const bits = p + size(n) * sizeof(T);
    const auto set = [bits](std::size_t k, bool is) {
      const int bit = 1 << k % 8;
      bits[k / 8] = static_cast<unsigned char>(is ? bits[k / 8] | bit : bits[k / 8] & ~bit);
    };
    set(place(i), true);
    if (i + 1 == n || place(i + 1) == place(i) + 1) return;
    put(p, place(i) + 1, decoy);
    set(place(i) + 1, false);
  }
  template <class T>
  static auto of(const unsigned char* p, std::size_t n) {
    return wf::where(std::span<const T>(at<T>(p, 0), size(n)),
                     std::span<const unsigned char>(p + size(n) * sizeof(T), (size(n) + 7) / 8));
  }
};

/// The first elements of an array. Their number lies behind the array.
struct counted : contiguous {
  template <class T>
  static constexpr std::size_t alignment = std::max(alignof(T), alignof(unsigned));

  static std::size_t size(std::size_t n) { return n + n / 2 + 3; }
  template <class T>
  static std::size_t place(std::size_t n) {
    return (size(n) * sizeof(T) + sizeof(unsigned) - 1) / sizeof(unsigned) * sizeof(unsigned);
  }
  template <class T>
  static std::size_t bytes(std::size_t n) {
    return place<T>(n) + sizeof(unsigned);
  }
  template <class T>
  static void write(unsigned char* p, std::size_t n, std::size_t i, const T& x, const T& decoy) {
    put(p, i, x);
    if (n + i < size(n)) put(p, n + i, decoy);
  }
  template <class T>
  static void write_count(unsigned char* p, std::size_t n) {
    const auto count = static_cast<unsigned>(n);
    std::memcpy(p + place<T>(n), &count, sizeof count);
  }
  template <class T>
  static auto of(const unsigned char* p, std::size_t n) {
    return wf::counted(std::span<const T>(at<T>(p, 0), size(n)),
                       reinterpret_cast<const unsigned*>(p + place<T>(n)));
  }
};

/// Consecutive numbers without memory, from the first drawn value on.
struct counting {
  template <class T>
  static constexpr std::size_t alignment = 1;
  template <class T>
  static auto from(const T& first, std::size_t n) {
    return wf::counting(first, n);
  }
};

}  // namespace fuzz
