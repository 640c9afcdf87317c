/// @file
/// Folds of short segments of numbers in the vector registers of one host thread.
///
/// - Idea: a row has as many elements as a vector has lanes, and as many segments are folded
///   together. A vector holds a row of each segment; missing elements change no result. The rows
///   are transposed while they are folded (vector_tree.hpp): lane j of the last vector is the fold
///   of row j.
/// - Lengths: neighbors of up to four rows are folded together, and of up to eight rows if their
///   mean is four or more. Others are sorted by their number of rows, so that no
///   branch depends on a length. A segment of more rows first becomes the folds of its rows.
/// - Order: the declared one (op/fold_order.hpp), with vectors of any width.
/// - Cost: for each row a load of some lanes, a shuffle, a blend and an operation of the op.
///
/// Vectors are extensions of GCC and Clang. With other compilers nothing uses this code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <warpfold/host/vector_tree.hpp>

#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)

namespace warpfold::host::detail {

/// Some segments, and their folds.
template <class Lane>
struct segment_list {
  static constexpr std::size_t most = 256, most_lanes = 64 / sizeof(Lane);

  std::size_t begins[most + most_lanes];
  std::uint32_t lengths[most + most_lanes];
  Lane folds[most + most_lanes];
  std::size_t size = 0;

  WARPFOLD_HOST_INLINE void add(std::size_t begin, std::uint32_t length) {
    begins[size] = begin;
    lengths[size++] = length;
  }
  // Appends `lanes - 1` empty segments, which are not counted, so that vectors can be read whole.
  // There is at least one segment.
  WARPFOLD_HOST_INLINE void complete(std::size_t lanes) {
    for (std::size_t j = 0; j < lanes - 1; ++j) {
      begins[size + j] = begins[0];
      lengths[size + j] = 0;
    }
  }
};

/// Segments of the elements of a source.
template <class Node, class Source>
struct segment_batch : segment_list<typename Node::lane> {
  static constexpr std::uint32_t long_length = 65536;  ///< what `lengths` has for longer ones, too

  Source from;
  std::size_t limit = 0;            ///< the number of elements that may be read
  std::size_t longest = 0;          ///< of the segments that have been folded
  const char* next_line = nullptr;  ///< the first cache line to prefetch
  std::size_t lines = 0;            ///< how many

  /// The fold of segment `j`.
  typename Node::value value(std::size_t j) const {
    return __builtin_bit_cast(typename Node::value, this->folds[j]);
  }
  WARPFOLD_HOST_INLINE void prefetch(std::size_t n) {
    for (std::size_t i = 0; i < n; ++i, next_line += 64) __builtin_prefetch(next_line);
  }
};

// Nodes of the folds of rows: elements that `Node` has lifted.
template <class Node>
struct row_node : Node {
  static constexpr typename Node::lane missing = Node::missing_fold;

  template <class Vector>
  static WARPFOLD_HOST_INLINE void lift(Vector (&to)[1], const Vector& x) {
    to[0] = x;
  }
};

// Some of a list's segments.
struct similar_segments {
  std::size_t first, last;
  int rows;  // 1, 2, 4 or 8; no segment has more
};

// Folds similar segments, as many at a time as a vector has lanes.
template <class Node, class Source>
struct similar_kernel {
  using lane = typename Node::lane;
  using batch_type = segment_batch<Node, Source>;

  template <int Bytes>
  static WARPFOLD_HOST_INLINE void run(batch_type& batch, segment_list<lane>& list,
                                       const similar_segments& some, const std::size_t& lines) {
    using tree = vector_tree<Node, Bytes>;
    using group = typename tree::group;
    for (std::size_t i = some.first; i < some.last; i += tree::lanes) {
      batch.prefetch(lines);
      group total, kept[4];  // kept[b]: the fold of the last 2^b rows
      total.of[0] = vector_t<lane, Bytes>{};
      for (group& g : kept) g.of[0] = total.of[0];
      for (int row = 0; row < some.rows; ++row) {
        fold_row<Bytes>(total, batch, list.begins + i, list.lengths + i,
                        static_cast<std::size_t>(row), std::make_index_sequence<tree::lanes>{});
        int bit = 0;
        for (; (row >> bit) % 2 != 0; ++bit) {
          Node::template combine<1>(total.of, kept[bit].of, total.of);
        }
        kept[bit].of[0] = total.of[0];
      }
      store(list.folds + i, total.of[0]);
    }
  }

