/// @file
/// Folds columns of at most eight rows, of one array or of an expression of several, in the
/// declared order (op/fold_order.hpp): each column by one thread.
///
/// - Idea: a thread folds several columns, a block apart, so neighboring lanes load neighboring
///   elements, whether the rows start at words or not. All loads of a thread are in flight.
/// - Cost: one launch without shared memory and barriers; every element is loaded once for each
///   result that it belongs to.
/// - Needs: lines of many columns, see `suit`. Wide states or long ops would leave no registers for
///   the loads.
#pragma once

#include <cstddef>
#include <utility>

#include <warpfold/collective/axis_loads.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/axis/loads.hpp>
#include <warpfold/kernel/tuning.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct ordered_few_rows {
  static constexpr const char* name() { return "ordered_few_rows"; }

  static constexpr unsigned block = 128;
  static constexpr std::size_t most_rows = 8;

  /// The columns of a thread: 32 loads of up to 4 bytes, fewer if elements or states are wider.
  /// @tparam Rows rows, at most: a power of two
  template <class Work, int Rows>
  static constexpr int columns_of = [] {
    constexpr std::size_t elements = sizeof(typename Work::source_type::elements);
    constexpr std::size_t state = sizeof(typename Work::accumulator);
    constexpr std::size_t bytes = elements > state ? elements : state;
    constexpr int most = 32 / Rows;
    return bytes <= 4 ? most : bytes <= 8 ? most / 2 : most / 4;
  }();
  template <class Work, int Rows>
  static constexpr std::size_t tile_of = block * std::size_t{columns_of<Work, Rows>};

  template <class Work, int Rows>
  struct body {
    using source = typename Work::source_type;
    using accumulator = typename Work::accumulator;

    static constexpr int max_block = block;
    static constexpr int elements_a_load = 1;  // for explain_axis
    static constexpr int min_blocks_per_multiprocessor = 8;
    static constexpr bool waits_for_launch_before = true;
    static constexpr int columns = columns_of<Work, Rows>;  ///< of a thread

    Work axis;
    unsigned tiles;  ///< blocks of a line
    caching cache;

    WARPFOLD_HD const Work& work() const { return axis; }
    WARPFOLD_DEVICE void operator()() const {
      collective::wait_for_launch_before();
      const auto& across = axis.layout.kept.dims[0];
      const unsigned line = blockIdx.x / tiles, tile = blockIdx.x - line * tiles;
      const std::size_t first = std::size_t{tile} * (block * unsigned{columns}) + threadIdx.x;
      const auto& all = results_in_line(axis, line, across.extent);
      if (first >= all) return;
      auto at = axis.layout.kept.place(line, 1);
      WARPFOLD_UNROLL
      for (int a = 0; a < places; ++a) at.of[a] += first * across.stride[a];
      const std::size_t here = (all - first - 1) / block + 1;
      if (here >= unsigned{columns}) [[likely]] {
        fold_columns<true>(at, columns);
      } else {
        fold_columns<false>(at, static_cast<int>(here));
      }
    }

   private:
    static constexpr int arrays = Work::arrays, places = arrays + Work::outs;

    /// Folds `here` columns, the first one at the offsets `first`. Missing columns load the last
    /// one again, and missing rows the last row: no branch between the loads.
    template <bool Whole>
    WARPFOLD_DEVICE void fold_columns(array_offsets<places> first, int here) const {
      const auto& across = axis.layout.kept.dims[0];
      const source from = axis.input();
      const auto rows = static_cast<unsigned>(axis.layout.length);
      array_offsets<arrays> at[std::size_t{Rows}];
      std::size_t index[std::size_t{Rows}];
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < Rows; ++u) {
        const auto row = axis.folded().place(u < rows ? u : rows - 1);
        index[u] = row.of[arrays];
        WARPFOLD_UNROLL
        for (int a = 0; a < arrays; ++a) at[u].of[a] = first.of[a] + row.of[a];
      }
      std::size_t apart[std::size_t{places}];
      WARPFOLD_UNROLL
      for (int a = 0; a < places; ++a) {
        // Known distances become part of the load.
        apart[a] = Work::is_one_line && a < arrays ? block : across.stride[a] * block;
      }
      typename source::template chunk_type<columns> loaded[std::size_t{Rows}];
      from.template load<columns>(loaded, at, apart, array_loads<arrays>{}.of,
                                  Whole ? columns : here, global_loads(cache));
      collective::let_next_launch_start();

      const global_access stores;
      WARPFOLD_UNROLL
      for (int k = 0; k < columns; ++k) {
        const accumulator a = collective::fold_first<Rows>(
            axis, [&](int u) -> decltype(auto) { return from.template get<columns>(loaded[u], k); },
            [&](int u) { return index[u]; },
            [&](int u) { return static_cast<unsigned>(u) < rows; });
        if (Whole || k < here) axis.write(first.of, a, stores);
        WARPFOLD_UNROLL
        for (int o = arrays; o < places; ++o) first.of[o] += apart[o];
      }
    }
  };

  /// True if a line has at least half a tile of columns, and words would not be faster: of more
  /// than four rows, or of small elements, that start at words.
  template <class Work>
  static bool suit(const Work& axis) {
    if constexpr (takes<Work>) {
      const auto& across = axis.layout.kept.dims[0];
      const std::size_t rows = axis.layout.length;
      const bool are_few = rows <= most_rows / 2;
      if (rows == 0 || rows > most_rows) return false;
      // The only array has neighbors along a line.
      if (Work::is_one_line && across.stride[0] != 1) return false;
      if (!are_few || Work::source_type::chunk_size > 4) {
        if (loads_of(axis, chunks_along::kept).any_words()) return false;
      }
      return 2 * across.extent >=
             (are_few ? tile_of<Work, most_rows / 2> : tile_of<Work, most_rows>);
    } else {
      return false;
    }
  }

  template <class Work, class Launcher>
  void enqueue(const Work& axis, Launcher& launcher) const {
    if constexpr (takes<Work>) {
      if (axis.layout.length <= most_rows / 2) {
        launch<most_rows / 2>(axis, launcher);
      } else {
        launch<most_rows>(axis, launcher);
      }
    }
  }

 private:
  template <class Work>
  static constexpr bool takes = sizeof(typename Work::accumulator) <= 8 &&
                                sizeof(typename Work::source_type::elements) <= 16 &&
                                !decltype(std::declval<const Work&>().fold())::is_long;

  template <int Rows, class Work, class Launcher>
  static void launch(const Work& axis, Launcher& launcher) {
    const auto& kept = axis.layout.kept;
    const std::size_t tiles = divided_up(kept.dims[0].extent, tile_of<Work, Rows>);
    const caching cache = tuning::row_for(axis.bytes(), launcher.gpu()).cache;
    launcher.launch(name(), body<Work, Rows>{axis, static_cast<unsigned>(tiles), cache},
                    {grid_of(tiles * kept.size(1)), block});
  }
};

}  // namespace warpfold::kernel
