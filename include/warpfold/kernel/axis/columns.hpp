/// @file
/// Folds along axes whose elements are not contiguous, in any order: columns of row-major matrices,
/// and all other strides, of one array or of an expression of several.
///
/// - Idea: a thread holds a chunk of neighboring columns and walks down the axis with the loads of
///   several rows in flight. Neighboring threads hold neighboring chunks, then rows, then matrices,
///   so a warp reads contiguous memory. A block combines its states in shared memory.
/// - Words: contiguous rows that are not whole words (3, 7, 100001 floats) are merged to longer
///   rows that are: four rows of three floats are one of three words. The rest at the end is loaded
///   element by element, and so are rows that cannot be merged. Expressions: see
///   kernel/axis/loads.hpp.
/// - Split: if there are too few columns to fill the GPU, pieces of the axis store their states in
///   scratch, and a second launch (kernel/axis/pieces.hpp) folds them.
/// - Cost: one or two launches; every element is loaded once for each result that it belongs to.
#pragma once

#include <cstddef>

#include <warpfold/collective/axis_loads.hpp>
#include <warpfold/collective/column_reduce.hpp>
#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/core/device_info.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/axis/loads.hpp>
#include <warpfold/kernel/axis/pieces.hpp>
#include <warpfold/kernel/tuning.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct axis_columns {
  static constexpr const char* name() { return "axis_columns"; }

  /// The arrangement of the threads, and the share of each block. Its rows are those that the
  /// kernel walks down: each merges `merged_rows` elements of the axis.
  struct division {
    /// threads: along a row, down the rows, and across outer indices
    unsigned width, height, depth;
    unsigned tiles;   ///< blocks along a row
    unsigned pieces;  ///< blocks down the rows
    unsigned rest;    ///< elements of the axis after the last merged row
    unsigned merged_rows;
    std::size_t outers;
    std::size_t columns;  ///< elements per row
    std::size_t rows;
    std::size_t piece_rows;
    bool direct;     ///< true if this launch writes the result, false if a second one does
    bool words_out;  ///< true if results are stored as words
  };

  /// @tparam Words true if a thread has a chunk of columns, false if it has one column
  template <class Work, bool Words>
  struct body {
    using source = typename Work::source_type;
    using state = typename Work::state;

    static constexpr int arrays = Work::arrays;
    static constexpr int places = arrays + Work::outs;
    static constexpr int size = Words ? source::chunk_size : 1;
    static constexpr int elements_a_load = size;  // for explain_axis
    static constexpr int threads = sizeof(state) * size <= 256 ? 256
                                   : sizeof(state) <= 512      ? 64
                                                               : 32;
    // 1024 limits the registers to 64 if that is enough, 768 to 80 for several arrays.
    static constexpr int max_block = sizeof(state) * size > 32 ? threads : arrays == 1 ? 1024 : 768;
    static constexpr int unroll = arrays > 1 ? chunks_in_flight<source, state, size>
                                  : Words || sizeof(typename Work::value_type) > 8 ? 8
                                                                                   : 16;

    Work axis;
    array_loads<arrays> how;
    division part;
    caching cache;
    collective::global_array<state> states;

    WARPFOLD_HD const Work& work() const { return axis; }
    WARPFOLD_DEVICE void operator()() const {
      if (!part.direct) collective::let_next_launch_start();
      const unsigned tile = blockIdx.x % part.tiles;
      const unsigned above = blockIdx.x / part.tiles;
      const unsigned piece = above % part.pieces;
      const unsigned x = threadIdx.x % part.width;
      const unsigned y = threadIdx.x / part.width % part.height;
      const unsigned z = threadIdx.x / (part.width * part.height);
      const std::size_t outer = std::size_t{above / part.pieces} * part.depth + z;
      const std::size_t column = (std::size_t{tile} * part.width + x) * size;
      const auto& columns = results_in_line(axis, outer, part.columns);
      const bool inside = z < part.depth && outer < part.outers && column < columns;
      // Of one array, words are whole: see merging.
      int here = size;
      if ((arrays > 1 || sized_in_memory<Work>) && inside && columns - column < size) {
        here = static_cast<int>(columns - column);
      }

      const auto fold = axis.fold();
      chunk<state, size> seen;
      WARPFOLD_UNROLL
      for (int k = 0; k < size; ++k) seen.set(k, fold.start());
      // The offsets of the chunk's first element and of its first result.
      array_offsets<places> at{};
      const auto find_place = [&] {
        at = axis.layout.kept.place(outer, 1);
        WARPFOLD_UNROLL
        for (int a = 0; a < places; ++a) at.of[a] += column * axis.layout.kept.dims[0].stride[a];
      };
      if (inside) {
        find_place();
        walk(seen, at.of, column, here, piece, y);
      }
      meet(seen, x, y, z);
      if (!inside || y != 0) return;
      if (part.direct) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 900
        // Computed again: on these GPUs ptxas spills 8 to 24 bytes of what it keeps.
        find_place();
#endif
        write_chunk<size>(axis, at, here, part.words_out,
                          [&](int k) { return fold.value(seen.elements[k]); });
      } else {
        const std::size_t to = (std::size_t{piece} * part.outers + outer) * part.columns + column;
        WARPFOLD_UNROLL
        for (int k = 0; k < size; ++k) {
          if (k < here) states.store(to + static_cast<unsigned>(k), seen.elements[k]);
        }
      }
    }

   private:
    using states_type = chunk<state, size>;

    /// Folds a thread's rows of one piece: every `height`-th from the `y`-th on, at `first`.
    WARPFOLD_DEVICE void walk(states_type& seen, const std::size_t* first, std::size_t column,
                              int here, unsigned piece, unsigned y) const {
      const auto fold = axis.fold();
      const global_loads loads(cache);
      const auto& across = axis.layout.kept.dims[0];
      const auto& folded = axis.folded();
      const std::size_t begin = piece * part.piece_rows;
      const std::size_t end =
          part.rows - begin < part.piece_rows ? part.rows : begin + part.piece_rows;
      const auto rows = static_cast<unsigned>(end - begin);
      const unsigned count = y < rows ? (rows - y + part.height - 1) / part.height : 0;
      const bool one_line = Work::is_one_line || folded.count == 1;
      std::size_t row = begin + y;
      std::size_t stride[std::size_t{arrays}];  // from row to row
      std::size_t start[std::size_t{arrays}];
      WARPFOLD_UNROLL
      for (int a = 0; a < arrays; ++a) {
        stride[a] = one_line ? folded.dims[0].stride[a] * part.merged_rows : 0;
        start[a] = first[a] + row * stride[a];
        stride[a] *= part.height;
      }
      const source from = axis.input();
      // The index of each column along the axis, in the first row.
      std::size_t index[std::size_t{size}];
      WARPFOLD_UNROLL
      for (int k = 0; k < size; ++k) {
        index[k] = lifts_indexed<typename Work::op_type, typename Work::value_type> &&
                           part.merged_rows != 1
                       ? (column + static_cast<unsigned>(k)) / across.extent
                       : 0;
      }
      typename source::template chunk_type<size> loaded[std::size_t{unroll}];
      array_offsets<arrays + 1> at[std::size_t{unroll}];
      // Missing rows load the last one again, and the result is discarded: no conditional load.
      const auto load = [&](unsigned last) {
        WARPFOLD_UNROLL
        for (int u = 0; u < unroll; ++u) {
          const unsigned own = static_cast<unsigned>(u) < last ? static_cast<unsigned>(u) : last;
          if (one_line) {
            WARPFOLD_UNROLL
            for (int a = 0; a < arrays; ++a) at[u].of[a] = start[a] + own * stride[a];
            at[u].of[arrays] = (row + std::size_t{own} * part.height) * part.merged_rows;
          } else {
            at[u] = folded.place(row + std::size_t{own} * part.height);
            WARPFOLD_UNROLL
            for (int a = 0; a < arrays; ++a) at[u].of[a] += start[a];
          }
        }
        from.template load<size, Words && arrays == 1 && !sized_in_memory<Work>>(
            loaded, at, across.stride, how.of, here, loads);
      };
      const auto element = [&](int k) {
        return [&, k](int u) -> decltype(auto) { return from.template get<size>(loaded[u], k); };
      };
      const auto index_of = [&](int k) {
        return [&, k](int u) { return at[u].of[arrays] + index[k]; };
      };

      // Adds rows of column `k` as one batch, if that is what the op does.
      const auto add_batch = [&](int k, unsigned there) {
        seen.elements[k] = collective::fold_batches<256, unroll, 1>(
            axis.op, seen.elements[k], [&](int u, int) -> decltype(auto) { return element(k)(u); },
            collective::chunk_positions{0, there, 0, 1}, axis.keep);
      };

      unsigned i = 0;
      WARPFOLD_NO_UNROLL
      for (; i + unroll <= count; i += unroll) {
        load(unroll);
        WARPFOLD_UNROLL
        for (int k = 0; k < size; ++k) {
          if constexpr (collective::prefers_batches<Work>) {
            add_batch(k, unroll);
            continue;
          }
          seen.elements[k] = fold.combine(
              seen.elements[k],
              fold.state_of(collective::fold_few<unroll>(axis, element(k), index_of(k))));
        }
        WARPFOLD_UNROLL
        for (int a = 0; a < arrays; ++a) start[a] += unroll * stride[a];
        row += std::size_t{unroll} * part.height;
      }
      if (i < count) {
        const unsigned left = count - i;
        load(left - 1);
        WARPFOLD_UNROLL
        for (int k = 0; k < size; ++k) {
          if constexpr (collective::prefers_batches<Work>) {
            add_batch(k, left);
            continue;
          }
          seen.elements[k] = fold.combine(
              seen.elements[k], fold.state_of(collective::fold_first<unroll>(
                                    axis, element(k), index_of(k),
                                    [&](int u) { return static_cast<unsigned>(u) < left; })));
        }
      }
      if (Words && part.rest != 0 && y == 0 && piece + 1 == part.pieces) {
        const std::size_t inner = across.extent;
        WARPFOLD_UNROLL
        for (int k = 0; k < size; ++k) {
          const std::size_t own = column + static_cast<unsigned>(k);
          if (own >= part.rest * inner) continue;
          WARPFOLD_UNROLL
          for (int a = 0; a < arrays; ++a) {
            start[a] = first[a] + part.rows * part.merged_rows * folded.dims[0].stride[a] +
                       static_cast<unsigned>(k);
          }
          typename source::template chunk_type<1> one;
          from.load_one(one, start, loads);
          seen.elements[k] =
              fold.combine(seen.elements[k],
                           fold.state_of(axis.lift(from.template get<1>(one, 0),
                                                   part.rows * part.merged_rows + own / inner)));
        }
      }
    }

    /// Combines the states of the threads with the same columns; the result is in the first thread.
    WARPFOLD_DEVICE void meet(states_type& seen, unsigned x, unsigned y, unsigned z) const {
      WARPFOLD_SHARED collective::shared_array<state, unsigned{threads / 2 * size}> storage;
      const auto fold = axis.fold();
      const unsigned most = part.height / 2;
      collective::column_reduce<size>(fold, seen.elements, storage, y, part.height, z < part.depth,
                                      [&](unsigned i) { return (z * most + i) * part.width + x; });
    }
  };

  template <class Work, class Launcher>
  void enqueue(const Work& axis, Launcher& launcher) const {
    if constexpr (holds_chunk_of_columns<Work, typename Work::state>) {
      if (const merging<Work> m(axis, launcher.gpu()); m.rows != 0) {
        enqueue_as<true>(axis, m, launcher);
        return;
      }
    }
    enqueue_as<false>(axis, {}, launcher);
  }

 private:
  // The number of rows that merge to one of whole aligned words, and the loads of each array; 0 if
  // none do. The chunks of an expression may end within a row.
  template <class Work>
  struct merging {
    std::size_t rows = 0;
    array_loads<Work::arrays> how{};

    merging() = default;
    merging(const Work& axis, const device_info& gpu) {
      constexpr int size = Work::source_type::chunk_size;
      const auto& across = axis.layout.kept.dims[0];
      const auto& folded = axis.folded();
      how = loads_of(axis, chunks_along::kept);
      if (how.any_words() && (Work::arrays > 1 || across.extent % size == 0)) {
        rows = 1;
        return;
      }
      if (sized_in_memory<Work> || axis.layout.kept.count != 1 || folded.count != 1) return;
      const std::size_t step = folded.dims[0].stride[0];
      for (int a = 0; a < Work::arrays; ++a) {
        if (across.stride[a] != 1 || folded.dims[0].stride[a] != across.extent) return;
        if (!axis.input().template starts_at_words<size>(a)) return;
        how.of[a] = array_load::words;
      }
      const std::size_t merged = size / warpfold::detail::gcd(step, std::size_t{size});
      // The states of each row go through scratch: too much for long rows, unless they are few.
      // Expressions that the L2 cache holds gain less than the second launch costs.
      const std::size_t least = step > 1024 ? 16 * merged : merged;
      if (!Work::is_one_line && axis.bytes() < gpu.l2_bytes / 3) return;
      if (least <= axis.layout.length) rows = merged;
    }
  };

  template <bool Words, class Work, class Launcher>
  static void enqueue_as(const Work& axis, const merging<Work>& m, Launcher& launcher) {
    using body_type = body<Work, Words>;
    using state = typename Work::state;
    constexpr std::size_t size = body_type::size;
    constexpr std::size_t block = body_type::threads;
    const auto& l = axis.layout;
    const auto multiprocessors = static_cast<std::size_t>(launcher.gpu().multiprocessors);

    division p{};
    const std::size_t merged = Words ? m.rows : 1;
    p.merged_rows = static_cast<unsigned>(merged);
    p.columns = l.kept.dims[0].extent * merged;
    p.rows = l.length / merged;
    p.rest = static_cast<unsigned>(l.length % merged);

    const std::size_t chunks = divided_up(p.columns, size);
    const std::size_t tiles = divided_up(chunks, block);
    std::size_t width = divided_up(chunks, tiles);
    // Whole cache lines, even if the last tile is then emptier. 20000 columns of float, H100, equal
    // widths -> this: 2825 -> 2922 GB/s.
    if (tiles > 1) width = divided_up(width, 8) * 8;
    std::size_t height = block / width;
    // At most so many threads that each has eight rows, if others have work beside them.
    const std::size_t outers = l.outputs == 0 ? 0 : l.kept.size(1);
    std::size_t useful = divided_up(p.rows, body_type::unroll);
    if (useful == 0) useful = 1;
    if (height > useful) height = useful;
    // Makes each step down the rows whole cache lines if that leaves few threads idle, otherwise
    // whole sectors. 2^28 rows of 3 floats, H100: 2925 -> 3027 GB/s.
    const std::size_t lines = 8 / warpfold::detail::gcd(width, 8);
    if (height % lines * 8 <= height) {
      height -= height % lines;
    } else if (width % 2 != 0 && height > 1) {
      height -= height % 2;
    }
    std::size_t depth = block / (width * height);
    if (depth > outers) depth = outers;
    p.outers = outers;
    p.width = static_cast<unsigned>(width);
    p.height = static_cast<unsigned>(height);
    p.depth = static_cast<unsigned>(depth);
    p.tiles = static_cast<unsigned>(divided_up(chunks, width));

    // As many blocks as are resident at once: more pieces write and read more states than the
    // better balance saves. 2^10 x 2^19 floats, H100, twice as many blocks -> this: 2873 -> 3054
    // GB/s. And no piece so short that its states are many compared with its elements.
    const std::size_t blocks = divided_up(outers, depth) * p.tiles;
    std::size_t pieces = 4 * multiprocessors / blocks;
    if (pieces > p.rows / (height * 16)) pieces = p.rows / (height * 16);
    const std::size_t least = p.rows >> 31;  // a thread counts its rows in 32 bits
    if (pieces <= least) pieces = least + 1;
    p.piece_rows = divided_up(divided_up(p.rows, pieces), height) * height;
    pieces = p.rows == 0 ? 1 : divided_up(p.rows, p.piece_rows);
    p.pieces = static_cast<unsigned>(pieces);
    p.direct = pieces == 1 && merged == 1;

    if constexpr (can_store_words<Work, body_type::size>)
      p.words_out = starts_results_at_words(axis);

    collective::global_array<state> states{};
    if (!p.direct) states = launcher.template scratch<state>(pieces * outers * p.columns);
    const caching cache = tuning::row_for(axis.bytes(), launcher.gpu()).cache;
    const auto threads = static_cast<unsigned>(divided_up(width * height * depth, 32) * 32);
    launcher.launch(name(), body_type{axis, m.how, p, cache, states},
                    {grid_of(blocks * pieces), threads});
    if (!p.direct) axis_pieces{}.enqueue(axis, states, pieces * merged, launcher);
  }
};

}  // namespace warpfold::kernel
