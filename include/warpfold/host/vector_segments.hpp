/// @file
/// Sums of short segments of floating-point numbers in the declared order (op/fold_order.hpp), in
/// the vector registers of one host thread.
///
/// - Idea: a segment is divided into rows of as many elements as a vector has lanes. The last row
///   is padded with negative zeros, which change no sum. Rows of many segments are folded together,
///   a vector of them at once (vector_tree.hpp); their sums are shorter segments, and so on until
///   each has one element.
/// - Order: the declared one, with vectors of any width.
/// - Cost: two shuffles for an addition of two vectors, and a copy of each row. If lengths vary,
///   about one mispredicted branch for a segment.
///
/// Vectors are extensions of GCC and Clang. With other compilers nothing uses this code.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <warpfold/host/vector_tree.hpp>

namespace warpfold::host {

#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)

namespace detail {

/// Some segments, and then their sums: zero for an empty one.
template <class T>
struct segment_batch {
  static constexpr std::size_t most_rows = 256;
  /// The length from which a segment has enough elements for the registers by itself.
  static constexpr std::size_t longest = 256;

  std::size_t begins[most_rows];   ///< the first element of each segment
  std::size_t lengths[most_rows];  ///< becomes the number of sums
  std::size_t count = 0, elements = 0;
  T sums[most_rows + 2 * 32 / sizeof(T)];

  /// At least the rows of a segment, also of an empty one.
  static std::size_t most_rows_of(std::size_t length) {
    return (length - (length != 0)) / (narrow / sizeof(T)) + 1;
  }
};

template <class T, int Bytes>
struct segment_rows {
  using vector = vector_t<T, Bytes>;
  using tree = vector_tree<sum_node<T>, Bytes>;
  static constexpr std::size_t lanes = Bytes / sizeof(T);
  using places = vector_t<std::conditional_t<sizeof(T) == 4, int, long long>, Bytes>;

  // The first `n` lanes of `x`, and negative zeros; if there are none, zeros.
  static WARPFOLD_HOST_INLINE void pad(vector& x, std::size_t n) {
    using bits = warpfold::detail::bits_of<T>;
    places own;
    number_lanes(own, std::make_index_sequence<lanes>{});
    const places count = places{} + static_cast<std::remove_cvref_t<decltype(own[0])>>(n);
    const bits sign = bits{n != 0} << (sizeof(T) * 8 - 1);
    x = own < count ? x : (vector)(vector_t<bits, Bytes>{} + sign);
  }

  template <std::size_t... r>
  static WARPFOLD_HOST_INLINE void copy_rows(T* to, const T* from, std::index_sequence<r...>) {
    vector of[sizeof...(r)];
    (load(of[r], from + r * lanes), ...);
    (store(to + r * lanes, of[r]), ...);
  }

  // The sums of the rows of all segments of `from`, one after the other. Returns the number of rows
  // of the longest segment.
  // @param begin `begin(j)` is the first element of segment `j`
  // @param limit the elements of `from` that may be read
  // @tparam Some rows that are copied at once
  template <std::size_t Some, class Begin>
  static WARPFOLD_HOST_INLINE std::size_t add_rows(segment_batch<T>& batch, const T* from,
                                                   std::size_t limit, const Begin& begin) {
    alignas(Bytes) T rows[(segment_batch<T>::most_rows + 8 + lanes) * lanes];
    T* next = rows;
    std::size_t longest = 0;
    vector x{};
    for (std::size_t j = 0; j < batch.count; ++j) {
      const std::size_t at = begin(j);
      const std::size_t length = batch.lengths[j];
      const std::size_t more = (length - (length != 0)) / lanes;  // beside the last row
      const std::size_t left = length - more * lanes;
      if (at + (more + Some + 1) * lanes <= limit) {
        // Rows too many take less time than a branch on the length.
        std::size_t r = 0;
        do {
          copy_rows(next + r * lanes, from + at + r * lanes, std::make_index_sequence<Some>{});
          r += Some;
        } while (r < more);
        load(x, from + at + more * lanes);
      } else {
        for (std::size_t i = 0; i < more * lanes; ++i) next[i] = from[at + i];
        for (std::size_t l = 0; l < left; ++l) x[l] = from[at + more * lanes + l];
      }
      next += more * lanes;
      pad(x, left);
      store(next, x);
      next += lanes;
      batch.lengths[j] = more + 1;
      longest = more + 1 > longest ? more + 1 : longest;
    }
    x = -vector{};
    for (std::size_t l = 0; l < lanes; ++l) store(next + l * lanes, x);
    T* sums = batch.sums;
    for (const T* row = rows; row < next; row += lanes * lanes, sums += lanes) {
      typename tree::group of_rows;
      tree::template fold_parts<lanes * lanes>(of_rows, numbers_source<T>{row});
      store(sums, of_rows.of[0]);
    }
    return longest;
  }
  static WARPFOLD_HOST_INLINE void add(segment_batch<T>& batch, const T* from, std::size_t size) {
    const auto begin = [&batch](std::size_t j) { return batch.begins[j]; };
    std::size_t longest = 2 * lanes * batch.count > batch.elements
                              ? add_rows<2>(batch, from, size, begin)
                              : add_rows<8>(batch, from, size, begin);
    while (longest > 1) {
      std::size_t next = 0;
      const auto after = [&](std::size_t j) {
        const std::size_t at = next;
        next += batch.lengths[j];
        return at;
      };
      longest = add_rows<2>(batch, batch.sums, sizeof batch.sums / sizeof(T), after);
    }
  }
};

#if defined(__x86_64__) && !defined(__AVX2__)
template <class T>
__attribute__((target("avx2"))) void add_segments_avx2(segment_batch<T>& batch, const T* from,
                                                       std::size_t size) {
  segment_rows<T, 32>::add(batch, from, size);
}
#endif

// The sums of the segments of a batch, of elements of `from`, which has `size`.
template <class T>
void add_segments(segment_batch<T>& batch, const T* from, std::size_t size) {
#if defined(__AVX2__)
  segment_rows<T, 32>::add(batch, from, size);
#else
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) return add_segments_avx2(batch, from, size);
#endif
  segment_rows<T, narrow>::add(batch, from, size);
#endif
}

}  // namespace detail

#endif

}  // namespace warpfold::host