 private:
  template <int Bytes, class Group, std::size_t... j>
  static WARPFOLD_HOST_INLINE void fold_row(Group& to, const batch_type& batch,
                                            const std::size_t* begins, const std::uint32_t* lengths,
                                            std::size_t row, std::index_sequence<j...>) {
    using tree = vector_tree<Node, Bytes>;
    Group v[tree::lanes];
    (tree::lift_padded(v[j], batch.from + begins[j], row, lengths[j], batch.limit - begins[j]),
     ...);
    tree::template fold_each<1>(to, v);
  }
};

// Folds each of as many rows as a vector has lanes. The rows have `n` elements from `first` on.
template <class Node, class Source>
struct block_kernel {
  using lane = typename Node::lane;

  template <int Bytes>
  static WARPFOLD_HOST_INLINE void run(const segment_batch<Node, Source>& batch,
                                       const std::size_t& first, const std::size_t& n,
                                       lane* const& to) {
    using tree = vector_tree<Node, Bytes>;
    constexpr std::size_t block = tree::lanes * tree::lanes;
    const Source from = batch.from + first;
    typename tree::group folds;
    if (n >= block) {
      tree::template fold_parts<block>(folds, from);
    } else {
      fold_rows<Bytes>(folds, from, static_cast<std::uint32_t>(n), batch.limit - first,
                       std::make_index_sequence<tree::lanes>{});
    }
    store(to, folds.of[0]);
  }

 private:
  template <int Bytes, class Group, std::size_t... k>
  static WARPFOLD_HOST_INLINE void fold_rows(Group& to, const Source& from, const std::uint32_t& n,
                                             std::size_t limit, std::index_sequence<k...>) {
    using tree = vector_tree<Node, Bytes>;
    Group v[tree::lanes];
    (tree::lift_padded(v[k], from, k, n, limit), ...);
    tree::template fold_each<1>(to, v);
  }
};

// Folds the segments of a batch.
template <class Node, class Source>
struct batch_kernel {
  using lane = typename Node::lane;
  using batch_type = segment_batch<Node, Source>;
  using list_type = segment_list<lane>;

  template <int Bytes>
  static WARPFOLD_HOST_INLINE void run(batch_type& batch) {
    constexpr std::size_t lanes = Bytes / sizeof(lane);
    constexpr std::uint32_t row = lanes;
    batch.longest = (Node::folds_long ? 4 * lanes : 8) * lanes;
    const std::size_t lines = batch.lines * lanes / batch.size;
    batch.complete(lanes);
    sorted one, two, four, eight, longer;
    for (std::size_t i = 0; i < batch.size; i += lanes) {
      std::uint32_t all, sum;
      add_up<lanes>(batch.lengths + i, all, sum);
      if (all < 4 * row || (all < 8 * row && sum >= 4 * row * row)) {
        const int rows = all < row ? 1 : all < 2 * row ? 2 : all < 4 * row ? 4 : 8;
        fold<Bytes>(batch, batch, {i, i + lanes, rows}, lines);
        continue;
      }
      sorted* const lists[] = {&one, &two, &four, &eight, &longer};
      const std::size_t last = batch.size - i < lanes ? batch.size : i + lanes;
      for (std::size_t j = i; j < last; ++j) {
        const std::uint32_t n = batch.lengths[j];
        lists[(n > row) + (n > 2 * row) + (n > 4 * row) + (n > 8 * row)]->add(batch, j);
      }
    }
    fold_some<Bytes>(batch, one, two, 1, lines);
    fold_some<Bytes>(batch, two, four, 2, lines);
    fold_some<Bytes>(batch, four, eight, 4, lines);
    fold_all<Bytes>(batch, eight, 8, lines);
    if constexpr (Node::folds_long) fold_longer<Bytes>(batch, longer);
    finish<Bytes>(batch);
  }

 private:
  // Segments that need the same number of rows, and their places in the batch.
  struct sorted : list_type {
    std::uint16_t places[list_type::most];

    WARPFOLD_HOST_INLINE void add(const batch_type& batch, std::size_t j) {
      places[this->size] = static_cast<std::uint16_t>(j);
      list_type::add(batch.begins[j], batch.lengths[j]);
    }
  };

