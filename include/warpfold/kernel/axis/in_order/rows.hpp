/// @file
/// Folds rows of at most `most_chunks`, of one array or of an expression of several, in the
/// declared order (op/fold_order.hpp): by a warp or less.
///
/// - Idea: each lane of a group of 1 to 32 takes up to eight chunks of a row, or several rows at
///   once; the loads are all in flight. The group combines its values by shuffles. Groups take
///   neighboring rows, so the loads of a warp are contiguous for short rows too.
/// - Cost: one launch; every element is loaded once for each result that it belongs to.
#pragma once

#include <cstddef>

#include <warpfold/collective/axis_loads.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/row_fold.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/collective/term_tile.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/axis/in_order/row_chunks.hpp>
#include <warpfold/kernel/tuning.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct ordered_rows {
  static constexpr const char* name() { return "ordered_rows"; }

  static constexpr unsigned block = 256;

  /// @tparam Held chunks of a row that a lane takes: a power of two
  /// @tparam Rows rows that a lane takes at once
  template <class Work, int Size, int Held, int Rows>
  struct body {
    using source = typename Work::source_type;
    using accumulator = typename Work::accumulator;

    static constexpr int max_block = block;
    static constexpr int elements_a_load = Size;  // for explain_axis
    static constexpr bool waits_for_launch_before = true;
    static constexpr int min_blocks_per_multiprocessor =
        sizeof(accumulator) <= 8 && Size <= 8 ? 4 : 1;

    Work axis;
    array_loads<Work::arrays> how;
    unsigned lanes_log2;   ///< log2 of the lanes per group
    unsigned line_chunks;  ///< chunks of each line of a row
    unsigned chunks;       ///< of a row
    unsigned last;         ///< elements of a row's last chunk if they are fewer, otherwise 0
    caching cache;

    WARPFOLD_HD const Work& work() const { return axis; }
    WARPFOLD_DEVICE void operator()() const {
      collective::wait_for_launch_before();
      const auto& along = axis.folded().dims[0];
      const source from = axis.input();
      const global_loads loads(cache);
      const unsigned groups = blockDim.x >> lanes_log2, lanes = 1u << lanes_log2;
      const unsigned lane = threadIdx.x & (lanes - 1);
      const std::size_t first =
          std::size_t{blockIdx.x} * groups * Rows + (threadIdx.x >> lanes_log2);
      // Missing rows load the last one again, and missing chunks the last one.
      const auto chunk_of = [&](unsigned h) {
        const unsigned own = h * lanes + lane;
        return own < chunks ? own : chunks - 1;
      };
      const auto size_of = [&](unsigned h) {
        return last != 0 && chunk_of(h) == chunks - 1 ? last : unsigned{Size};
      };
      const auto& results = results_of(axis);
      if (sized_in_memory<Work> && std::size_t{blockIdx.x} * groups * Rows >= results) return;
      array_offsets<places> start[std::size_t{Rows}];
      WARPFOLD_UNROLL
      for (unsigned r = 0; r < Rows; ++r) {
        const std::size_t row = first + r * groups;
        start[r] = place(row < results ? row : results - 1);
      }
      typename source::template chunk_type<Size> loaded[std::size_t{Held}][std::size_t{Rows}];
      std::size_t index[std::size_t{Held}];
      WARPFOLD_UNROLL
      for (unsigned h = 0; h < Held; ++h) {
        const auto in_row = place_of_chunk<Size>(axis, chunk_of(h), line_chunks);
        index[h] = in_row.of[arrays];
        array_offsets<arrays> at[std::size_t{Rows}];
        WARPFOLD_UNROLL
        for (unsigned r = 0; r < Rows; ++r) {
          WARPFOLD_UNROLL
          for (int a = 0; a < arrays; ++a) at[r].of[a] = start[r].of[a] + in_row.of[a];
        }
        from.template load<Size>(loaded[h], at, along.stride, how.of, static_cast<int>(size_of(h)),
                                 loads);
      }
      collective::let_next_launch_start();

      chunk<accumulator, Rows> values;
      if (!fold_rows_as_terms(from, loaded, values)) {
        fold_rows_by_op(from, loaded, index, size_of, values);
      }
      if (lane != 0) return;
      const global_access stores;
      WARPFOLD_UNROLL
      for (unsigned r = 0; r < Rows; ++r) {
        const std::size_t row = first + r * groups;
        if (row < results) axis.write(place(row).of, values.elements[r], stores);
      }
    }

   private:
    static constexpr int arrays = Work::arrays, places = arrays + Work::outs;

    using loaded_chunk = typename source::template chunk_type<Size>;
    using all_chunks = loaded_chunk[std::size_t{Held}][std::size_t{Rows}];

    // By the terms of the op (op/group_terms.hpp), unless they refuse a row.
    inline WARPFOLD_DEVICE bool fold_rows_as_terms(const source& from, const all_chunks& loaded,
                                                   chunk<accumulator, Rows>& values) const {
      using terms = row_terms<Work, Size>;
      if constexpr (requires { typename terms::node; }) {
        if (last != 0) return false;
        bool are_right = true;
        WARPFOLD_UNROLL
        for (int r = 0; r < Rows; ++r) {
          accumulator folded;
          const auto elements = [&](int h) {
            return [&, h](int k) { return element_for_terms<Size>(axis, from, loaded[h][r], k); };
          };
          are_right = are_right && collective::fold_as_terms<terms, Held, Size>(
                                       folded, elements, chunks, 1u << lanes_log2);
          values.set(r, folded);
        }
        return are_right;
      } else {
        return false;
      }
    }
    inline WARPFOLD_DEVICE void fold_rows_by_op(const source& from, const all_chunks& loaded,
                                                const std::size_t (&index)[std::size_t{Held}],
                                                const auto& size_of,
                                                chunk<accumulator, Rows>& values) const {
      const auto& along = axis.folded().dims[0];
      WARPFOLD_UNROLL
      for (int r = 0; r < Rows; ++r) {
        chunk<accumulator, Held> own;
        WARPFOLD_UNROLL
        for (int h = 0; h < Held; ++h) {
          const std::size_t step = along.stride[arrays];
          own.set(h, last == 0
                         ? collective::fold_chunk<Size>(axis, from, loaded[h][r], index[h], step)
                         : collective::fold_first_of_chunk<Size>(
                               axis, from, loaded[h][r], index[h], step,
                               size_of(static_cast<unsigned>(h))));
        }
        if constexpr (Held == 1) {
          values.set(r, own.elements[0]);
        } else {
          values.set(r, collective::fold_rows<Held>(axis.fold(), own, chunks));
        }
      }
      if constexpr (Held == 1)
        fold_groups(values, threadIdx.x & ((1u << lanes_log2) - 1), 1u << lanes_log2);
    }

    WARPFOLD_DEVICE void fold_groups(chunk<accumulator, Rows>& values, unsigned lane,
                                     unsigned lanes) const {
      const auto fold = axis.fold();
      WARPFOLD_NO_UNROLL
      for (unsigned apart = 1; apart < lanes; apart *= 2) {
        WARPFOLD_UNROLL
        for (int r = 0; r < Rows; ++r) {
          const accumulator right = collective::shuffle_down(values.elements[r], apart);
          if (lane + apart < chunks) values.set(r, fold.apply(values.elements[r], right));
        }
      }
    }

    WARPFOLD_DEVICE array_offsets<places> place(std::size_t row) const {
      const auto& kept = axis.layout.kept;
      if (kept.count > 1) return kept.place(row);
      array_offsets<places> at;
      WARPFOLD_UNROLL
      for (int a = 0; a < places; ++a) at.of[a] = row * kept.dims[0].stride[a];
      return at;
    }
  };

  template <class Work, int Size>
  static constexpr int most_held =
      chunks_in_flight<typename Work::source_type, typename Work::accumulator, Size>;
  template <class Work, int Size>
  static constexpr std::size_t most_chunks =
      std::size_t{collective::warp_size} * most_held<Work, Size>;

  template <class Work, class Launcher>
  void enqueue(const Work& axis, Launcher& launcher) const {
    with_ordered_chunks(axis, [&]<class Of>(Of, const auto& how, const row_chunks& row) {
      constexpr int most = most_held<Work, Of::value>;
      const auto fits = [&](int held) {
        return row.count <= std::size_t{collective::warp_size} * static_cast<unsigned>(held);
      };
      if (fits(1)) {
        // Few rows: more warps.
        const auto enough = 2 * static_cast<std::size_t>(launcher.gpu().multiprocessors);
        if (most > 1 && axis.layout.outputs <= enough * (block / row.count)) {
          return launch<Of::value, 1, 1>(axis, how, row, launcher);
        }
        return launch<Of::value, 1, most>(axis, how, row, launcher);
      }
      if constexpr (may_be_long<Work, Of::value>) {
        if constexpr (most >= 4) {
          if (fits(2)) return launch<Of::value, 2, most / 2>(axis, how, row, launcher);
        }
        if constexpr (most >= 8) {
          if (fits(4)) return launch<Of::value, 4, most / 4>(axis, how, row, launcher);
        }
        launch<Of::value, most, 1>(axis, how, row, launcher);
      }
    });
  }

 private:
  template <int Size, int Held, int Rows, class Work, class Launcher>
  static void launch(const Work& axis, const array_loads<Work::arrays>& how, const row_chunks& row,
                     Launcher& launcher) {
    unsigned lanes_log2 = 0;
    while (lanes_log2 < 5 && (std::size_t{1} << lanes_log2) < row.count) ++lanes_log2;
    // No more threads than few rows need.
    std::size_t threads = block;
    while (threads > collective::warp_size &&
           (threads / 2 >> lanes_log2) * Rows >= axis.layout.outputs) {
      threads /= 2;
    }
    const std::size_t rows = (threads >> lanes_log2) * Rows;
    const caching cache = tuning::row_for(axis.bytes(), launcher.gpu()).cache;
    launcher.launch(
        name(),
        body<Work, Size, Held, Rows>{axis, how, lanes_log2, static_cast<unsigned>(row.of_line),
                                     static_cast<unsigned>(row.count), row.last, cache},
        {grid_of((axis.layout.outputs + rows - 1) / rows), static_cast<unsigned>(threads)});
  }
};

}  // namespace warpfold::kernel
