/// @file
/// Folds long rows of one array or of an expression of several, in any order: one block per row, or
/// several blocks with a piece each.
///
/// - Idea: every thread has eight 16-byte loads in flight. If there are too few rows to fill the
///   GPU, blocks take pieces of a row, and kernel/axis/pieces.hpp folds their states.
/// - Align: any. Of one array, a few elements before a row's first aligned word and after its last
///   whole word are loaded one by one. Expressions: see kernel/axis/loads.hpp.
/// - Cost: one or two launches; every element is loaded once for each result that it belongs to.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/collective/axis_loads.hpp>
#include <warpfold/collective/block_reduce.hpp>
#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/axis/loads.hpp>
#include <warpfold/kernel/axis/pieces.hpp>
#include <warpfold/kernel/tuning.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct axis_row_blocks {
  static constexpr const char* name() { return "axis_row_blocks"; }

  template <class Work, int Size>
  struct body {
    using source = typename Work::source_type;
    using state = typename Work::state;

    static constexpr int max_block = 256;
    static constexpr int min_blocks_per_multiprocessor = collective::blocks_of_rows<Work>;
    static constexpr int elements_a_load = Size;  // for explain_axis
    // For many narrow elements that are lifted, arithmetic dominates, not loading.
    static constexpr int unroll = !Work::is_one_line ? chunks_in_flight<source, state, Size>
                                  : Work::is_lifted && Size >= 8 ? 2
                                                                 : 8;

    Work axis;
    array_loads<Work::arrays> how;
    std::size_t line_chunks;   ///< whole chunks of each line of a row
    std::size_t piece_chunks;  ///< whole chunks per piece
    unsigned pieces;           ///< per row
    caching cache;
    collective::global_array<state> states;

    WARPFOLD_HD const Work& work() const { return axis; }
    WARPFOLD_DEVICE void operator()() const {
      if (pieces != 1) collective::let_next_launch_start();
      WARPFOLD_SHARED collective::block_storage<state> storage;
      const unsigned piece = blockIdx.x % pieces;
      const unsigned row = blockIdx.x / pieces;
      if (sized_in_memory<Work> && row >= results_of(axis)) return;
      const auto at = axis.layout.kept.place(row);
      const state seen = [&]() -> state {
        if constexpr (!loads_words<Work, Size>) {
          return fold_piece<false>(at.of, 0, piece);
        } else {
          using T = typename Work::value_type;
          const T* const data = axis.in + at.of[0];
          const std::size_t head = head_of(data);
          if constexpr (alignof(T) == sizeof(T)) {
            return fold_piece<true>(at.of, head, piece);
          } else {
            if (warpfold::detail::at_word(data + head)) return fold_piece<true>(at.of, head, piece);
            return fold_piece<false>(at.of, 0, piece);
          }
        }
      }();
      collective::finish_block(axis.fold(), seen, storage, [&](const state& s) {
        if (pieces == 1) {
          const global_access stores;
          axis.write(at.of, axis.fold().value(s), stores);
        } else {
          states.store(std::size_t{piece} * axis.layout.outputs + row, s);
        }
      });
    }

   private:
    static constexpr int arrays = Work::arrays;

    /// Elements before the first aligned one, which may not exist.
    template <class T>
    WARPFOLD_DEVICE std::size_t head_of(const T* data) const {
      const auto past = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(data) % word_bytes);
      if (past == 0) return 0;
      const std::size_t head = (word_bytes - past) / sizeof(T);
      return head < axis.layout.length ? head : axis.layout.length;
    }

    /// Folds a piece of the row at the offsets `row`, whose chunks start at element `head`.
    template <bool Words>
    WARPFOLD_DEVICE state fold_piece(const std::size_t* row, std::size_t head,
                                     unsigned piece) const {
      const auto fold = axis.fold();
      const global_loads loads(cache);
      const source from = axis.input();
      const auto& along = axis.folded().dims[0];
      std::size_t first[std::size_t{arrays}];
      WARPFOLD_UNROLL
      for (int a = 0; a < arrays; ++a) first[a] = row[a] + head * along.stride[a];
      const std::size_t chunks = Work::is_one_line ? (axis.layout.length - head) / Size
                                                   : line_chunks * axis.folded().size(1);
      const std::size_t begin = piece * piece_chunks;
      std::size_t end = begin + piece_chunks;
      if (piece + 1 == pieces || end > chunks) end = chunks;
      const unsigned here = begin < end ? static_cast<unsigned>(end - begin) : 0;
      const unsigned step = blockDim.x;
      const unsigned count = threadIdx.x < here ? (here - threadIdx.x + step - 1) / step : 0;
      std::size_t next = begin + threadIdx.x;

      state seen = fold.start();
      typename source::template chunk_type<Size> loaded[std::size_t{unroll}];
      array_offsets<arrays + 1> at[std::size_t{unroll}];
      // Missing chunks load the last one again, which the fold leaves out or may repeat.
      const auto load = [&](unsigned last) {
        WARPFOLD_UNROLL
        for (int u = 0; u < unroll; ++u) {
          const unsigned own = static_cast<unsigned>(u) < last ? static_cast<unsigned>(u) : last;
          at[u] = place_of_chunk<Size>(axis, next + std::size_t{own * step}, line_chunks);
          WARPFOLD_UNROLL
          for (int a = 0; a < arrays; ++a) at[u].of[a] += first[a];
        }
        from.template load<Size, Words>(loaded, at, along.stride, how.of, Size, loads);
      };
      const auto fold_chunk = [&](int u) {
        return collective::fold_chunk<Size>(axis, from, loaded[u], at[u].of[arrays] + head,
                                            along.stride[arrays]);
      };
      const auto apply = [&](const auto& a, const auto& b) { return fold.apply(a, b); };
      // Adds all loaded chunks, or the first `left`: those at positions below `above`.
      const auto add_all = [&] {
        if constexpr (collective::folds_row_batches<Work>) {
          constexpr unsigned above = ~0u;
          seen = collective::add_batches<unroll, Size>(axis, seen, from, loaded,
                                                       {head + next * Size, above, 0, step});
        } else {
          seen = fold.combine(seen, fold.state_of(fold_tree<0, unroll>(apply, fold_chunk)));
        }
      };
      const auto add_first = [&](unsigned left) {
        if constexpr (collective::folds_row_batches<Work>) {
          const unsigned above = (left - 1) * step + 1;
          seen = collective::add_batches<unroll, Size>(axis, seen, from, loaded,
                                                       {head + next * Size, above, 0, step});
        } else {
          seen = fold.combine(
              seen, fold.state_of(fold_tree_of_first<0, unroll>(apply, fold_chunk, [&](int u) {
                return static_cast<unsigned>(u) < left;
              })));
        }
      };
      unsigned i = 0;
      WARPFOLD_NO_UNROLL
      for (; i + unroll <= count; i += unroll) {
        load(unroll);
        add_all();
        next += std::size_t{unroll * step};
      }
      if (i < count) {
        const unsigned left = count - i;
        load(left - 1);
        add_first(left);
      }
      if constexpr (Work::is_one_line) {
        const auto* const data = axis.in + row[0];
        if (piece == 0 && threadIdx.x < head) {
          seen = fold.combine(
              seen, fold.state_of(axis.lift(loads.load(data + threadIdx.x), threadIdx.x)));
        }
        const std::size_t tail = head + chunks * Size + threadIdx.x;
        if (piece + 1 == pieces && tail < axis.layout.length) {
          seen = fold.combine(seen, fold.state_of(axis.lift(loads.load(data + tail), tail)));
        }
      } else if constexpr (Size > 1) {
        seen = fold_rest<Size>(axis, row, line_chunks, piece * step + threadIdx.x, pieces * step,
                               loads, seen);
      }
      return seen;
    }
  };

  void enqueue(const auto& axis, auto& launcher) const {
    with_row_chunks(axis, [&]<class Size>(Size, const auto& how) {
      enqueue_as<Size::value>(axis, how, launcher);
    });
  }

 private:
  template <int Size, class Work>
  static void enqueue_as(const Work& axis, const array_loads<Work::arrays>& how, auto& launcher) {
    using body_type = body<Work, Size>;
    using state = typename Work::state;
    constexpr std::size_t words = Work::source_type::template words<Size>;
    constexpr std::size_t unroll = body_type::unroll;
    const auto& folded = axis.folded();
    const std::size_t rows = axis.layout.outputs;
    const std::size_t line_chunks = folded.dims[0].extent / Size;
    const std::size_t chunks = line_chunks * folded.size(1);
    const auto multiprocessors = static_cast<std::size_t>(launcher.gpu().multiprocessors);
    const std::size_t block = chunks * words < 1024 ? 64 : chunks * words < 2048 ? 128 : 256;

    // Pieces short enough to balance the end and long enough for a block. If not every
    // multiprocessor would have four pieces, shorter ones.
    std::size_t pieces = 64 * multiprocessors / rows;
    if (pieces > chunks / (block * unroll * 4)) pieces = chunks / (block * unroll * 4);
    if (pieces * rows < 4 * multiprocessors) {
      pieces = 4 * multiprocessors / rows;
      if (pieces > chunks / (block * unroll)) pieces = chunks / (block * unroll);
    }
    const std::size_t least = chunks >> 31;  // a block counts its chunks in 32 bits
    if (pieces <= least) pieces = least + 1;
    const std::size_t piece_chunks = (chunks + pieces - 1) / pieces;
    if (piece_chunks != 0) pieces = (chunks + piece_chunks - 1) / piece_chunks;

    collective::global_array<state> states{};
    if (pieces != 1) states = launcher.template scratch<state>(pieces * rows);
    const caching cache = tuning::row_for(axis.bytes(), launcher.gpu()).cache;
    launcher.launch(name(),
                    body_type{axis, how, line_chunks, piece_chunks, static_cast<unsigned>(pieces),
                              cache, states},
                    {grid_of(rows * pieces), static_cast<unsigned>(block)});
    if (pieces != 1) axis_pieces{}.enqueue(axis, states, pieces, launcher);
  }
};

}  // namespace warpfold::kernel