  // Sets `sum` to the sum of some lengths, and `bits` to the bitwise `or` of each length minus one,
  // or of 0 for an empty segment: it is below a power of two if no length is above it.
  template <std::size_t Count>
  static WARPFOLD_HOST_INLINE void add_up(const std::uint32_t* lengths, std::uint32_t& bits,
                                          std::uint32_t& sum) {
    using vector = vector_t<std::uint32_t, int{Count * sizeof(std::uint32_t)}>;
    vector n, x;
    load(n, lengths);
    x = n + (vector)(n != 0);
    std::uint64_t halves[2][Count / 2], all[2] = {};
    __builtin_memcpy(halves[0], &x, sizeof x);
    __builtin_memcpy(halves[1], &n, sizeof n);
    for (std::size_t j = 0; j < Count / 2; ++j) {
      all[0] |= halves[0][j];
      all[1] += halves[1][j];
    }
    bits = static_cast<std::uint32_t>(all[0] | all[0] >> 32);
    sum = static_cast<std::uint32_t>(all[1] + (all[1] >> 32));
  }
  template <int Bytes>
  static WARPFOLD_HOST_INLINE void fold(batch_type& batch, list_type& list, similar_segments some,
                                        std::size_t lines) {
    warpfold::detail::run_in_vectors_of<similar_kernel<Node, Source>, Bytes>(batch, list, some,
                                                                             lines);
  }
  template <int Bytes>
  static WARPFOLD_HOST_INLINE void fold_all(batch_type& batch, sorted& list, int rows,
                                            std::size_t lines) {
    if (list.size == 0) return;
    list.complete(Bytes / sizeof(lane));
    fold<Bytes>(batch, list, {0, list.size, rows}, lines);
    for (std::size_t i = 0; i < list.size; ++i) batch.folds[list.places[i]] = list.folds[i];
  }
  // Folds as many segments as fill vectors, and moves the others to `next`.
  template <int Bytes>
  static WARPFOLD_HOST_INLINE void fold_some(batch_type& batch, sorted& list, sorted& next,
                                             int rows, std::size_t lines) {
    const std::size_t all = list.size;
    list.size -= all % (Bytes / sizeof(lane));
    for (std::size_t i = list.size; i < all; ++i) next.add(batch, list.places[i]);
    fold_all<Bytes>(batch, list, rows, lines);
  }

  // Folds segments of more than eight rows, if they are not longer than `longest`.
  template <int Bytes>
  static WARPFOLD_HOST_INLINE void fold_longer(batch_type& batch, const sorted& longer) {
    constexpr std::size_t lanes = Bytes / sizeof(lane), block = lanes * lanes, some = 32;
    for (std::size_t i = 0; i < longer.size;) {
      alignas(Bytes) lane rows[some * 4 * lanes];
      std::uint16_t places[some];
      segment_batch<row_node<Node>, numbers_source<lane>> of_rows;
      of_rows.from.from = rows;
      of_rows.limit = some * 4 * lanes;
      for (std::size_t next = 0; i < longer.size && of_rows.size < some; ++i) {
        const std::size_t n = longer.lengths[i];
        if (n > batch.longest) continue;
        if (batch.lines != 0) {
          batch.prefetch(n * sizeof(typename Source::element_type) / 64);
        }
        places[of_rows.size] = longer.places[i];
        of_rows.add(next, static_cast<std::uint32_t>((n + lanes - 1) / lanes));
        for (std::size_t at = 0; at < n; at += block, next += lanes) {
          const std::size_t from = longer.begins[i] + at, left = n - at;
          lane* const to = rows + next;
          warpfold::detail::run_in_vectors_of<block_kernel<Node, Source>, Bytes>(batch, from, left,
                                                                                 to);
        }
      }
      if (of_rows.size == 0) return;
      of_rows.complete(lanes);
      const similar_segments all{0, of_rows.size, 4};
      const std::size_t no_lines = 0;
      segment_list<lane>& list = of_rows;
      warpfold::detail::run_in_vectors_of<similar_kernel<row_node<Node>, numbers_source<lane>>,
                                          Bytes>(of_rows, list, all, no_lines);
      for (std::size_t j = 0; j < of_rows.size; ++j) batch.folds[places[j]] = of_rows.folds[j];
    }
  }

  // Makes results of folds. Those of longer segments are not set, and nobody reads them.
  template <int Bytes>
  static WARPFOLD_HOST_INLINE void finish(batch_type& batch) {
    constexpr std::size_t lanes = Bytes / sizeof(lane);
    for (std::size_t i = 0; i < batch.size; i += lanes) {
      vector_t<lane, Bytes> x;
      vector_t<std::uint32_t, int{lanes * sizeof(std::uint32_t)}> lengths;
      load(x, batch.folds + i);
      load(lengths, batch.lengths + i);
      Node::finish(x, lengths);
      store(batch.folds + i, x);
    }
  }
};

/// Sets `batch.longest`, and folds the segments that are not longer; the others have no fold. There
/// is at least one segment.
template <class Node, class Source>
void fold_segments(segment_batch<Node, Source>& batch) {
  warpfold::detail::run_in_vectors<batch_kernel<Node, Source>, 64>(batch);
}

}  // namespace warpfold::host::detail

#endif
