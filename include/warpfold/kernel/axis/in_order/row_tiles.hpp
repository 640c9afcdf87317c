/// @file
/// The folds of kernel/axis/row_tiles.hpp in the declared order (op/fold_order.hpp), of rows that
/// are not whole words: each lane folds a power of two of neighbors.
#pragma once

#include <cstddef>

#include <warpfold/collective/axis_loads.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/collective/thread_nodes.hpp>
#include <warpfold/collective/tile_copy.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/axis/row_tiles.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/work/axis_reduction.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct ordered_row_tiles {
  static constexpr const char* name() { return "ordered_row_tiles"; }

  static constexpr unsigned block = 256;
  static constexpr unsigned held = 4;  ///< words of a thread
  static constexpr unsigned tile_bytes = axis_row_tiles::tile_bytes;
  static_assert(tile_bytes == block * held * word_bytes);
  /// Beyond it, words that are loaded in parts are faster, unless these are bytes.
  template <class T>
  static constexpr std::size_t longest_row = sizeof(T) < 4 ? 2048 : 256;

  template <class AxisReduction>
  struct body {
    using value_type = typename AxisReduction::value_type;
    using accumulator = typename AxisReduction::accumulator;

    static constexpr int max_block = block;
    static constexpr bool waits_for_launch_before = true;

    AxisReduction axis;
    unsigned rows;        ///< per tile
    unsigned lanes_log2;  ///< log2 of the lanes per row
    unsigned run_log2;    ///< log2 of the neighbors that a lane folds
    caching cache;

    WARPFOLD_HD const AxisReduction& work() const { return axis; }
    WARPFOLD_DEVICE void operator()() const {
      collective::wait_for_launch_before();
      const std::size_t first = std::size_t{blockIdx.x} * rows;
      const std::size_t left = axis.layout.outputs - first;
      const auto length = static_cast<unsigned>(axis.layout.length);
      const unsigned here = left < rows ? static_cast<unsigned>(left) : rows;
      const collective::shared_bytes tile = collective::dynamic_shared_bytes(tile_bytes);
      collective::copy_tile<held>(tile, axis.in + first * length, here * length, cache,
                                  [](unsigned w) { return w * static_cast<unsigned>(word_bytes); });
      collective::let_next_launch_start();
      __syncthreads();

      const unsigned lanes = 1u << lanes_log2, lane = threadIdx.x & (lanes - 1);
      const unsigned groups = blockDim.x >> lanes_log2, own = lane << run_log2;
      const auto fold = axis.fold();
      const global_access stores;
      // The same number of iterations for all lanes of a warp, which shuffle in each.
      WARPFOLD_NO_UNROLL
      for (unsigned round = 0; round < here; round += groups) {
        const unsigned r = round + (threadIdx.x >> lanes_log2);
        // A lane without elements folds those of another.
        const bool has_elements = r < here && own < length;
        accumulator a = fold_run(tile, (r < here ? r : here - 1) * length, has_elements ? own : 0);
        WARPFOLD_NO_UNROLL
        for (unsigned apart = 1; apart < lanes; apart *= 2) {
          const accumulator right = collective::shuffle_down(a, apart);
          if ((lane + apart) << run_log2 < length) a = fold.apply(a, right);
        }
        if (lane == 0 && r < here) {
          const std::size_t apart = axis.layout.kept.dims[0].stride[axis_layout::out];
          const std::size_t at[] = {0, (first + r) * apart};
          axis.write(at, a, stores);
        }
      }
    }

   private:
    static constexpr unsigned some = 4;
    // A lane folds at most 256 bytes, because the lanes of a tile are more than half of the block.
    static constexpr int levels = sizeof(value_type) == 1 ? 6 : sizeof(value_type) == 2 ? 5 : 4;

    /// The fold of a lane's elements, from element `first` of the row on.
    WARPFOLD_DEVICE accumulator fold_run(const collective::shared_bytes& tile, unsigned row,
                                         unsigned first) const {
      const auto fold = axis.fold();
      const unsigned end = axis.layout.length - first < std::size_t{1} << run_log2
                               ? static_cast<unsigned>(axis.layout.length)
                               : first + (1u << run_log2);
      unsigned at = first, k = 0;
      const auto element = [&](unsigned i) {
        return tile.template load<value_type>(
            0, (row + i) * static_cast<unsigned>(sizeof(value_type)), call_site::here());
      };
      const auto fold_last = [&] {
        const auto place = [&](int i) {
          const unsigned own = at + static_cast<unsigned>(i);
          return own < end ? own : end - 1;
        };
        return collective::fold_first<int{some}>(
            axis, [&](int i) { return element(place(i)); },
            [&](int i) { return std::size_t{place(i)}; },
            [&](int i) { return at + static_cast<unsigned>(i) < end; });
      };
      if (end - first <= some) return fold_last();
      collective::thread_nodes<accumulator, levels> nodes;
      WARPFOLD_NO_UNROLL
      for (; at + some <= end; at += some, ++k) {
        nodes.add(fold, k,
                  collective::fold_few<int{some}>(
                      axis, [&](int i) { return element(at + static_cast<unsigned>(i)); },
                      [&](int i) { return std::size_t{at + static_cast<unsigned>(i)}; }));
      }
      if (at < end) nodes.add(fold, k++, fold_last());
      return nodes.folded(fold, k);
    }
  };

  template <class AxisReduction>
  static bool suit(const AxisReduction& axis) {
    const auto& l = axis.layout;
    constexpr std::size_t bytes = sizeof(typename AxisReduction::value_type);
    return l.kept.count == 1 &&
           l.length * bytes <= longest_row<typename AxisReduction::value_type> &&
           l.length * bytes % word_bytes != 0 &&
           (l.outputs == 1 || l.kept.dims[0].stride[l.in] == l.length) &&
           warpfold::detail::at_word(axis.in) && axis_row_tiles::tile_rows(axis) != 0;
  }

  template <class AxisReduction, class Launcher>
  void enqueue(const AxisReduction& axis, Launcher& launcher) const {
    const std::size_t rows = axis_row_tiles::tile_rows(axis);
    unsigned lanes_log2 = 0, run_log2 = 0;
    while (lanes_log2 < 5 && (rows << (lanes_log2 + 1)) <= block) ++lanes_log2;
    while (axis.layout.length > std::size_t{1} << (lanes_log2 + run_log2)) ++run_log2;
    const caching cache = tuning::row_for(axis.bytes(), launcher.gpu()).cache;
    launcher.launch(
        name(), body<AxisReduction>{axis, static_cast<unsigned>(rows), lanes_log2, run_log2, cache},
        {grid_of((axis.layout.outputs + rows - 1) / rows), block, tile_bytes});
  }
};

}  // namespace warpfold::kernel
