/// @file
/// Folds rows of whole 16-byte words that are too short for a block: a few lanes per row.
///
/// - Idea: a group of 1 to 32 lanes takes eight rows at once, with one word of each in flight per
///   lane; for longer rows fewer rows and more words. Then the group combines its states by
///   shuffles. A block reads neighboring rows at the same time, so the loads of a warp are
///   contiguous for short rows too.
/// - Order: fixed by the length of the rows.
/// - Cost: one launch; every byte is read once, in whole sectors. No shared memory, no barriers.
/// - Needs: rows with one stride, each aligned to 16 bytes, with a multiple of 16 bytes.
#pragma once

#include <cstddef>

#include <warpfold/collective/axis_loads.hpp>
#include <warpfold/collective/warp_reduce.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/work/axis_reduction.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct axis_rows {
  static constexpr const char* name() { return "axis_rows"; }

  static constexpr unsigned block = 256;

  /// Words that a lane has in flight.
  template <class AxisReduction>
  static constexpr unsigned loads_in_flight = sizeof(typename AxisReduction::state) <= 32   ? 8
                                              : sizeof(typename AxisReduction::state) <= 64 ? 4
                                                                                            : 1;

  /// The code that runs on the GPU.
  /// @tparam Across true if a lane's loads in flight are all in one row, false if each is in a
  ///     different row
  template <class AxisReduction, bool Across>
  struct body {
    using value_type = typename AxisReduction::value_type;
    using state = typename AxisReduction::state;

    static constexpr int max_block = block;
    static constexpr int size = collective::elements_of_word<value_type>;
    static constexpr int elements_a_load = size;  // for explain_axis
    static constexpr unsigned unroll = loads_in_flight<AxisReduction>;
    static constexpr unsigned rows_at_once = Across ? 1 : unroll;
    static constexpr unsigned words_at_once = Across ? unroll : 1;

    AxisReduction axis;
    unsigned lanes_log2;  ///< log2 of the lanes per group
    unsigned words;       ///< words per row
    caching cache;

    WARPFOLD_HD const AxisReduction& work() const { return axis; }
    WARPFOLD_DEVICE void operator()() const {
      const unsigned groups = blockDim.x >> lanes_log2;
      const unsigned rows = groups * rows_at_once;
      const std::size_t first = std::size_t{blockIdx.x} * rows;
      const std::size_t left = axis.layout.outputs - first;
      if (left >= rows) {
        run<true>(first, groups, rows);
      } else {
        run<false>(first, groups, static_cast<unsigned>(left));
      }
    }

   private:
    // The row of a lane's load `u`, counted in groups, and its word in the row, counted in lanes.
    static WARPFOLD_HD constexpr unsigned row_of(unsigned u) { return Across ? 0 : u; }
    static WARPFOLD_HD constexpr unsigned word_of(unsigned u) { return Across ? u : 0; }

    /// Folds `here` rows, starting at row `first`.
    template <bool Whole>
    WARPFOLD_DEVICE void run(std::size_t first, unsigned groups, unsigned here) const {
      const auto fold = axis.fold();
      const global_loads loads(cache);
      const auto& row = axis.layout.kept.dims[0];
      const unsigned lanes = 1u << lanes_log2;
      const unsigned lane = threadIdx.x & (lanes - 1);
      const unsigned group = threadIdx.x >> lanes_log2;
      const value_type* const data = axis.in + first * row.stride[axis_layout::in];
      const value_type* const own = data + group * row.stride[axis_layout::in];
      const std::size_t step = groups * row.stride[axis_layout::in];

      chunk<state, int{unroll}> seen;
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < unroll; ++u) {
        ::new (static_cast<void*>(&seen.elements[u])) state(fold.start());
      }
      WARPFOLD_NO_UNROLL
      for (unsigned next = lane; next < words; next += lanes * words_at_once) {
        chunk<value_type, size> loaded[unroll];
        WARPFOLD_UNROLL
        for (unsigned u = 0; u < unroll; ++u) {
          // Missing words and rows load the last one again.
          const unsigned w = next + word_of(u) * lanes;
          const std::size_t at = std::size_t{!Across || w < words ? w : words - 1} * size;
          if constexpr (Whole) {
            collective::load_axis_chunk<true>(loaded[u], own + row_of(u) * step + at, loads);
          } else {
            const unsigned r = row_of(u) * groups + group;
            collective::load_axis_chunk<true>(
                loaded[u], data + (r < here ? r : here - 1) * row.stride[axis_layout::in] + at,
                loads);
          }
        }
        WARPFOLD_UNROLL
        for (unsigned u = 0; u < unroll; ++u) {
          const unsigned w = next + word_of(u) * lanes;
          const state more = fold.combine(
              seen.elements[u],
              fold.state_of(collective::fold_axis_word(axis, loaded[u], std::size_t{w} * size)));
          if (!Across || w < words) seen.elements[u] = more;
        }
      }
      if constexpr (Across) {
        ::new (static_cast<void*>(&seen.elements[0])) state(
            fold_tree<0, unroll>([&](const state& a, const state& b) { return fold.combine(a, b); },
                                 [&](int u) { return seen.elements[u]; }));
      }
      const global_access stores;
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < rows_at_once; ++u) {
        seen.elements[u] = collective::reduce_lanes(fold, seen.elements[u], lanes);
      }
      if (lane != 0) return;
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < rows_at_once; ++u) {
        const unsigned r = u * groups + group;
        if (Whole || r < here) {
          auto* const to = axis.out + (first + r) * row.stride[axis_layout::out];
          stores.store(to, axis.result_of(seen.elements[u], to));
        }
      }
    }
  };

  /// log2 of the lanes for rows of `words` words: the most lanes that leave less than a third idle.
  static constexpr unsigned lanes_log2(std::size_t words) {
    for (unsigned log2 = 5; log2 > 0; --log2) {
      const std::size_t lanes = std::size_t{1} << log2;
      const std::size_t rounds = (words + lanes - 1) / lanes;
      if (lanes < 2 * words && words * 10 >= rounds * lanes * 7) return log2;
    }
    return 0;
  }

  /// True if each group takes rows of `words` words one at a time, which is contiguous memory.
  template <class AxisReduction>
  static constexpr bool across(std::size_t words) {
    return words >= (std::size_t{loads_in_flight<AxisReduction>} << lanes_log2(words));
  }

  /// The number of blocks for `rows` rows of `words` words.
  template <class AxisReduction>
  static std::size_t blocks(std::size_t rows, std::size_t words) {
    const std::size_t of_block =
        std::size_t{block >> lanes_log2(words)} *
        (across<AxisReduction>(words) ? 1 : loads_in_flight<AxisReduction>);
    return (rows + of_block - 1) / of_block;
  }

  /// Launches once.
  template <class AxisReduction, class Launcher>
  void enqueue(const AxisReduction& axis, Launcher& launcher) const {
    const std::size_t words =
        axis.layout.length / collective::elements_of_word<typename AxisReduction::value_type>;
    if (across<AxisReduction>(words)) {
      enqueue_as<true>(axis, words, launcher);
    } else {
      enqueue_as<false>(axis, words, launcher);
    }
  }

 private:
  template <bool Across, class AxisReduction, class Launcher>
  static void enqueue_as(const AxisReduction& axis, std::size_t words, Launcher& launcher) {
    const caching cache = tuning::row_for(axis.bytes(), launcher.gpu()).cache;
    launcher.launch(
        name(),
        body<AxisReduction, Across>{axis, lanes_log2(words), static_cast<unsigned>(words), cache},
        {grid_of(blocks<AxisReduction>(axis.layout.outputs, words)), block});
  }
};

}  // namespace warpfold::kernel
