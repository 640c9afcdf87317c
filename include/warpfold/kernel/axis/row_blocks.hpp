/// @file
/// Folds long rows: one block per row, or several blocks with a piece each.
///
/// - Idea: every thread has eight 16-byte loads in flight. A warp combines its states by shuffles,
///   a block with one barrier. If there are too few rows to fill the GPU, several blocks take
///   pieces of one row, and a second launch (kernel/axis/pieces.hpp) folds their states.
/// - Align: any. A few elements before a row's first aligned word and after its last whole word are
///   loaded one by one.
/// - Order: fixed by the shape, the alignment and the GPU.
/// - Cost: one or two launches; every byte is read once.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/collective/axis_loads.hpp>
#include <warpfold/collective/block_reduce.hpp>
#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/axis/pieces.hpp>
#include <warpfold/kernel/axis/rows.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/work/axis_reduction.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct axis_row_blocks {
  static constexpr const char* name() { return "axis_row_blocks"; }

  /// The code that runs on the GPU.
  template <class AxisReduction>
  struct body {
    using value_type = typename AxisReduction::value_type;
    using state = typename AxisReduction::state;

    static constexpr int max_block = 256;
    static constexpr int size = collective::elements_of_word<value_type>;
    static constexpr int elements_a_load = size;  // for explain_axis
    // For many narrow elements that are lifted, arithmetic dominates, not loading.
    static constexpr int unroll = AxisReduction::is_lifted && size >= 8 ? 2 : 8;

    AxisReduction axis;
    std::size_t piece_chunks;
    unsigned pieces;  ///< per row
    caching cache;
    collective::global_array<state> states;

    WARPFOLD_HD const AxisReduction& work() const { return axis; }
    WARPFOLD_DEVICE void operator()() const {
      if (pieces != 1) collective::let_next_launch_start();
      WARPFOLD_SHARED collective::block_storage<state> storage;
      const unsigned piece = blockIdx.x % pieces;
      const unsigned row = blockIdx.x / pieces;
      const auto at = axis.layout.kept.place(row);
      const value_type* const data = axis.in + at.of[axis_layout::in];
      const std::size_t head = head_of(data);
      constexpr bool words = collective::fills_words<value_type>;
      const state seen = [&]() -> state {
        if constexpr (words && alignof(value_type) == sizeof(value_type)) {
          return fold_piece<true>(data, head, piece);
        } else {
          if (words && warpfold::detail::at_word(data + head)) {
            return fold_piece<words>(data, head, piece);
          }
          return fold_piece<false>(data, 0, piece);
        }
      }();
      collective::finish_block(axis.fold(), seen, storage, [&](const state& s) {
        if (pieces == 1) {
          const global_access stores;
          auto* const to = axis.out + at.of[axis_layout::out];
          stores.store(to, axis.result_of(s, to));
        } else {
          states.store(std::size_t{piece} * axis.layout.outputs + row, s);
        }
      });
    }

   private:
    /// Elements before the first aligned one. A type that is aligned to less than its size may have
    /// none.
    WARPFOLD_DEVICE std::size_t head_of(const value_type* data) const {
      const auto past = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(data) % word_bytes);
      if (past == 0) return 0;
      const std::size_t head = (word_bytes - past) / sizeof(value_type);
      return head < axis.layout.length ? head : axis.layout.length;
    }

    template <bool Words>
    WARPFOLD_DEVICE state fold_piece(const value_type* data, std::size_t head,
                                     unsigned piece) const {
      const auto fold = axis.fold();
      const global_loads loads(cache);
      const std::size_t length = axis.layout.length;
      const std::size_t chunks = (length - head) / size;
      const std::size_t begin = piece * piece_chunks;
      std::size_t end = begin + piece_chunks;
      if (piece + 1 == pieces || end > chunks) end = chunks;
      const unsigned here = begin < end ? static_cast<unsigned>(end - begin) : 0;
      const unsigned step = blockDim.x;
      const unsigned count = threadIdx.x < here ? (here - threadIdx.x + step - 1) / step : 0;
      std::size_t index = head + (begin + threadIdx.x) * size;
      const value_type* from = data + index;

      state seen = fold.start();
      chunk<value_type, size> loaded[std::size_t{unroll}];
      const auto fold_chunk = [&](int u) {
        return collective::fold_axis_word(
            axis, loaded[u], index + std::size_t{static_cast<unsigned>(u) * step} * size);
      };
      const auto apply = [&](const auto& a, const auto& b) { return fold.apply(a, b); };
      unsigned i = 0;
      WARPFOLD_NO_UNROLL
      for (; i + unroll <= count; i += unroll) {
        WARPFOLD_UNROLL
        for (int u = 0; u < unroll; ++u) {
          collective::load_axis_chunk<Words>(
              loaded[u], from + std::size_t{static_cast<unsigned>(u) * step} * size, loads);
        }
        seen = fold.combine(seen, fold.state_of(fold_tree<0, unroll>(apply, fold_chunk)));
        from += std::size_t{unroll * step} * size;
        index += std::size_t{unroll * step} * size;
      }
      if (i < count) {
        // Missing chunks load the last chunk again, and the result is discarded.
        const unsigned left = count - i;
        WARPFOLD_UNROLL
        for (int u = 0; u < unroll; ++u) {
          const unsigned own =
              static_cast<unsigned>(u) < left ? static_cast<unsigned>(u) : left - 1;
          collective::load_axis_chunk<Words>(loaded[u], from + std::size_t{own * step} * size,
                                             loads);
        }
        seen = fold.combine(
            seen, fold.state_of(fold_tree_of_first<0, unroll>(
                      apply, fold_chunk, [&](int u) { return static_cast<unsigned>(u) < left; })));
      }
      if (piece == 0 && threadIdx.x < head) {
        seen = fold.combine(seen,
                            fold.state_of(axis.lift(loads.load(data + threadIdx.x), threadIdx.x)));
      }
      const std::size_t tail = head + chunks * size + threadIdx.x;
      if (piece + 1 == pieces && tail < length) {
        seen = fold.combine(seen, fold.state_of(axis.lift(loads.load(data + tail), tail)));
      }
      return seen;
    }
  };

  /// Launches once or twice.
  template <class AxisReduction, class Launcher>
  void enqueue(const AxisReduction& axis, Launcher& launcher) const {
    using body_type = body<AxisReduction>;
    using state = typename AxisReduction::state;
    constexpr std::size_t unroll = body_type::unroll;
    const std::size_t rows = axis.layout.outputs;
    const std::size_t chunks = axis.layout.length / body_type::size;
    const auto multiprocessors = static_cast<std::size_t>(launcher.gpu().multiprocessors);
    const std::size_t block = chunks < 1024 ? 64 : chunks < 2048 ? 128 : 256;

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
                    body_type{axis, piece_chunks, static_cast<unsigned>(pieces), cache, states},
                    {grid_of(rows * pieces), static_cast<unsigned>(block)});
    if (pieces != 1) axis_pieces{}.enqueue(axis, states, pieces, launcher);
  }
};

}  // namespace warpfold::kernel
