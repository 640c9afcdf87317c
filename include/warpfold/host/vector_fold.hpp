/// @file
/// Sums, sums of products, and extrema of consecutive numbers in the vector registers of one host
/// thread.
///
/// A compiler that vectorizes interleaved_fold's loop keeps the accumulators in memory, with one
/// more load and store per vector. It also computes exactly what the op says, where a whole vector
/// needs less.
///
/// Vectors have 32 bytes if the processor has AVX2, which the code finds out when it runs, and 16
/// bytes otherwise. Their results have the same bits. 256 KB, one core of an EPYC 9004, 16 -> 32
/// bytes: sum of floats 98 -> 115 GB/s, maximum 50 -> 109 GB/s, norm 35 -> 58 GB/s.
///
/// Sums of a projection of the library in `double` are folded like this too, if it defines
/// `in_double`. So are several ops in one pass.
///
/// Vectors are extensions of GCC and Clang. With other compilers nothing uses this code.
#pragma once

#include <cstddef>
#include <utility>

#include <warpfold/host/vector_lines.hpp>

namespace warpfold::host {

/// True if there is a vector fold of `View`'s elements by `Op` in type `A`.
template <class Op, class View, class A>
concept folds_in_vectors =
    requires { requires std::is_same_v<typename detail::vectors_of<Op, View>::accumulator, A>; };

/// The vector fold of elements `first` to `last - 1`, at least one.
///
/// Order: fixed by `last - first`.
template <class A, class Op, class View>
  requires folds_in_vectors<Op, View, A>
A vector_fold(const Op& op, const View& view, std::size_t first, std::size_t last);

/// The same by several ops in one pass; returns a tuple.
template <class... Ops, class View>
  requires(folds_together_in_vectors<Ops, View> && ...)
auto vector_fold_each(const tuple<Ops...>& ops, const View& view, std::size_t first,
                      std::size_t last);

#if defined(__GNUC__)

namespace detail {

template <class Line, class Vectors, std::size_t... r>
WARPFOLD_HOST_INLINE void merge_halves(Line& line, const Vectors& vectors,
                                       std::index_sequence<r...>) {
  (line.merge(vectors, r, sizeof...(r) + r), ...);
}
// Merges the first `Units` units of a line, a power of two, into the first one.
template <std::size_t Units, class Line, class Vectors>
WARPFOLD_HOST_INLINE void merge_units(Line& line, const Vectors& vectors) {
  if constexpr (Units > 1) {
    merge_halves(line, vectors, std::make_index_sequence<Units / 2>{});
    merge_units<Units / 2>(line, vectors);
  }
}

// What fold_lines has folded: the first `elements`, into `units` units of a line of narrow vectors.
struct folded_lines {
  std::size_t elements, units;
};

// Folds as many whole lines as `n` elements have, at least one. If the order does not matter, it
// merges their units in registers.
template <int Bytes, class Vectors, class Source>
WARPFOLD_HOST_INLINE folded_lines fold_lines(const Vectors& vectors, const Source& data,
                                             std::size_t n,
                                             typename Vectors::template line<narrow>& to) {
  using line_type = typename Vectors::template line<Bytes>;
  constexpr std::make_index_sequence<line_type::units> units{};
  constexpr std::size_t line = Vectors::line_elements;
  constexpr std::size_t streams = Vectors::streams;
  const Vectors own = vectors;  // a copy, which stores cannot alias
  line_type p;
  start_line(p, own, data, units);
  std::size_t i = line;
  const std::size_t length = (n - i) / (streams * line) * line;  // of a stream, in elements
  for (const std::size_t end = i + length; i < end; i += line) {
    for (std::size_t s = 0; s < streams; ++s) take_line(p, own, data + (i + s * length), units);
  }
  i += (streams - 1) * length;
  for (; n - i >= line; i += line) take_line(p, own, data + i, units);
  constexpr std::size_t in = Vectors::any_order ? 1 : line_type::units;
  if constexpr (Vectors::any_order) {
    for (; n - i >= line_type::unit; i += line_type::unit) p.take(own, 0, data + i);
    merge_units<line_type::units>(p, own);
  }
  p.split(to, in);
  return {i, in * (Bytes / narrow)};
}

#if defined(__x86_64__) && !defined(__AVX2__)
template <class Vectors, class Source>
__attribute__((target("avx2"))) folded_lines
fold_lines_avx2(const Vectors& vectors, const Source& data, std::size_t n,
                typename Vectors::template line<narrow>& to) {
  return fold_lines<32>(vectors, data, n, to);
}
#endif

// The vectors of 16 bytes of any processor, and the widest that this one is fast with. With AVX-512
// on an EPYC 9004, vectors of 64 bytes are no faster from the second-level cache (sum of 512 KB of
// floats: 96 and 91 GB/s), and GCC 12 makes slow code for extrema of floats.
struct narrow_vectors {
  template <class Vectors, class Source, class Line>
  static folded_lines fold(const Vectors& vectors, const Source& data, std::size_t n, Line& to) {
    return fold_lines<narrow>(vectors, data, n, to);
  }
};
struct widest_vectors {
  template <class Vectors, class Source, class Line>
  static folded_lines fold(const Vectors& vectors, const Source& data, std::size_t n, Line& to) {
#if defined(__AVX2__)
    return fold_lines<32>(vectors, data, n, to);
#else
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return fold_lines_avx2(vectors, data, n, to);
#endif
    return fold_lines<narrow>(vectors, data, n, to);
#endif
  }
};

// The fold of `n` elements, at least one.
template <class Widest = widest_vectors, class Vectors, class Source>
typename Vectors::accumulator fold_at_once(const Vectors& vectors, const Source& data,
                                           std::size_t n) {
  using accumulator = typename Vectors::accumulator;
  using line_type = typename Vectors::template line<narrow>;
  constexpr std::size_t unit = line_type::unit;
  line_type p;
  std::size_t i = 0, units = line_type::units;
  if (n >= Vectors::line_elements) {
    const folded_lines lines = Widest::fold(vectors, data, n, p);
    i = lines.elements;
    units = lines.units;
    // In any order there is one unit, and fewer elements than one of the wide vectors has.
    for (std::size_t r = 0; n - i >= unit; r += !Vectors::any_order, i += unit) {
      p.take(vectors, r, data + i);
    }
  } else if constexpr (Vectors::any_order) {
    units = n >= unit;
    if (units != 0) p.start(vectors, 0, data);
    for (i = units * unit; n - i >= unit; i += unit) p.take(vectors, 0, data + i);
  } else {
    units = n / unit;
    for (std::size_t r = 0; r < units; ++r, i += unit) p.start(vectors, r, data + i);
  }
  if constexpr (requires { requires Vectors::may_repeat; }) {
    if (units != 0 && i < n) {
      p.take(vectors, 0, data + (n - unit));
      i = n;
    }
  }
  accumulator total = [&]() -> accumulator {
    if (units == 0) return vectors.element(data + i++);
    for (; units > 1; units = (units + 1) / 2) {
      for (std::size_t r = 0; r < units / 2; ++r) p.merge(vectors, r, (units + 1) / 2 + r);
    }
    if constexpr (folds_lanes<line_type>) {
      return p.folded();
    } else {
      accumulator partial[unit];
      for (std::size_t l = 0; l < unit; ++l) partial[l] = p.value(l);
      for (std::size_t step = unit / 2; step > 0; step /= 2) {
        for (std::size_t l = 0; l < step; ++l) {
          partial[l] = vectors.combined(partial[l], partial[l + step]);
        }
      }
      return partial[0];
    }
  }();
  for (; i < n; ++i) total = vectors.combined(total, vectors.element(data + i));
  return vectors.settled(total, data, n);
}

// The same for any number of elements.
template <class Vectors, class Source>
typename Vectors::accumulator fold_any_number(const Vectors& vectors, const Source& data,
                                              std::size_t n) {
  constexpr std::size_t longest = Vectors::longest;
  auto total = fold_at_once(vectors, data, n < longest ? n : longest);
  for (std::size_t i = longest; i < n; i += longest) {
    total =
        vectors.combined(total, fold_at_once(vectors, data + i, n - i < longest ? n - i : longest));
  }
  return total;
}

}  // namespace detail

template <class A, class Op, class View>
  requires folds_in_vectors<Op, View, A>
A vector_fold(const Op& op, const View& view, std::size_t first, std::size_t last) {
  using vectors = detail::vectors_of<Op, View>;
  return detail::fold_any_number(vectors(op, view), vectors::data(view) + first, last - first);
}

template <class... Ops, class View>
  requires(folds_together_in_vectors<Ops, View> && ...)
auto vector_fold_each(const tuple<Ops...>& ops, const View& view, std::size_t first,
                      std::size_t last) {
  using T = typename View::value_type;
  return [&]<std::size_t... At>(std::index_sequence<At...>) {
    const auto each = warpfold::detail::tuple_of(detail::plain_vectors<Ops, T>{get<At>(ops)}...);
    return detail::fold_any_number(detail::vectors_together<T, Ops...>{each}, view.data() + first,
                                   last - first);
  }(std::index_sequence_for<Ops...>{});
}

#endif

}  // namespace warpfold::host
