/// @file
/// Folds long rows, of one array or of an expression of several, in the declared order
/// (op/fold_order.hpp): a block or several blocks per row.
///
/// - Idea: a row is a range, which its blocks fold as those of kernel/in_order.hpp do. The block
///   that is done last combines the values of the blocks of its row.
/// - Align: any. Rows that do not start at words are loaded element by element.
/// - Cost: one launch; every element is loaded once for each result that it belongs to.
#pragma once

#include <cstddef>

#include <warpfold/collective/axis_loads.hpp>
#include <warpfold/collective/block_fold.hpp>
#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/last_block.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/node_finish.hpp>
#include <warpfold/collective/tile_fold.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/axis/in_order/row_chunks.hpp>
#include <warpfold/kernel/tuning.hpp>

namespace warpfold::kernel {

/// A row as the range that `collective::fold_tile` folds.
template <class Work, int Size>
struct ordered_row {
  using source = typename Work::source_type;
  using accumulator = typename Work::accumulator;
  using terms = row_terms<Work, Size>;

  struct view_type {
    static constexpr int chunk_size = Size;
    /// The loaded elements, and the index of the first one among those of the row.
    struct chunk_type {
      typename source::template chunk_type<Size> loaded[1];
      std::size_t index;
    };

    const Work& work;
    const array_loads<Work::arrays>& how;
    array_offsets<Work::arrays + Work::outs> start;
    std::size_t line_chunks;

    inline WARPFOLD_DEVICE void load(chunk_type& c, std::size_t i, const auto& loads) const {
      // Words of the only array need no question.
      load_by<Work::is_one_line && (Size > 1)>(c, i, how, loads);
    }
    inline WARPFOLD_DEVICE void load_anywhere(chunk_type& c, std::size_t i,
                                              const auto& loads) const {
      load_by<false>(c, i, array_loads<Work::arrays>{}, loads);
    }
    inline WARPFOLD_DEVICE accumulator at(std::size_t i, const auto& loads) const {
      const auto own = place<1>(i, work.folded().dims[0].extent);
      typename source::template chunk_type<1> one;
      const source from = work.input();
      from.load_one(one, own.of, loads);
      return work.lift(from.template get<1>(one, 0), own.of[Work::arrays]);
    }

   private:
    /// Loads the chunk from element `i` on, a multiple of `Size`.
    /// @tparam Words if it is a word of the only array
    template <bool Words, class Loads>
    WARPFOLD_DEVICE void load_by(chunk_type& c, std::size_t i, const array_loads<Work::arrays>& by,
                                 const Loads& loads) const {
      const array_offsets<Work::arrays + 1> own[1] = {place<Size>(i / Size, line_chunks)};
      const source from = work.input();
      from.template load<Size, Words>(c.loaded, own, work.folded().dims[0].stride, by.of, Size,
                                      loads);
      c.index = own[0].of[Work::arrays];
    }
    /// The offsets and the index of the first element of chunk `c`, of `Of` elements.
    template <int Of>
    WARPFOLD_DEVICE array_offsets<Work::arrays + 1> place(std::size_t c,
                                                          std::size_t of_line) const {
      auto own = place_of_chunk<Of>(work, c, of_line);
      WARPFOLD_UNROLL
      for (int a = 0; a < Work::arrays; ++a) own.of[a] += start.of[a];
      return own;
    }
  };

  view_type view;

  WARPFOLD_DEVICE auto fold() const { return view.work.fold(); }
  WARPFOLD_DEVICE accumulator lift(const accumulator& a) const { return a; }
  WARPFOLD_DEVICE auto element(const typename view_type::chunk_type& c, int k) const {
    return element_for_terms<Size>(view.work, view.work.input(), c.loaded[0], k);
  }
  WARPFOLD_DEVICE accumulator fold_chunk(const typename view_type::chunk_type& c) const {
    const Work& work = view.work;
    return collective::fold_chunk<Size>(work, work.input(), c.loaded[0], c.index,
                                        work.folded().dims[0].stride[Work::arrays]);
  }
};

/// See the top of this file.
struct ordered_long_rows {
  static constexpr const char* name() { return "ordered_long_rows"; }

