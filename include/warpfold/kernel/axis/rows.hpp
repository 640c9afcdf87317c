/// @file
/// Folds rows that are too short for a block, in any order, of one array or of an expression of
/// several: a few lanes per row.
///
/// - Idea: a group of 1 to 32 lanes takes up to eight rows at once, with one chunk of each in
///   flight per lane; for longer rows fewer rows and more chunks. It combines its states by
///   shuffles; a whole warp as in collective/warp_reduce.hpp. Groups take neighboring rows, so the
///   loads of a warp are contiguous.
/// - Cost: one launch; every element is loaded once for each result that it belongs to.
/// - Needs: of one array, rows with one stride that are whole aligned words.
#pragma once

#include <cstddef>

#include <warpfold/collective/axis_loads.hpp>
#include <warpfold/collective/warp_reduce.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/axis/loads.hpp>
#include <warpfold/kernel/tuning.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct axis_rows {
  static constexpr const char* name() { return "axis_rows"; }

  static constexpr unsigned block = 256;

  /// @tparam Across true if a lane's loads in flight are in one row, false if in different rows
  template <class Work, int Size, bool Across>
  struct body {
    using source = typename Work::source_type;
    using state = typename Work::state;

    static constexpr int max_block = block;
    static constexpr int min_blocks_per_multiprocessor = collective::blocks_of_rows<Work>;
    static constexpr int elements_a_load = Size;  // for explain_axis
    static constexpr unsigned most = chunks_in_flight<source, state, Size>;
    // Four of one row are a batch, and two lanes with four each have a whole line of the cache.
    static constexpr unsigned unroll = collective::prefers_batches<Work> && most > 4 ? 4 : most;
    static constexpr unsigned rows_at_once = Across ? 1 : unroll;
    static constexpr unsigned chunks_at_once = Across ? unroll : 1;

    Work axis;
    array_loads<Work::arrays> how;
    unsigned lanes_log2;   ///< log2 of the lanes per group
    unsigned line_chunks;  ///< whole chunks of each line of a row
    unsigned chunks;       ///< whole chunks of a row
    caching cache;

    WARPFOLD_HD const Work& work() const { return axis; }
    WARPFOLD_DEVICE void operator()() const {
      const unsigned groups = blockDim.x >> lanes_log2;
      const unsigned rows = groups * rows_at_once;
      const std::size_t first = std::size_t{blockIdx.x} * rows;
      const auto& results = results_of(axis);
      if (sized_in_memory<Work> && first >= results) return;
      const std::size_t left = results - first;
      if (left >= rows) {
        run<true>(first, groups, rows);
      } else {
        run<false>(first, groups, static_cast<unsigned>(left));
      }
    }

   private:
    static constexpr int arrays = Work::arrays;

    // The row of a lane's load `u`, counted in groups, and its chunk in the row, counted in lanes.
    static WARPFOLD_HD constexpr unsigned row_of(unsigned u) { return Across ? 0 : u; }
    static WARPFOLD_HD constexpr unsigned chunk_of(unsigned u) { return Across ? u : 0; }

    /// Folds `here` rows, starting at row `first`.
    template <bool Whole>
    WARPFOLD_DEVICE void run(std::size_t first, unsigned groups, unsigned here) const {
      const auto fold = axis.fold();
      const global_loads loads(cache);
      const auto& kept = axis.layout.kept;
      const source from = axis.input();
      const auto& along = axis.folded().dims[0];
      const unsigned lanes = 1u << lanes_log2;
      const unsigned lane = threadIdx.x & (lanes - 1);
      const unsigned group = threadIdx.x >> lanes_log2;
      // The offsets of row `u` of a group. Missing rows load the last one again.
      const auto place = [&](unsigned u) -> array_offsets<arrays + Work::outs> {
        const unsigned r = u * groups + group;
        const std::size_t own = first + (Whole || r < here ? r : here - 1);
        if constexpr (Work::is_one_line) {
          return {{own * kept.dims[0].stride[0], own * kept.dims[0].stride[1]}};
        } else {
          return kept.place(own);
        }
      };
      array_offsets<arrays + Work::outs> at[rows_at_once];
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < rows_at_once; ++u) at[u] = place(u);
      // In the loop of one array, a stride takes fewer registers than the offset of each row.
      const std::size_t pitch = groups * kept.dims[0].stride[0];

      chunk<state, int{unroll}> seen;
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < unroll; ++u) seen.set(u, fold.start());
      // A group without a row only shuffles. Of one array it loads the last row: 64 registers.
      const bool has_rows = Work::is_one_line || Whole || group < here;
      const unsigned end = has_rows ? chunks : 0;
      WARPFOLD_NO_UNROLL
      for (unsigned next = lane; next < end; next += lanes * chunks_at_once) {
        typename source::template chunk_type<Size> loaded[std::size_t{unroll}];
        array_offsets<arrays + 1> own[std::size_t{unroll}];
        WARPFOLD_UNROLL
        for (unsigned u = 0; u < unroll; ++u) {
          // Missing chunks load the last one again.
          const unsigned c = next + chunk_of(u) * lanes;
          own[u] = place_of_chunk<Size>(axis, !Across || c < chunks ? c : chunks - 1, line_chunks);
          if constexpr (Work::is_one_line) {
            own[u].of[0] += Whole ? at[0].of[0] + row_of(u) * pitch : place(row_of(u)).of[0];
          } else {
            WARPFOLD_UNROLL
            for (int a = 0; a < arrays; ++a) own[u].of[a] += at[row_of(u)].of[a];
          }
        }
        from.template load<Size, loads_words<Work, Size>>(loaded, own, along.stride, how.of, Size,
                                                          loads);
        if constexpr (collective::folds_row_batches<Work>) {
          WARPFOLD_UNROLL
          for (unsigned u = 0; u < rows_at_once; ++u) {
            seen.elements[u] = collective::add_batches<int{chunks_at_once}, Size>(
                axis, seen.elements[u], from, loaded + u, {0, chunks, next, lanes});
          }
        } else {
          WARPFOLD_UNROLL
          for (unsigned u = 0; u < unroll; ++u) {
            const state more =
                fold.combine(seen.elements[u],
                             fold.state_of(collective::fold_chunk<Size>(
                                 axis, from, loaded[u], own[u].of[arrays], along.stride[arrays])));
            if (!Across || next + chunk_of(u) * lanes < chunks) seen.elements[u] = more;
          }
        }
      }
      if constexpr (Across) {
        if constexpr (!collective::folds_row_batches<Work>) {
          seen.set(0, fold_tree<0, unroll>(
                          [&](const state& a, const state& b) { return fold.combine(a, b); },
                          [&](int u) { return seen.elements[u]; }));
        }
        if constexpr (Size > 1 && !loads_words<Work, Size>) {
          if (has_rows) {
            seen.elements[0] =
                fold_rest<Size>(axis, at[0].of, line_chunks, lane, lanes, loads, seen.elements[0]);
          }
        }
      }
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < rows_at_once; ++u) {
        if constexpr (Across &&
                      collective::folds_warp_states<std::remove_cvref_t<decltype(fold)>>) {
          if (lanes == collective::warp_size) {
            seen.elements[u] = collective::warp_reduce(fold, seen.elements[u]);
            continue;
          }
        }
        seen.elements[u] = collective::reduce_lanes(fold, seen.elements[u], lanes);
      }
      if (lane != 0) return;
      const global_access stores;
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < rows_at_once; ++u) {
        if (Whole || u * groups + group < here) {
          axis.write(place(u).of, fold.value(seen.elements[u]), stores);
        }
      }
    }
  };

  /// log2 of the lanes for rows of `chunks` chunks: the most that leave less than a third idle.
  static constexpr unsigned lanes_log2(std::size_t chunks) {
    for (unsigned log2 = 5; log2 > 0; --log2) {
      const std::size_t lanes = std::size_t{1} << log2;
      const std::size_t rounds = (chunks + lanes - 1) / lanes;
      if (lanes < 2 * chunks && chunks * 10 >= rounds * lanes * 7) return log2;
    }
    return 0;
  }
  /// The same, but if batches are cheaper than what lanes combine, a lane has four chunks.
  template <class Work>
  static constexpr unsigned lanes_log2_of(std::size_t chunks) {
    unsigned log2 = lanes_log2(chunks);
    if constexpr (collective::prefers_batches<Work>) {
      while (log2 > 0 && chunks >> log2 < 4) --log2;
    }
    return log2;
  }

  /// True if each group takes rows of `chunks` chunks one at a time, which is contiguous memory.
  template <class Work, int Size>
  static constexpr bool across(std::size_t chunks) {
    return chunks >= (std::size_t{body<Work, Size, true>::unroll} << lanes_log2_of<Work>(chunks));
  }

  template <class Work, int Size>
  static std::size_t blocks(std::size_t rows, std::size_t chunks) {
    return blocks<Work, Size>(rows, chunks, across<Work, Size>(chunks));
  }

  template <class Work, class Launcher>
  void enqueue(const Work& axis, Launcher& launcher) const {
    with_row_chunks(axis, [&]<class Of>(Of, const auto& how) {
      constexpr int size = Of::value;
      const auto& folded = axis.folded();
      const std::size_t chunks = folded.dims[0].extent / size * folded.size(1);
      // The elements after the whole chunks are folded row by row. Few rows of an expression, too:
      // more lanes then work side by side.
      const bool few =
          !Work::is_one_line && blocks<Work, size>(axis.layout.outputs, chunks, false) <
                                    2 * static_cast<std::size_t>(launcher.gpu().multiprocessors);
      if (few || across<Work, size>(chunks) || folded.dims[0].extent % size != 0) {
        enqueue_as<size, true>(axis, how, chunks, launcher);
      } else {
        enqueue_as<size, false>(axis, how, chunks, launcher);
      }
    });
  }

 private:
  template <class Work, int Size>
  static std::size_t blocks(std::size_t rows, std::size_t chunks, bool across) {
    const std::size_t of_block = std::size_t{block >> lanes_log2_of<Work>(chunks)} *
                                 (across ? 1 : body<Work, Size, false>::rows_at_once);
    return (rows + of_block - 1) / of_block;
  }

  template <int Size, bool Across, class Work, class Launcher>
  static void enqueue_as(const Work& axis, const array_loads<Work::arrays>& how, std::size_t chunks,
                         Launcher& launcher) {
    const caching cache = tuning::row_for(axis.bytes(), launcher.gpu()).cache;
    const std::size_t line_chunks = axis.folded().dims[0].extent / Size;
    launcher.launch(name(),
                    body<Work, Size, Across>{axis, how, lanes_log2_of<Work>(chunks),
                                             static_cast<unsigned>(line_chunks),
                                             static_cast<unsigned>(chunks), cache},
                    {grid_of(blocks<Work, Size>(axis.layout.outputs, chunks, Across)), block});
  }
};

}  // namespace warpfold::kernel
