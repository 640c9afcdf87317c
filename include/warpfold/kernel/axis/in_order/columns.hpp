/// @file
/// The folds of kernel/axis/columns.hpp in the declared order (op/fold_order.hpp).
///
/// - Idea: a thread holds a chunk of neighboring columns and folds a run of rows, eight of which it
///   loads at once (collective/column_fold.hpp). Blocks are many and take neighboring rows: beyond
///   the cache, the order of the reads matters more than their number.
/// - Loads: narrow rows that are not whole words (3, 7, 17 floats) are copied to shared memory, a
///   tile at a time, in words. Of wider ones a thread holds columns that are a warp apart, so that
///   single elements are coalesced. Others: see kernel/axis/loads.hpp.
/// - Split: if there are too few columns to fill the GPU, several blocks fold pieces of a power of
///   two of rows. Their values are rows of a matrix, which the block that is done last folds. For
///   data beyond the cache a second launch folds them, because a ticket waits for the stores.
///   Small data is divided into narrower blocks of whole columns, which need neither.
/// - Cost: one or two launches; every element is loaded once for each result that it belongs to.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/collective/axis_loads.hpp>
#include <warpfold/collective/column_fold.hpp>
#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/last_block.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/collective/thread_nodes.hpp>
#include <warpfold/collective/tile_copy.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/axis/loads.hpp>
#include <warpfold/kernel/tuning.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct ordered_columns {
  static constexpr const char* name() { return "ordered_columns"; }

  /// What a thread holds: a chunk of columns, as many columns that are a warp apart, or one column,
  /// perhaps of a tile in shared memory.
  enum class columns_of_thread { chunk, apart, one, staged };

  template <class Work>
  static constexpr bool takes_chunks = [] {
    using accumulator = typename Work::accumulator;
    return Work::source_type::chunk_size > 1 && holds_chunk_of_columns<Work, accumulator>;
  }();

  struct division {
    /// threads: along a row, down the rows, and across outer indices
    unsigned width, height, depth;
    unsigned tiles;              ///< blocks along a row
    unsigned run;                ///< rows of a thread: a power of two
    unsigned run_words_inverse;  ///< 2^32 over the words of a thread's rows in shared memory
    unsigned pieces;             ///< blocks down the rows
    bool has_second_launch;
    bool words_out;  ///< true if results are stored as words
    std::size_t outers;
    std::size_t results;  ///< blocks along a row and across outer indices
    std::size_t columns;  ///< elements per row
    std::size_t rows;
    std::size_t piece_rows;
  };

  /// The pieces that a block folds. More take several steps.
  static constexpr unsigned piece_group = 256;
  static WARPFOLD_HD constexpr unsigned groups_of(unsigned pieces) {
    return (pieces + piece_group - 1) / piece_group;
  }

  /// What both launches have: the values of the pieces, and the results.
  /// @tparam Size columns of a thread, `Apart` apart
  template <class Work, int Size, unsigned Apart>
  struct shared_columns {
    using accumulator = typename Work::accumulator;
    using values_type = chunk<accumulator, Size>;

    static constexpr int places = Work::arrays + Work::outs;
    /// Threads whose values fit into 32 KB of shared memory.
    static constexpr int threads = [] {
      int most = Size == 1 ? 512 : 256;
      while (most > 32 && static_cast<std::size_t>(most) * sizeof(values_type) > 32768) most /= 2;
      return most;
    }();
    /// The values of pieces that a thread folds at once.
    static constexpr unsigned most_values = sizeof(values_type) <= 32 ? 8 : 2;
    static constexpr int max_block = threads;
    static constexpr bool waits_for_launch_before = true;

    Work axis;
    division part;
    collective::global_array<accumulator> values;  ///< of the pieces
    collective::grid_storage scratch;

    WARPFOLD_HD const Work& work() const { return axis; }

   protected:
    using storage_type = collective::shared_array<accumulator, unsigned{threads * Size}>;

    struct position {
      collective::column_place at;
      std::size_t outer, column;
      std::size_t result;  ///< the number of the block among those of a piece
      unsigned above;      ///< the piece, or the group of pieces
      int here;            ///< columns of the thread that exist
      WARPFOLD_DEVICE bool is_first() const { return at.inside && at.y == 0; }
    };
    // `a / b`. Where threads have single columns, `b` is mostly 1: then a test takes less time.
    static WARPFOLD_DEVICE unsigned divided_down(unsigned a, unsigned b) {
      return Size == 1 && b == 1 ? a : a / b;
    }
    WARPFOLD_DEVICE position place_of_thread(unsigned pieces) const {
      const unsigned above = divided_down(blockIdx.x, part.tiles);
      const unsigned outer_group = divided_down(above, pieces);
      const unsigned tile = blockIdx.x - above * part.tiles, of_matrix = part.width * part.height;
      const unsigned z = threadIdx.x / of_matrix, in_matrix = threadIdx.x - z * of_matrix;
      const unsigned y = Size == 1 && part.height == 1 ? 0 : in_matrix / part.width;
      position p{{in_matrix - y * part.width, y, part.width, part.height, z * of_matrix, false},
                 std::size_t{outer_group} * part.depth + z,
                 0,
                 std::size_t{outer_group} * part.tiles + tile,
                 above - outer_group * pieces,
                 Size};
      // The lanes beside each other start `Apart` neighbors and skip the others that they hold.
      p.column = std::size_t{tile} * part.width * Size + p.at.x / Apart * (Apart * Size) +
                 p.at.x % Apart * (Apart == 1 ? Size : 1);
      const auto& columns = results_in_line(axis, p.outer, part.columns);
      p.at.inside = z < part.depth && p.outer < part.outers && p.column < columns;
      if (p.at.inside && columns - p.column <= Apart * (Size - 1)) {
        p.here = static_cast<int>((columns - p.column - 1) / Apart) + 1;
      }
      return p;
    }

    /// The offsets of a chunk's first element and of its first result.
    WARPFOLD_DEVICE array_offsets<places> offsets_of(const position& p) const {
      array_offsets<places> at{};
      if (!p.at.inside) return at;
      at = axis.layout.kept.place(p.outer, 1);
      WARPFOLD_UNROLL
      for (int a = 0; a < places; ++a) at.of[a] += p.column * axis.layout.kept.dims[0].stride[a];
      return at;
    }

    /// Writes the results, or stores those of the block as row `row` of `count`, after `base`
    /// others. The last block of each group of rows folds them to a row of the next matrix.
    WARPFOLD_DEVICE void finish(values_type own, const position& p, unsigned row, unsigned count,
                                std::size_t base, collective::shared_span<accumulator> storage,
                                std::size_t counter) const {
      WARPFOLD_NO_UNROLL
      while (count > 1) {
        if (p.is_first()) {
          const std::size_t to = place_of_value(p, base + row);
          WARPFOLD_UNROLL
          for (int k = 0; k < Size; ++k) {
            if (k < p.here) values.store(to + static_cast<unsigned>(k) * Apart, own.elements[k]);
          }
        }
        if (part.has_second_launch && base == 0) return;
        const unsigned groups = groups_of(count), group = row / piece_group;
        if (!collective::is_last_block(scratch, counter + p.result * groups + group,
                                       in_group(group, count))) {
          return;
        }
        own = fold_group(p, base, group, count, storage);
        base += count;
        counter += part.results * groups;
        row = group;
        count = groups;
      }
      if (p.is_first()) {
        write_chunk<Size, Apart>(axis, offsets_of(p), p.here, part.words_out,
                                 [&](int k) { return own.elements[k]; });
      }
    }

    /// The fold of a group of rows of the matrix of values that starts at row `base`.
    WARPFOLD_DEVICE values_type fold_group(const position& p, std::size_t base, unsigned group,
                                           unsigned count,
                                           collective::shared_span<accumulator> storage) const {
      const auto fold = axis.fold();
      base += std::size_t{group} * piece_group;
      return collective::fold_columns<Size, decltype(fold), accumulator>(
          fold, in_group(group, count), most_values, storage, p.at, [](std::size_t, unsigned) {},
          [&](std::size_t first, unsigned n) { return fold_values(p, base + first, n); });
    }

   private:
    WARPFOLD_DEVICE static unsigned in_group(unsigned group, unsigned count) {
      const unsigned left = count - group * piece_group;
      return left < piece_group ? left : piece_group;
    }
    WARPFOLD_DEVICE std::size_t place_of_value(const position& p, std::size_t row) const {
      return (row * part.outers + p.outer) * part.columns + p.column;
    }
    WARPFOLD_DEVICE values_type fold_values(const position& p, std::size_t row,
                                            unsigned count) const {
      const auto fold = axis.fold();
      values_type loaded[std::size_t{most_values}];
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < most_values; ++u) {
        const std::size_t own = place_of_value(p, row + (u < count ? u : count - 1));
        WARPFOLD_UNROLL
        for (int k = 0; k < Size; ++k) {
          const auto column = static_cast<unsigned>(k < p.here ? k : p.here - 1);
          loaded[u].set(k, values.load(own + column * Apart));
        }
      }
      const collective::fold_of_columns<decltype(fold), accumulator, Size> fold_each{fold};
      return fold_tree_of_first<0, int{most_values}>(
          [&](const values_type& a, const values_type& b) { return fold_each.apply(a, b); },
          [&](int u) { return loaded[u]; },
          [&](int u) { return static_cast<unsigned>(u) < count; });
    }
  };

  template <class Work, columns_of_thread Holds>
  static constexpr int size_of =
      Holds == columns_of_thread::chunk || Holds == columns_of_thread::apart
          ? Work::source_type::chunk_size
          : 1;
  template <columns_of_thread Holds>
  static constexpr unsigned apart_of =
      Holds == columns_of_thread::apart ? collective::warp_size : 1;

  template <class Work, columns_of_thread Holds>
  struct body : shared_columns<Work, size_of<Work, Holds>, apart_of<Holds>> {
    using base = shared_columns<Work, size_of<Work, Holds>, apart_of<Holds>>;
    using source = typename Work::source_type;
    using value_type = typename Work::value_type;
    using typename base::accumulator;
    using typename base::values_type;

    static constexpr int arrays = Work::arrays;
    static constexpr bool is_staged = Holds == columns_of_thread::staged;
    static constexpr int size = size_of<Work, Holds>;
    static constexpr unsigned apart = apart_of<Holds>;
    /// True if threads load words of the only array.
    static constexpr bool has_words =
        Work::is_one_line && Holds == columns_of_thread::chunk && !sized_in_memory<Work>;
    static constexpr int elements_a_load = is_staged   ? Work::source_type::chunk_size
                                           : apart > 1 ? 1
                                                       : size;  // for explain_axis
    // So many threads that their loads fill the memory's bandwidth.
    static constexpr int min_blocks_per_multiprocessor = (sizeof(values_type) > 32   ? 256
                                                          : is_staged                ? 1536
                                                          : size == 1 && arrays == 1 ? 1024
                                                                                     : 768) /
                                                         base::threads;
    static constexpr int unroll = arrays > 1 ? chunks_in_flight<source, accumulator, size>
                                  : size > 1 || sizeof(value_type) > 8 ? 8
                                                                       : 16;
    /// log2 of the loads of a run, at most: what the registers have room for.
    static constexpr int run_levels = is_staged                   ? 0
                                      : sizeof(values_type) > 32  ? 0
                                      : sizeof(values_type) == 16 ? 3
                                                                  : 1;

    array_loads<arrays> how;
    caching cache;

    WARPFOLD_DEVICE void operator()() const {
      collective::wait_for_launch_before();
      WARPFOLD_SHARED typename base::storage_type storage;
      const auto p = this->place_of_thread(this->part.pieces);
      const auto fold = this->axis.fold();
      const std::size_t begin = std::size_t{p.above} * this->part.piece_rows;
      const std::size_t left = this->part.rows - begin;
      if constexpr (Work::has_identity) {
        if (this->part.rows == 0) {
          values_type none;
          WARPFOLD_UNROLL
          for (int k = 0; k < size; ++k) none.set(k, fold.value(fold.start()));
          return this->finish(none, p, 0, 1, 0, storage, 0);
        }
      }
      const auto first = this->offsets_of(p);
      const values_type own = collective::fold_columns<size, decltype(fold), accumulator>(
          fold, left < this->part.piece_rows ? left : this->part.piece_rows, this->part.run,
          storage, p.at,
          [&](std::size_t row, unsigned count) {
            if constexpr (is_staged) stage(begin + row, count);
          },
          [&](std::size_t row, unsigned count) {
            return fold_run(p, first.of, begin + row, count);
          });
      collective::let_next_launch_start();
      this->finish(own, p, p.above, this->part.pieces, 0, storage, 0);
    }

   private:
    using position = typename base::position;

    /// The folds of a thread's columns, at the offsets `first`, over `count` rows from `row` on.
    WARPFOLD_DEVICE values_type fold_run(const position& p, const std::size_t* first,
                                         std::size_t row, unsigned count) const {
      if constexpr (run_levels == 0) {
        return fold_last(p, first, row, count);
      } else {
        const auto fold = this->axis.fold();
        const collective::fold_of_columns<decltype(fold), accumulator, size> fold_each{fold};
        collective::thread_nodes<values_type, run_levels> nodes;
        unsigned k = 0;
        WARPFOLD_NO_UNROLL
        for (; (k + 1) * unroll <= count; ++k) {
          nodes.add(fold_each, k, fold_rows<true, unroll>(p, first, row + k * unroll, unroll));
        }
        if (k * unroll < count) {
          const unsigned left = count - k * unroll;
          nodes.add(fold_each, k, fold_last(p, first, row + k * unroll, left));
          ++k;
        }
        return nodes.folded(fold_each, k);
      }
    }

    /// The same for at most `unroll` rows. A single column has fewer loads for few rows: sums of
    /// 486128 x 3 x 25 floats, H200, 288 -> 207 us.
    WARPFOLD_DEVICE values_type fold_last(const position& p, const std::size_t* first,
                                          std::size_t row, unsigned count) const {
      if constexpr (size == 1 && !is_staged && unroll > 4) {
        if (count <= 4) return fold_rows<false, 4>(p, first, row, count);
      }
      return fold_rows<false, unroll>(p, first, row, count);
    }

    /// The same for `Rows` rows, which a thread loads at once, or fewer. Missing rows and columns
    /// load the last one again, and the result is discarded: no conditional load.
    template <bool Whole, int Rows>
    WARPFOLD_DEVICE values_type fold_rows(const position& p, const std::size_t* first,
                                          std::size_t row, unsigned count) const {
      const auto row_of = [&](unsigned u) { return Whole || u < count ? u : count - 1; };
      if constexpr (is_staged) {
        (void)first;
        const unsigned at = p.at.y * run_bytes() + static_cast<unsigned>(p.column) * value_bytes;
        const unsigned row_bytes = static_cast<unsigned>(this->part.columns) * value_bytes;
        const collective::shared_bytes tile = collective::dynamic_shared_bytes(tile_bytes());
        chunk<value_type, Rows> loaded;
        WARPFOLD_UNROLL
        for (unsigned u = 0; u < Rows; ++u) {
          loaded.set(
              u, tile.template load<value_type>(0, at + row_of(u) * row_bytes, call_site::here()));
        }
        return folded<Whole, Rows>(
            count, [&](int) { return [&](int u) { return loaded.elements[u]; }; },
            [&](int u) { return row + static_cast<unsigned>(u); });
      } else {
        const auto& across = this->axis.layout.kept.dims[0];
        const auto& down = this->axis.folded();
        const bool one_line = Work::is_one_line || down.count == 1;
        const source from = this->axis.input();
        typename source::template chunk_type<size> loaded[std::size_t{Rows}];
        array_offsets<arrays + 1> at[std::size_t{Rows}];
        WARPFOLD_UNROLL
        for (unsigned u = 0; u < Rows; ++u) {
          const std::size_t own = row + row_of(u);
          if (one_line) {
            WARPFOLD_UNROLL
            for (int a = 0; a < arrays; ++a) at[u].of[a] = first[a] + own * down.dims[0].stride[a];
            at[u].of[arrays] = own;
          } else {
            at[u] = down.place(own);
            WARPFOLD_UNROLL
            for (int a = 0; a < arrays; ++a) at[u].of[a] += first[a];
          }
        }
        if constexpr (apart > 1) {
          // Known distances become part of the load.
          constexpr std::size_t step[] = {apart};
          from.template load<size>(loaded, at, step, array_loads<arrays>{}.of, p.here,
                                   global_loads(cache));
        } else {
          from.template load<size, has_words>(loaded, at, across.stride, how.of, p.here,
                                              global_loads(cache));
        }
        return folded<Whole, Rows>(
            count,
            [&](int k) {
              return
                  [&, k](int u) -> decltype(auto) { return from.template get<size>(loaded[u], k); };
            },
            [&](int u) { return at[u].of[arrays]; });
      }
    }

    /// The fold of the first `count` elements of each column: `element(k)(u)` returns row `u`.
    template <bool Whole, int Rows, class Element, class Index>
    WARPFOLD_DEVICE values_type folded(unsigned count, const Element& element,
                                       const Index& index_of) const {
      values_type all;
      WARPFOLD_UNROLL
      for (int k = 0; k < size; ++k) {
        if (Whole) {
          all.set(k, collective::fold_few<Rows>(this->axis, element(k), index_of));
        } else {
          all.set(k, collective::fold_first<Rows>(this->axis, element(k), index_of, [&](int u) {
                    return static_cast<unsigned>(u) < count;
                  }));
        }
      }
      return all;
    }

    static constexpr auto value_bytes = static_cast<unsigned>(sizeof(value_type));

    /// The bytes of a thread's rows in shared memory. A word more avoids bank conflicts.
    WARPFOLD_DEVICE unsigned run_bytes() const {
      return unroll * static_cast<unsigned>(this->part.columns) * value_bytes +
             static_cast<unsigned>(word_bytes);
    }
    WARPFOLD_DEVICE unsigned tile_bytes() const { return this->part.height * run_bytes(); }

    WARPFOLD_DEVICE void stage(std::size_t row, unsigned count) const {
      const auto columns = static_cast<unsigned>(this->part.columns);
      collective::copy_tile(collective::dynamic_shared_bytes(tile_bytes()),
                            this->axis.in + row * columns, count * columns, cache, [&](unsigned w) {
                              const auto run = static_cast<unsigned>(
                                  std::uint64_t{w} * this->part.run_words_inverse >> 32);
                              return (w + run) * static_cast<unsigned>(word_bytes);
                            });
      __syncthreads();
    }
  };

  /// The second launch.
  template <class Work, int Size, unsigned Apart>
  struct pieces_body : shared_columns<Work, Size, Apart> {
    using base = shared_columns<Work, Size, Apart>;

    WARPFOLD_DEVICE void operator()() const {
      WARPFOLD_SHARED typename base::storage_type storage;
      collective::wait_for_launch_before();
      const unsigned pieces = this->part.pieces, groups = groups_of(pieces);
      const auto p = this->place_of_thread(groups);
      const auto own = this->fold_group(p, 0, p.above, pieces, storage);
      this->finish(own, p, p.above, groups, pieces, storage, 0);
    }
  };

  template <class Work, class Launcher>
  void enqueue(const Work& axis, Launcher& launcher) const {
    const auto& across = axis.layout.kept.dims[0];
    const auto how = loads_of(axis, chunks_along::kept);
    if constexpr (takes_chunks<Work>) {
      constexpr std::size_t size = Work::source_type::chunk_size;
      const bool are_words = how.any_words() && (Work::arrays > 1 || across.extent % size == 0);
      if constexpr (Work::is_one_line && !sized_in_memory<Work>) {  // tiles have all columns
        if (is_narrow(axis, are_words)) {
          return enqueue_as<columns_of_thread::staged>(axis, {}, launcher);
        }
      }
      if (are_words) return enqueue_as<columns_of_thread::chunk>(axis, how, launcher);
      // Of narrow rows, warps would not have as many columns, and of small data blocks are
      // narrower.
      if constexpr (Work::arrays == 1 && sizeof(typename Work::value_type) >= 4) {
        if (across.extent >= 16 * size && across.stride[0] == 1 &&
            !is_in_flight<columns_of_thread::one>(axis, launcher)) {
          return enqueue_as<columns_of_thread::apart>(axis, {}, launcher);
        }
      }
    }
    enqueue_as<columns_of_thread::one>(axis, how, launcher);
  }

 private:
  /// True for a matrix without gaps whose rows are narrow. Rows of whole words are, if they are so
  /// short that the runs of a warp's threads are far apart, and the matrix is large.
  template <class Work>
  static bool is_narrow(const Work& axis, bool are_words) {
    const auto& l = axis.layout;
    const auto& across = l.kept.dims[0];
    return l.kept.count == 1 && across.stride[0] == 1 && l.step == across.extent &&
           across.extent <= 64 && warpfold::detail::at_word(axis.in) &&
           (!are_words || (across.extent * sizeof(typename Work::value_type) < 64 &&
                           axis.bytes() >= std::size_t{4} << 20));
  }

  /// True if the data are so few that the loads of all blocks are in flight at once. Single
  /// elements take parts of two sectors, so only half as many.
  template <columns_of_thread Holds, class Work>
  static bool is_in_flight(const Work& axis, const auto& launcher) {
    const auto multiprocessors = static_cast<std::size_t>(launcher.gpu().multiprocessors);
    return axis.bytes() <= (Holds == columns_of_thread::chunk ? 65536 : 32768) * multiprocessors;
  }

  /// Divides the columns among blocks of up to `threads` threads, which take at least `narrowest`
  /// chunks of a row.
  /// @param enough runs are as long as they can be with so many blocks
  /// @param enough_threads their loads are enough for the GPU
  template <class Body>
  static division divide(std::size_t columns, std::size_t rows, std::size_t outers,
                         std::size_t threads, std::size_t narrowest, std::size_t enough,
                         std::size_t enough_threads) {
    division p{};
    p.columns = columns;
    p.rows = rows;
    p.outers = outers;
    // The threads beside each other, of whole warps if their columns are a warp apart.
    constexpr std::size_t group = Body::apart, line = group > 1 ? group : 8;
    const std::size_t chunks = divided_up(p.columns, Body::size * group) * group;
    // At most so many threads down the rows that each has rows.
    std::size_t height = 1, width = chunks, tiles = 1;
    const std::size_t least = chunks < narrowest ? chunks : narrowest;
    const std::size_t longest = std::size_t{Body::unroll} << Body::run_levels;
    // A thread takes all rows of many columns. If they are a warp apart, no thread then has few
    // rows. Of many small matrices, threads then need not combine their values: 100000 x 100 x 7
    // floats, H200: 184 -> 97 us.
    constexpr std::size_t bytes = sizeof(typename Body::value_type), most_bytes = 32768;
    const bool are_small = Body::apart == 1 && !Body::is_staged &&
                           p.rows * p.columns * bytes <= most_bytes &&
                           chunks * p.outers >= enough_threads;
    const bool is_low = are_small || (Body::apart > 1 && p.rows <= longest &&
                                      divided_up(chunks, threads) * p.outers >= enough);
    while (!is_low && 2 * height * least <= threads && height * Body::unroll < p.rows) height *= 2;
    if (width * height > threads) {
      tiles = divided_up(chunks, threads / height);
      // Whole cache lines, even if the last tile is then emptier.
      width = divided_up(divided_up(chunks, tiles), line) * line;
      if (width * height > threads) width = threads / height;
      tiles = divided_up(chunks, width);
    }
    std::size_t depth = threads / (width * height);
    if (depth > p.outers) depth = p.outers;
    if (depth == 0) depth = 1;
    p.width = static_cast<unsigned>(width);
    p.height = static_cast<unsigned>(height);
    p.depth = static_cast<unsigned>(depth);
    p.tiles = static_cast<unsigned>(tiles);
    p.results = divided_up(p.outers, depth) * tiles;

    std::size_t run = Body::unroll;
    while (run < longest && run * height < p.rows) {
      // Without pieces, fewer blocks are enough. 99 x 322493 floats then have one launch, not two.
      const std::size_t tiles_of_twice = divided_up(p.rows, 2 * run * height);
      if (p.results * tiles_of_twice < (tiles_of_twice == 1 ? enough / 4 : enough)) break;
      run *= 2;
    }
    p.run = static_cast<unsigned>(run);
    // A piece is a power of two of tiles: one, if there are counters for all results.
    constexpr unsigned levels = collective::column_nodes<typename Body::values_type>::levels;
    std::size_t each = 1;
    const std::size_t all = divided_up(p.rows, run * height);
    std::size_t most_pieces = collective::max_shared_results;
    if (p.results != 0) most_pieces /= p.results;
    while (each < all && each >> levels == 0 &&
           (are_small || groups_of_all(divided_up(all, each)) > most_pieces)) {
      each *= 2;
    }
    p.piece_rows = each * run * height;
    p.pieces = static_cast<unsigned>(p.rows == 0 ? 1 : divided_up(p.rows, p.piece_rows));
    return p;
  }
  static std::size_t groups_of_all(std::size_t pieces) {
    if (pieces >> 31 != 0) return pieces;
    std::size_t all = 0;
    for (auto n = static_cast<unsigned>(pieces); n > 1; n = groups_of(n)) all += groups_of(n);
    return all;
  }

  template <columns_of_thread Holds, class Work>
  static void enqueue_as(const Work& axis, const array_loads<Work::arrays>& how, auto& launcher) {
    using body_type = body<Work, Holds>;
    using accumulator = typename Work::accumulator;
    using value_type = typename Work::value_type;
    const auto& l = axis.layout;
    const auto multiprocessors = static_cast<std::size_t>(launcher.gpu().multiprocessors);
    const bool is_large = axis.bytes() >= launcher.gpu().l2_bytes;
    const std::size_t columns = l.kept.dims[0].extent;
    const std::size_t outers = l.outputs == 0 ? 0 : l.kept.size(1);

    std::size_t threads = body_type::threads;
    // A tile in shared memory.
    while (body_type::is_staged && threads * body_type::unroll * sizeof(value_type) > 32768) {
      threads /= 2;
    }
    const std::size_t most = body_type::is_staged && columns < 4               ? 256
                             : Holds == columns_of_thread::one && columns < 64 ? 128
                                                                               : threads;
    if (threads > most) threads = most;
    // Rows that do not start at words take wider tiles, because parts of sectors are loaded twice,
    // and so do few rows. 125 x 999999 floats, H100, 16 chunks -> 32: 249 -> 192 us.
    const bool has_words = Work::arrays > 1 || how.of[0] == array_load::words;
    const std::size_t wide = body_type::size == 1 ? 64 : has_words && l.length >= 256 ? 16 : 32;
    constexpr std::size_t narrow = body_type::size > 1 && body_type::apart == 1 ? 8 : 32;
    const std::size_t enough = (is_large ? 24 : 4) * multiprocessors;
    const std::size_t enough_threads = 1024 * multiprocessors;
    const auto divided = [&](std::size_t narrowest) {
      return divide<body_type>(columns, l.length, outers, threads, narrowest, enough,
                               enough_threads);
    };
    division p = divided(wide);
    const auto blocks_of = [](const division& d) { return d.results * d.pieces; };
    // Small folds: narrower tiles, and then smaller blocks. Not so many pieces that the block that
    // is done last folds them in several steps, each with a load and barriers.
    for (; blocks_of(p) < multiprocessors && threads >= 128; threads /= 2) {
      const division d = divided(narrow);
      if (d.pieces > body_type::most_values * d.height) break;
      p = d;
    }
    // Small data: blocks of whole columns need no ticket and no second step, also if they are as
    // narrow as a sector.
    if constexpr (body_type::has_words || (Holds == columns_of_thread::one && Work::arrays == 1)) {
      constexpr std::size_t bytes = sizeof(value_type) * body_type::size, sector = 32;
      constexpr std::size_t narrowest = bytes < sector ? sector / bytes : 1;
      if ((p.pieces > 1 || blocks_of(p) < multiprocessors) && is_in_flight<Holds>(axis, launcher)) {
        for (threads = body_type::threads; threads >= collective::warp_size; threads /= 2) {
          const division d = divided(narrowest);
          if (d.pieces != 1) break;
          p = d;
          if (blocks_of(p) >= multiprocessors) break;
        }
      }
    }
    p.has_second_launch = is_large && p.pieces > 1;

    if constexpr (can_store_words<Work, body_type::size>)
      p.words_out = starts_results_at_words(axis);

    collective::global_array<accumulator> values{};
    if (p.pieces > 1) {
      std::size_t rows = 0;
      for (unsigned n = p.pieces; n > 1; n = groups_of(n)) rows += n;
      values = launcher.template scratch<accumulator>(rows * outers * columns);
    }
    const caching cache = tuning::row_for(axis.bytes(), launcher.gpu()).cache;
    std::size_t bytes = 0;
    if constexpr (body_type::is_staged) {
      const std::size_t run_bytes = body_type::unroll * p.columns * sizeof(value_type);
      bytes = p.height * (run_bytes + word_bytes);
      // Rounded up: exact for all words of 64 KB.
      p.run_words_inverse = static_cast<unsigned>(0xffffffffu / (run_bytes / word_bytes)) + 1;
    }
    using base = typename body_type::base;
    // Counters, if a block asks whether it is the last one.
    collective::grid_storage grid{};
    if (p.pieces > (p.has_second_launch ? piece_group : 1)) grid = launcher.grid();
    const base shared{axis, p, values, grid};
    const auto block =
        static_cast<unsigned>(divided_up(std::size_t{p.width} * p.height * p.depth, 32) * 32);
    launcher.launch(name(), body_type{shared, how, cache}, {grid_of(blocks_of(p)), block, bytes});
    if (p.has_second_launch) {
      launcher.launch("ordered_pieces",
                      pieces_body<Work, body_type::size, body_type::apart>{shared},
                      {grid_of(p.results * groups_of(p.pieces)), block});
    }
  }
};

}  // namespace warpfold::kernel
