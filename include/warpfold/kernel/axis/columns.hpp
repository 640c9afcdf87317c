/// @file
/// Folds along an axis whose elements are not contiguous: columns of row-major matrices, and all
/// other strides.
///
/// - Idea: a thread holds a 16-byte word of neighboring columns and walks down the axis, with the
///   loads of eight rows in flight. Neighboring threads hold neighboring words, then neighboring
///   rows, then neighboring matrices. So a warp reads contiguous memory for narrow matrices too.
///   The threads of a block combine their states in shared memory.
/// - Words: contiguous rows that are not whole words (3, 7, 100001 floats) are merged to longer
///   rows that are: four rows of three floats are one of three words. The rest at the end is loaded
///   element by element. If rows cannot be merged, all elements are loaded one by one.
/// - Split: if there are too few columns to fill the GPU, the axis is split. The pieces store their
///   states in scratch, one row per piece, and a second launch (kernel/axis/pieces.hpp) folds them.
/// - Order: fixed by the shape, the alignment and the GPU.
/// - Cost: one or two launches; every byte is read once.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/collective/axis_loads.hpp>
#include <warpfold/collective/column_reduce.hpp>
#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/axis/pieces.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/work/axis_reduction.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct axis_columns {
  static constexpr const char* name() { return "axis_columns"; }

  /// True if a thread can keep the states of a word's columns in registers.
  template <class AxisReduction>
  static constexpr bool takes_words =
      collective::fills_words<typename AxisReduction::value_type> &&
      sizeof(typename AxisReduction::state) *
              collective::elements_of_word<typename AxisReduction::value_type> <=
          256;

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
    std::size_t stride;  ///< from row to row
    bool direct;         ///< true if this launch writes the result, false if a second one does
    bool words_out;      ///< true if results are stored as words
  };

  /// The code that runs on the GPU.
  template <class AxisReduction, bool Words>
  struct body {
    using value_type = typename AxisReduction::value_type;
    using out_type = typename AxisReduction::out_type;
    using state = typename AxisReduction::state;

    static constexpr int size = Words ? collective::elements_of_word<value_type> : 1;
    static constexpr int elements_a_load = size;  // for explain_axis
    static constexpr int threads = sizeof(state) * size <= 256 ? 256
                                   : sizeof(state) <= 512      ? 64
                                                               : 32;
    // 1024 limits the registers to 64 if that is enough, so that 1024 threads are resident.
    static constexpr int max_block = sizeof(state) * size <= 32 ? 1024 : threads;
    static constexpr int unroll = Words || sizeof(value_type) > 8 ? 8 : 16;
    // Types with padding are stored member by member: their bytes would differ from run to run.
    static constexpr bool can_store_words =
        Words && (is_number_v<out_type> || std::has_unique_object_representations_v<out_type>) &&
        sizeof(out_type) * size % word_bytes == 0 && sizeof(out_type) * size <= 64;

    AxisReduction axis;
    division how;
    caching cache;
    collective::global_array<state> states;

    WARPFOLD_HD const AxisReduction& work() const { return axis; }
    WARPFOLD_DEVICE void operator()() const {
      if (!how.direct) collective::let_next_launch_start();
      const unsigned tile = blockIdx.x % how.tiles;
      const unsigned above = blockIdx.x / how.tiles;
      const unsigned piece = above % how.pieces;
      const unsigned x = threadIdx.x % how.width;
      const unsigned y = threadIdx.x / how.width % how.height;
      const unsigned z = threadIdx.x / (how.width * how.height);
      const std::size_t outer = std::size_t{above / how.pieces} * how.depth + z;
      const std::size_t column = (std::size_t{tile} * how.width + x) * size;
      const bool inside = z < how.depth && outer < how.outers && column < how.columns;

      const auto fold = axis.fold();
      chunk<state, size> seen;
      WARPFOLD_UNROLL
      for (int k = 0; k < size; ++k) {
        ::new (static_cast<void*>(&seen.elements[k])) state(fold.start());
      }
      array_offsets<2> at{};
      if (inside) {
        at = axis.layout.kept.place(outer, 1);
        walk(seen, axis.in + at.of[axis_layout::in], column, piece, y);
      }
      meet(seen, x, y, z);
      if (!inside || y != 0) return;
      if (how.direct) {
        put(seen, at.of[axis_layout::out], column);
      } else {
        const std::size_t to = (std::size_t{piece} * how.outers + outer) * how.columns + column;
        WARPFOLD_UNROLL
        for (int k = 0; k < size; ++k) {
          states.store(to + static_cast<unsigned>(k), seen.elements[k]);
        }
      }
    }

   private:
    using states_type = chunk<state, size>;

    /// Folds a thread's rows of one piece: every `height`-th, starting at the `y`-th.
    WARPFOLD_DEVICE void walk(states_type& seen, const value_type* data, std::size_t column,
                              unsigned piece, unsigned y) const {
      const auto fold = axis.fold();
      const global_loads loads(cache);
      const std::size_t begin = piece * how.piece_rows;
      const std::size_t end = how.rows - begin < how.piece_rows ? how.rows : begin + how.piece_rows;
      const auto here = static_cast<unsigned>(end - begin);
      const unsigned count = y < here ? (here - y + how.height - 1) / how.height : 0;
      const std::size_t step = how.stride * how.height;
      std::size_t row = begin + y;
      const value_type* from =
          data + row * how.stride +
          column * (Words ? 1 : axis.layout.kept.dims[0].stride[axis_layout::in]);
      // The index of each column along the axis, in the first row.
      std::size_t index[std::size_t{size}];
      WARPFOLD_UNROLL
      for (int k = 0; k < size; ++k) {
        index[k] = AxisReduction::is_indexed && how.merged_rows != 1
                       ? (column + static_cast<unsigned>(k)) / axis.layout.kept.dims[0].extent
                       : 0;
      }
      const auto place = [&](int k, unsigned u) {
        return (row + std::size_t{u} * how.height) * how.merged_rows + index[k];
      };

      unsigned i = 0;
      WARPFOLD_NO_UNROLL
      for (; i + unroll <= count; i += unroll) {
        chunk<value_type, size> loaded[std::size_t{unroll}];
        WARPFOLD_UNROLL
        for (int u = 0; u < unroll; ++u) {
          collective::load_axis_chunk<Words>(loaded[u], from + static_cast<unsigned>(u) * step,
                                             loads);
        }
        WARPFOLD_UNROLL
        for (int k = 0; k < size; ++k) {
          seen.elements[k] =
              fold.combine(seen.elements[k],
                           fold.state_of(axis.template fold_few<unroll>(
                               [&](int u) -> const value_type& { return loaded[u].elements[k]; },
                               [&](int u) { return place(k, static_cast<unsigned>(u)); })));
        }
        from += unroll * step;
        row += std::size_t{unroll} * how.height;
      }
      if (i < count) {
        // Missing rows load the last row again, and the result is discarded: no conditional load.
        const unsigned left = count - i;
        chunk<value_type, size> loaded[std::size_t{unroll}];
        WARPFOLD_UNROLL
        for (int u = 0; u < unroll; ++u) {
          const unsigned own =
              static_cast<unsigned>(u) < left ? static_cast<unsigned>(u) : left - 1;
          collective::load_axis_chunk<Words>(loaded[u], from + own * step, loads);
        }
        WARPFOLD_UNROLL
        for (int k = 0; k < size; ++k) {
          seen.elements[k] =
              fold.combine(seen.elements[k],
                           fold.state_of(axis.template fold_first<unroll>(
                               [&](int u) -> const value_type& { return loaded[u].elements[k]; },
                               [&](int u) { return place(k, static_cast<unsigned>(u)); },
                               [&](int u) { return static_cast<unsigned>(u) < left; })));
        }
      }
      if (Words && how.rest != 0 && y == 0 && piece + 1 == how.pieces) {
        const std::size_t inner = axis.layout.kept.dims[0].extent;
        WARPFOLD_UNROLL
        for (int k = 0; k < size; ++k) {
          const std::size_t own = column + static_cast<unsigned>(k);
          if (own >= how.rest * inner) continue;
          const value_type x = loads.load(data + how.rows * how.stride + own);
          seen.elements[k] =
              fold.combine(seen.elements[k],
                           fold.state_of(axis.lift(x, how.rows * how.merged_rows + own / inner)));
        }
      }
    }

    /// Combines the states of the threads with the same columns; the result is in the first thread.
    WARPFOLD_DEVICE void meet(states_type& seen, unsigned x, unsigned y, unsigned z) const {
      WARPFOLD_SHARED collective::shared_array<state, unsigned{threads / 2 * size}> storage;
      const auto fold = axis.fold();
      const unsigned most = how.height / 2;
      collective::column_reduce<size>(fold, seen.elements, storage, y, how.height, z < how.depth,
                                      [&](unsigned i) { return (z * most + i) * how.width + x; });
    }

    WARPFOLD_DEVICE void put(const states_type& seen, std::size_t outer, std::size_t column) const {
      const global_access stores;
      if constexpr (can_store_words) {
        if (how.words_out) {
          chunk<out_type, size> results;
          WARPFOLD_UNROLL
          for (int k = 0; k < size; ++k) {
            ::new (static_cast<void*>(&results.elements[k]))
                out_type(axis.result_of(seen.elements[k], axis.out + outer + column + k));
          }
          warpfold::detail::store_words(axis.out + outer + column, results, stores);
          return;
        }
      }
      WARPFOLD_UNROLL
      for (int k = 0; k < size; ++k) {
        const std::size_t own =
            (column + static_cast<unsigned>(k)) * axis.layout.kept.dims[0].stride[axis_layout::out];
        auto* const to = axis.out + outer + own;
        stores.store(to, axis.result_of(seen.elements[k], to));
      }
    }
  };

  /// Launches once or twice.
  template <class AxisReduction, class Launcher>
  void enqueue(const AxisReduction& axis, Launcher& launcher) const {
    if constexpr (takes_words<AxisReduction>) {
      if (rows_to_merge(axis) != 0) {
        enqueue_as<true>(axis, launcher);
        return;
      }
    }
    enqueue_as<false>(axis, launcher);
  }

 private:
  static constexpr std::size_t divided(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

  // The number of rows that merge to one of whole aligned words; 0 if none do.
  template <class AxisReduction>
  static std::size_t rows_to_merge(const AxisReduction& axis) {
    constexpr std::size_t size = collective::elements_of_word<typename AxisReduction::value_type>;
    const axis_layout& l = axis.layout;
    if (l.kept.dims[0].stride[l.in] != 1 || !warpfold::detail::at_word(axis.in)) return 0;
    for (int d = 1; d < l.kept.count; ++d) {
      if (l.kept.dims[d].stride[l.in] % size != 0) return 0;
    }
    if (l.step % size == 0 && l.kept.dims[0].extent % size == 0) return 1;
    if (l.step != l.kept.dims[0].extent || l.kept.count != 1) return 0;
    const std::size_t rows = size / warpfold::detail::gcd(l.step, size);
    // The states of each row go through scratch. For long rows this costs too much, unless they are
    // few compared with the bytes read.
    const std::size_t least = l.step > 1024 ? 16 * rows : rows;
    return least <= l.length ? rows : 0;
  }

  template <bool Words, class AxisReduction, class Launcher>
  static void enqueue_as(const AxisReduction& axis, Launcher& launcher) {
    using body_type = body<AxisReduction, Words>;
    using out_type = typename AxisReduction::out_type;
    using state = typename AxisReduction::state;
    constexpr std::size_t size = body_type::size;
    constexpr std::size_t block = body_type::threads;
    const axis_layout& l = axis.layout;
    const auto multiprocessors = static_cast<std::size_t>(launcher.gpu().multiprocessors);

    division p{};
    std::size_t merged = 1;
    if constexpr (Words) merged = rows_to_merge(axis);
    p.merged_rows = static_cast<unsigned>(merged);
    p.columns = l.kept.dims[0].extent * merged;
    p.rows = l.length / merged;
    p.rest = static_cast<unsigned>(l.length % merged);
    p.stride = l.step * merged;

    const std::size_t chunks = p.columns / size;
    const std::size_t tiles = divided(chunks, block);
    std::size_t width = divided(chunks, tiles);
    // Whole cache lines, even if the last tile is then emptier. 20000 columns of float, H100, equal
    // widths -> this: 2825 -> 2922 GB/s.
    if (tiles > 1) width = divided(width, 8) * 8;
    std::size_t height = block / width;
    // At most so many threads down the rows that each has eight rows, if other threads have work
    // beside them.
    const std::size_t outers = l.outers();
    std::size_t useful = divided(p.rows, body_type::unroll);
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
    p.tiles = static_cast<unsigned>(divided(chunks, width));

    // As many blocks as are resident at once: more pieces write and read more states than the
    // better balance saves. 2^10 x 2^19 floats, H100, twice as many blocks -> this: 2873 -> 3054
    // GB/s. And no piece so short that its states are many compared with its elements.
    const std::size_t blocks = divided(outers, depth) * p.tiles;
    std::size_t pieces = 4 * multiprocessors / blocks;
    if (pieces > p.rows / (height * 16)) pieces = p.rows / (height * 16);
    const std::size_t least = p.rows >> 31;  // a thread counts its rows in 32 bits
    if (pieces <= least) pieces = least + 1;
    p.piece_rows = divided(divided(p.rows, pieces), height) * height;
    pieces = p.rows == 0 ? 1 : divided(p.rows, p.piece_rows);
    p.pieces = static_cast<unsigned>(pieces);
    p.direct = pieces == 1 && merged == 1;

    if constexpr (body_type::can_store_words) {
      p.words_out = l.kept.dims[0].stride[l.out] == 1 && warpfold::detail::at_word(axis.out);
      for (int d = 1; d < l.kept.count; ++d) {
        p.words_out =
            p.words_out && l.kept.dims[d].stride[l.out] * sizeof(out_type) % word_bytes == 0;
      }
    }

    collective::global_array<state> states{};
    if (!p.direct) states = launcher.template scratch<state>(pieces * outers * p.columns);
    const caching cache = tuning::row_for(axis.bytes(), launcher.gpu()).cache;
    const auto threads = static_cast<unsigned>(divided(width * height * depth, 32) * 32);
    launcher.launch(name(), body_type{axis, p, cache, states}, {grid_of(blocks * pieces), threads});
    if (!p.direct) axis_pieces{}.enqueue(axis, states, pieces * merged, launcher);
  }
};

}  // namespace warpfold::kernel
