/// @file
/// Folds expressions of several arrays along axes whose elements are neighbors in memory: a few
/// lanes, a block, or several blocks per result.
///
/// - Idea: a lane takes chunks of a word of the smallest elements, and loads the same elements of
///   each array. An array loads words if it is contiguous and aligned in all of its rows, one
///   element per chunk if it repeats, and single elements otherwise. The function of the elements
///   runs on registers. Groups of up to 32 lanes combine their states by shuffles, blocks with one
///   barrier.
/// - Split: if there are too few results to fill the GPU, several blocks take pieces of one result,
///   and a second launch (kernel/axis/pieces.hpp) folds their states.
/// - Order: fixed by the shapes, the alignments and the GPU.
/// - Cost: one or two launches. Every element is loaded once for each result that it belongs to;
///   elements that repeat come from the caches after the first time.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/collective/block_reduce.hpp>
#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/axis/expression_loads.hpp>
#include <warpfold/kernel/axis/pieces.hpp>
#include <warpfold/kernel/axis/rows.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/work/expression_reduction.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct expression_rows {
  static constexpr const char* name() { return "expression_rows"; }

  /// The code that runs on the GPU.
  /// @tparam Size elements per chunk
  template <class Work, int Size>
  struct body {
    using source = typename Work::source_type;
    using state = typename Work::state;

    static constexpr int max_block = 256;
    static constexpr int elements_a_load = Size;  // for explain_axis
    static constexpr int unroll = chunks_in_flight<source, state, Size>;

    Work reduction;
    array_loads<Work::arrays> how;
    std::size_t line_chunks;   ///< whole chunks of each line of the folded elements
    std::size_t chunks;        ///< whole chunks per result
    std::size_t piece_chunks;  ///< whole chunks per piece
    unsigned pieces;           ///< per result
    unsigned lanes_log2;       ///< log2 of the lanes per result, if `grouped`
    bool grouped;              ///< true for groups of lanes, false for blocks
    caching cache;
    collective::global_array<state> states;

    WARPFOLD_HD const Work& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      if (pieces != 1) collective::let_next_launch_start();
      WARPFOLD_SHARED collective::block_storage<state> storage;
      const auto fold = reduction.fold();
      // The code of both arrangements differs only in the numbers of the lanes.
      const unsigned lanes = grouped ? 1u << lanes_log2 : blockDim.x;
      const unsigned lane = grouped ? threadIdx.x & (lanes - 1) : threadIdx.x;
      const unsigned piece = grouped ? 0 : blockIdx.x % pieces;
      const std::size_t result = grouped ? std::size_t{blockIdx.x} * (blockDim.x >> lanes_log2) +
                                               (threadIdx.x >> lanes_log2)
                                         : blockIdx.x / pieces;
      array_offsets<places> at{};
      state seen = fold.start();
      const bool inside = result < reduction.layout.outputs;
      if (inside) {
        at = reduction.layout.kept.place(result);
        seen = fold_piece(at.of, piece, lane, lanes);
      }
      if (grouped) {
        seen = collective::reduce_lanes(fold, seen, lanes);
        if (lane == 0 && inside) {
          const global_access stores;
          reduction.write(at.of, fold.value(seen), stores);
        }
        return;
      }
      collective::finish_block(fold, seen, storage, [&](const state& s) {
        if (pieces == 1) {
          const global_access stores;
          reduction.write(at.of, fold.value(s), stores);
        } else {
          states.store(std::size_t{piece} * reduction.layout.outputs + result, s);
        }
      });
    }

   private:
    static constexpr int arrays = Work::arrays;
    static constexpr int places = arrays + Work::outs;

    /// The offsets and the index of the first element of chunk `c` of a result.
    WARPFOLD_DEVICE array_offsets<arrays + 1> place_of(const std::size_t* first,
                                                       std::size_t c) const {
      const auto& folded = reduction.layout.folded;
      array_offsets<arrays + 1> at{};
      if (folded.count > 1) {
        const std::size_t line = warpfold::detail::divided_down(c, line_chunks);
        at = folded.place(line, 1);
        c -= line * line_chunks;
      }
      WARPFOLD_UNROLL
      for (int a = 0; a < arrays; ++a) {
        at.of[a] += first[a] + c * Size * folded.dims[0].stride[a];
      }
      at.of[arrays] += c * Size * folded.dims[0].stride[arrays];
      return at;
    }

    /// Folds the chunks of a piece that belong to a lane. The last piece also has the elements
    /// after the whole chunks of each line.
    WARPFOLD_DEVICE state fold_piece(const std::size_t* first, unsigned piece, unsigned lane,
                                     unsigned lanes) const {
      const auto fold = reduction.fold();
      const global_loads loads(cache);
      const auto& along = reduction.layout.folded.dims[0];
      const auto apply = [&](const auto& a, const auto& b) { return fold.apply(a, b); };
      const std::size_t begin = piece * piece_chunks;
      const std::size_t end = chunks - begin < piece_chunks ? chunks : begin + piece_chunks;
      state seen = fold.start();
      WARPFOLD_NO_UNROLL
      for (std::size_t c = begin + lane; c < end; c += std::size_t{unroll} * lanes) {
        typename source::template chunk_type<Size> loaded[std::size_t{unroll}];
        std::size_t index[std::size_t{unroll}];
        const auto inside = [&](int u) { return c + static_cast<unsigned>(u) * lanes < end; };
        WARPFOLD_UNROLL
        for (int u = 0; u < unroll; ++u) {
          // Missing chunks load the first one again, and the result is discarded.
          const std::size_t own = inside(u) ? c + static_cast<unsigned>(u) * lanes : c;
          const auto at = place_of(first, own);
          index[u] = at.of[arrays];
          reduction.source.template load<Size>(loaded[u], at.of, along.stride, how.of, Size, loads);
        }
        seen = fold.combine(seen,
                            fold.state_of(fold_tree_of_first<0, unroll>(
                                apply,
                                [&](int u) {
                                  return fold_tree<0, Size>(apply, [&](int k) {
                                    return reduction.lift(
                                        reduction.source.template get<Size>(loaded[u], k),
                                        index[u] + static_cast<unsigned>(k) * along.stride[arrays]);
                                  });
                                },
                                inside)));
      }
      if constexpr (Size > 1) {
        const std::size_t rest = along.extent - line_chunks * Size;
        if (rest != 0 && piece + 1 == pieces) {
          const std::size_t lines = reduction.layout.folded.size(1);
          WARPFOLD_NO_UNROLL
          for (std::size_t i = lane; i < lines * rest; i += lanes) {
            const std::size_t line = warpfold::detail::divided_down(i, rest);
            auto at = reduction.layout.folded.place(line, 1);
            const std::size_t own = line_chunks * Size + (i - line * rest);
            WARPFOLD_UNROLL
            for (int a = 0; a < arrays; ++a) at.of[a] += first[a] + own * along.stride[a];
            typename source::template chunk_type<1> one;
            reduction.source.load_one(one, at.of, loads);
            seen = fold.combine(
                seen, fold.state_of(reduction.lift(reduction.source.template get<1>(one, 0),
                                                   at.of[arrays] + own * along.stride[arrays])));
          }
        }
      }
      return seen;
    }
  };

  /// Launches once or twice.
  template <class Work, class Launcher>
  void enqueue(const Work& work, Launcher& launcher) const {
    constexpr int size = Work::source_type::chunk_size;
    const auto how =
        loads_of(work, work.layout.folded.dims[0].stride, work.layout.folded.dims[0].extent);
    if constexpr (size > 1) {
      if (how.any_words()) return enqueue_as<size>(work, how, launcher);
    }
    enqueue_as<1>(work, how, launcher);
  }

 private:
  template <int Size, class Work, class Launcher>
  static void enqueue_as(const Work& work, const array_loads<Work::arrays>& how,
                         Launcher& launcher) {
    using body_type = body<Work, Size>;
    using state = typename Work::state;
    constexpr std::size_t unroll = body_type::unroll;
    const std::size_t results = work.layout.outputs;
    const std::size_t line_chunks = work.layout.folded.dims[0].extent / Size;
    const std::size_t chunks = line_chunks * work.layout.folded.size(1);
    const auto multiprocessors = static_cast<std::size_t>(launcher.gpu().multiprocessors);
    const caching cache = tuning::row_for(work.bytes(), launcher.gpu()).cache;

    // A warp per result if results are short, or if their warps fill half of the GPU.
    constexpr std::size_t block = body_type::max_block;
    if (chunks < 64 * unroll || results >= multiprocessors * 32) {
      unsigned lanes_log2 = axis_rows::lanes_log2(chunks == 0 ? 1 : chunks);
      const std::size_t groups = block >> lanes_log2;
      launcher.launch(name(),
                      body_type{work, how, line_chunks, chunks, chunks, 1, lanes_log2, true, cache,
                                collective::global_array<state>{}},
                      {grid_of((results + groups - 1) / groups), static_cast<unsigned>(block)});
      return;
    }
    const std::size_t threads = chunks < 128 * unroll ? 64 : chunks < 256 * unroll ? 128 : block;
    std::size_t pieces = 4 * multiprocessors / results;
    if (pieces > chunks / (threads * unroll)) pieces = chunks / (threads * unroll);
    if (pieces == 0) pieces = 1;
    const std::size_t piece_chunks = (chunks + pieces - 1) / pieces;
    pieces = (chunks + piece_chunks - 1) / piece_chunks;
    collective::global_array<state> states{};
    if (pieces != 1) states = launcher.template scratch<state>(pieces * results);
    launcher.launch(name(),
                    body_type{work, how, line_chunks, chunks, piece_chunks,
                              static_cast<unsigned>(pieces), 0, false, cache, states},
                    {grid_of(results * pieces), static_cast<unsigned>(threads)});
    if (pieces != 1) axis_pieces{}.enqueue(work, states, pieces, launcher);
  }
};

}  // namespace warpfold::kernel