  static constexpr unsigned most_warps = 8;

  template <class Work, int Size, bool HasTiles>
  struct body {
    using accumulator = typename Work::accumulator;
    using row_type = ordered_row<Work, Size>;
    using chunks_type = collective::counted_chunks<std::size_t>;

    static constexpr int max_block = int{most_warps} * collective::warp_size;
    // Sums of exponentials, 8192 x 50257, H200, 2 blocks -> 3: 1148 -> 874 us.
    static constexpr int min_blocks_per_multiprocessor = Size > 8                    ? 1
                                                         : sizeof(accumulator) <= 8  ? 4
                                                         : sizeof(accumulator) <= 16 ? 3
                                                                                     : 1;
    static constexpr int elements_a_load = Size;  // for explain_axis
    static constexpr bool waits_for_launch_before = true;
    // The chunks that a lane loads at once. With several tiles, as many are loaded ahead. For many
    // narrow elements that are lifted, arithmetic dominates, not loading.
    static constexpr int unroll = [] {
      constexpr int most = chunks_in_flight<typename Work::source_type, accumulator, Size>;
      if (Work::is_one_line && Work::is_lifted && Size >= 8) return 2;
      return HasTiles && most > 4 ? 4 : most;
    }();
    static constexpr bool has_posts = collective::detail::is_posted<accumulator>;

    Work axis;
    array_loads<Work::arrays> how;
    chunks_type chunks;       ///< of a row
    std::size_t line_chunks;  ///< in each of its lines
    unsigned shift;           ///< log2 of the chunks of a warp
    unsigned parts;           ///< blocks of a row
    caching cache;
    collective::global_array<accumulator> values;  ///< of the parts; none if they are posted
    collective::grid_storage scratch;

    WARPFOLD_HD const Work& work() const { return axis; }
    WARPFOLD_DEVICE void operator()() const {
      collective::wait_for_launch_before();
      WARPFOLD_SHARED collective::shared_array<accumulator, most_warps> storage;
      const unsigned warps = blockDim.x / collective::warp_size;
      const unsigned row = blockIdx.x / parts, part = blockIdx.x - row * parts;
      if (sized_in_memory<Work> && row >= results_of(axis)) return;
      const std::size_t first = std::size_t{part} * warps << shift;
      const std::size_t own = first + (std::size_t{threadIdx.x / collective::warp_size} << shift);
      if (own < chunks.count) collective::store_of_warp(storage, fold_own(row, own));
      collective::let_next_launch_start();
      const std::size_t left = ((chunks.count - first - 1) >> shift) + 1;
      const unsigned there = left < warps ? static_cast<unsigned>(left) : warps;
      const auto fold = axis.fold();
      const auto write_row = [&](const accumulator& a) { write(row, a); };
      if (parts == 1) {
        return collective::fold_block(fold, storage, there, write_row);
      }
      if constexpr (has_posts) {
        if (values.size == 0) {
          using nodes_type = collective::grid_nodes<accumulator>;
          WARPFOLD_SHARED typename nodes_type::kept_node kept;
          const nodes_type nodes(scratch, parts, row * parts);
          collective::fold_block(fold, storage, there,
                                 [&](const accumulator& a) { nodes.store(part, a, kept); });
          return nodes.finish(part == parts - 1, fold, storage, kept, write_row);
        }
      }
      collective::fold_block(fold, storage, there, [&](const accumulator& a) {
        values.store(std::size_t{row} * parts + part, a);
      });
      if (!collective::is_last_block(scratch, row, parts)) return;
      collective::fold_values_of_block(
          fold, storage, parts,
          [&](unsigned i) { return values.load(std::size_t{row} * parts + i); }, write_row);
    }

