/// @file
/// The folds of kernel/axis/row_tiles.hpp in the declared order (op/fold_order.hpp), of rows that
/// are not whole words, and of the columns of many small matrices with such rows: each lane folds a
/// power of two of the elements of a result that follow each other.
#pragma once

#include <cstddef>
#include <cstdint>

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
  /// Matrices are padded by a word after each lane's rows, if these are so long: the lanes of a
  /// result would use the same bank.
  static constexpr std::size_t least_padded = 64;
  static constexpr unsigned most_bytes =
      tile_bytes + tile_bytes / least_padded * static_cast<unsigned>(word_bytes);
  /// Beyond it, words that are loaded in parts are faster, unless these are bytes.
  template <class T>
  static constexpr std::size_t longest_row = sizeof(T) < 4 ? 2048 : 256;

  /// @tparam OfColumns true for columns of matrices, false for rows
  template <class AxisReduction, bool OfColumns>
  struct body {
    using value_type = typename AxisReduction::value_type;
    using accumulator = typename AxisReduction::accumulator;

    static constexpr int max_block = block;
    static constexpr bool waits_for_launch_before = true;

    AxisReduction axis;
    unsigned results;            ///< per tile: of whole rows or matrices
    unsigned columns;            ///< of a matrix; 1 for rows
    unsigned lanes_log2;         ///< log2 of the lanes per result
    unsigned run_log2;           ///< log2 of the elements that a lane folds
    unsigned run_words_inverse;  ///< 2^32 over the words of a lane's rows; 0: no padding
    caching cache;

    WARPFOLD_HD const AxisReduction& work() const { return axis; }
    WARPFOLD_DEVICE void operator()() const {
      collective::wait_for_launch_before();
      const std::size_t first = std::size_t{blockIdx.x} * results;
      const auto& all = results_of(axis);
      if (sized_in_memory<AxisReduction> && first >= all) return;
      const std::size_t left = all - first;
      const auto length = static_cast<unsigned>(axis.layout.length);
      const unsigned here = left < results ? static_cast<unsigned>(left) : results;
      const collective::shared_bytes tile =
          collective::dynamic_shared_bytes(OfColumns ? most_bytes : tile_bytes);
      collective::copy_tile<held>(tile, axis.in + first * length, here * length, cache,
                                  [&](unsigned w) { return (w + padding_before(w)) * word_size; });
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
        accumulator a =
            fold_run(tile, place_in_tile(r < here ? r : here - 1), has_elements ? own : 0);
        WARPFOLD_NO_UNROLL
        for (unsigned apart = 1; apart < lanes; apart *= 2) {
          const accumulator right = collective::shuffle_down(a, apart);
          if ((lane + apart) << run_log2 < length) a = fold.apply(a, right);
        }
        if (lane == 0 && r < here) axis.write(place_of_result(first + r).of, a, stores);
      }
    }

   private:
    static constexpr unsigned some = 4;
    // A lane folds at most 256 bytes, because the lanes of a tile are more than half of the block.
    static constexpr int levels = sizeof(value_type) == 1 ? 6 : sizeof(value_type) == 2 ? 5 : 4;

    static constexpr auto value_bytes = static_cast<unsigned>(sizeof(value_type));
    static constexpr auto word_size = static_cast<unsigned>(word_bytes);

    /// The words between the first word of the tile and word `w` that hold nothing.
    WARPFOLD_DEVICE unsigned padding_before([[maybe_unused]] unsigned w) const {
      if constexpr (!OfColumns) return 0;
      return static_cast<unsigned>(std::uint64_t{w} * run_words_inverse >> 32);
    }
    /// The first element of result `r` of a tile.
    WARPFOLD_DEVICE unsigned place_in_tile(unsigned r) const {
      const auto length = static_cast<unsigned>(axis.layout.length);
      if constexpr (!OfColumns) return r * length;
      const unsigned matrix = r / columns;
      return matrix * columns * length + (r - matrix * columns);
    }
    WARPFOLD_DEVICE array_offsets<2> place_of_result(std::size_t i) const {
      if constexpr (OfColumns) return axis.layout.kept.place(i);
      return {{0, i * axis.layout.kept.dims[0].stride[axis_layout::out]}};
    }

    /// The fold of a lane's elements, from element `first` of the result at `begin` on.
    WARPFOLD_DEVICE accumulator fold_run(const collective::shared_bytes& tile, unsigned begin,
                                         unsigned first) const {
      const auto fold = axis.fold();
      const unsigned end = axis.layout.length - first < std::size_t{1} << run_log2
                               ? static_cast<unsigned>(axis.layout.length)
                               : first + (1u << run_log2);
      unsigned at = first, k = 0;
      const auto element = [&](unsigned i) {
        const unsigned at_byte = (begin + i * (OfColumns ? columns : 1)) * value_bytes;
        return tile.template load<value_type>(
            0, at_byte + padding_before(at_byte / word_size) * word_size, call_site::here());
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
    const auto& along = l.kept.dims[0];
    constexpr std::size_t bytes = sizeof(typename AxisReduction::value_type);
    if (!warpfold::detail::at_word(axis.in) || results_of_tile(axis) == 0) return false;
    if (l.step == 1) {
      return l.kept.count == 1 &&
             l.length * bytes <= longest_row<typename AxisReduction::value_type> &&
             l.length * bytes % word_bytes != 0 &&
             (l.outputs == 1 || along.stride[l.in] == l.length);
    }
    return l.kept.count == 2 && along.stride[l.in] == 1 && l.step == along.extent &&
           l.kept.dims[1].stride[l.in] == l.length * l.step &&
           l.length * l.step * bytes <= largest_matrix && along.extent * bytes % word_bytes != 0;
  }

  template <class AxisReduction, class Launcher>
  void enqueue(const AxisReduction& axis, Launcher& launcher) const {
    if (columns_of(axis) == 1) {
      launch<false>(axis, launcher);
    } else {
      launch<true>(axis, launcher);
    }
  }

 private:
  // Bytes. The columns of larger ones are faster from memory: 20000 x 60 x 33, H200, 77 and 67 us.
  static constexpr std::size_t largest_matrix = 256;

  template <class AxisReduction>
  static std::size_t columns_of(const AxisReduction& axis) {
    return axis.layout.length < 2 ? 1 : axis.layout.step;
  }
  /// Tiles start at words and have whole rows or matrices.
  template <class AxisReduction>
  static std::size_t results_of_tile(const AxisReduction& axis) {
    const std::size_t columns = columns_of(axis);
    const std::size_t bytes =
        axis.layout.length * columns * sizeof(typename AxisReduction::value_type);
    if (bytes == 0) return 0;
    const std::size_t least = word_bytes / warpfold::detail::gcd(bytes, word_bytes);
    return tile_bytes / bytes / least * least * columns;
  }

  template <bool OfColumns, class AxisReduction, class Launcher>
  static void launch(const AxisReduction& axis, Launcher& launcher) {
    const std::size_t results = results_of_tile(axis);
    unsigned lanes_log2 = 0, run_log2 = 0;
    while (lanes_log2 < 5 && (results << (lanes_log2 + 1)) <= block) ++lanes_log2;
    while (axis.layout.length > std::size_t{1} << (lanes_log2 + run_log2)) ++run_log2;
    const caching cache = tuning::row_for(axis.bytes(), launcher.gpu()).cache;
    body<AxisReduction, OfColumns> own{axis,
                                       static_cast<unsigned>(results),
                                       static_cast<unsigned>(columns_of(axis)),
                                       lanes_log2,
                                       run_log2,
                                       0,
                                       cache};
    const std::size_t run_bytes =
        (columns_of(axis) << run_log2) * sizeof(typename AxisReduction::value_type);
    if (OfColumns && run_bytes >= least_padded && run_bytes % word_bytes == 0) {
      // Rounded up: exact for all words of 64 KB.
      own.run_words_inverse = static_cast<unsigned>(0xffffffffu / (run_bytes / word_bytes)) + 1;
    }
    launcher.launch(name(), own,
                    {grid_of((axis.layout.outputs + results - 1) / results), block,
                     OfColumns ? most_bytes : tile_bytes});
  }
};

}  // namespace warpfold::kernel