   private:
    WARPFOLD_DEVICE accumulator fold_own(std::size_t row, std::size_t own) const {
      const global_loads loads(cache);
      const row_type elements{{axis, how, axis.layout.kept.place(row), line_chunks}};
      const std::size_t left = chunks.count - own, each = std::size_t{1} << shift;
      const std::size_t here = left < each ? left : each;
      if constexpr (HasTiles) {
        return collective::fold_tiles<unroll>(elements, chunks, own, own + here, loads);
      } else {
        return collective::fold_tile_of<unroll>(elements, chunks, own, static_cast<unsigned>(here),
                                                1u << shift, loads);
      }
    }
    WARPFOLD_DEVICE void write(std::size_t row, const accumulator& a) const {
      const global_access stores;
      axis.write(axis.layout.kept.place(row).of, a, stores);
    }
  };

  template <class Work, class Launcher>
  void enqueue(const Work& axis, Launcher& launcher) const {
    with_ordered_chunks(axis, [&]<class Of>(Of, const auto& how, const row_chunks& row) {
      if constexpr (may_be_long<Work, Of::value>) enqueue_as<Of::value>(axis, how, row, launcher);
    });
  }

 private:
  template <int Size, class Work, class Launcher>
  static void enqueue_as(const Work& axis, const array_loads<Work::arrays>& how,
                         const row_chunks& row, Launcher& launcher) {
    constexpr std::size_t tile =
        std::size_t{body<Work, Size, false>::unroll} * collective::warp_size;
    const auto multiprocessors = static_cast<std::size_t>(launcher.gpu().multiprocessors);
    const std::size_t rows = axis.layout.outputs;
    const bool is_large = axis.bytes() >= launcher.gpu().l2_bytes;
    // Blocks of eight warps with two tiles each, so that they load ahead; fewer if blocks are few.
    std::size_t warps = most_warps;
    const auto parts_of = [&](unsigned s) { return ((row.count - 1) >> s) / warps + 1; };
    unsigned shift = 5;
    while (std::size_t{1} << shift < 2 * tile) ++shift;
    while (shift > 5 && parts_of(shift) * rows < (is_large ? 8 : 2) * multiprocessors) --shift;
    // One part has as many warps as it needs; no warp waits for the others.
    const std::size_t needed = ((row.count - 1) >> shift) + 1;
    if (needed < most_warps) {
      warps = needed;
      while ((warps < 4 || rows * warps < 32 * multiprocessors) && shift > 5 &&
             (row.count - 1) >> (shift - 1) < most_warps) {
        --shift;
        warps = ((row.count - 1) >> shift) + 1;
      }
    }
    // A counter for each row that several blocks share.
    while (parts_of(shift) > 1 && rows > collective::max_shared_results) ++shift;
    const std::size_t parts = parts_of(shift);
    const auto threads = static_cast<unsigned>(warps * collective::warp_size);
    // Words that are loaded in parts take more registers.
    const bool in_parts = Size > 1 && !how.any_words();
    if (std::size_t{1} << shift > (in_parts ? tile / 2 : tile)) {
      launch<Size, true>(axis, how, row, shift, parts, threads, launcher);
    } else {
      launch<Size, false>(axis, how, row, shift, parts, threads, launcher);
    }
  }

  template <int Size, bool HasTiles, class Work, class Launcher>
  static void launch(const Work& axis, const array_loads<Work::arrays>& how, const row_chunks& row,
                     unsigned shift, std::size_t parts, unsigned threads, Launcher& launcher) {
    using body_type = body<Work, Size, HasTiles>;
    using accumulator = typename Work::accumulator;
    const std::size_t rows = axis.layout.outputs;
    collective::global_array<accumulator> values{};
    if (parts > 1 &&
        !(body_type::has_posts && rows * parts <= collective::max_blocks<accumulator>() &&
          parts <= collective::max_nodes<accumulator>(threads))) {
      values = launcher.template scratch<accumulator>(rows * parts);
    }
    collective::grid_storage grid{};
    if (parts > 1) grid = launcher.grid();
    const caching cache = tuning::row_for(axis.bytes(), launcher.gpu()).cache;
    launcher.launch(
        name(),
        body_type{axis,
                  how,
                  {row.count, row.last, !Work::is_one_line || Size == 1 || how.any_words()},
                  row.of_line,
                  shift,
                  static_cast<unsigned>(parts),
                  cache,
                  values,
                  grid},
        {grid_of(rows * parts), threads});
  }
};

}  // namespace warpfold::kernel
