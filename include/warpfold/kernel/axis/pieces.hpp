/// @file
/// The second launch of a split fold along an axis: combines the states of each result's pieces.
///
/// The states form a matrix, one row per piece and one column per result. A block takes eight
/// neighboring columns, 32 bytes of floats per row; its threads walk down the rows.
#pragma once

#include <cstddef>

#include <warpfold/collective/column_reduce.hpp>
#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/axis/loads.hpp>
#include <warpfold/op/fold_tree.hpp>
#include <warpfold/view/chunk.hpp>
#include <warpfold/view/global_access.hpp>
#include <warpfold/work/axis_reduction.hpp>

namespace warpfold::kernel {

/// Folds the rows of a matrix of states; see the top of this file.
struct axis_pieces {
  static constexpr const char* name() { return "axis_pieces"; }

  template <class AxisReduction>
  struct body {
    using state = typename AxisReduction::state;

    static constexpr bool waits_for_launch_before = true;
    static constexpr unsigned width = 8;
    static constexpr int max_block = sizeof(state) <= 16    ? 1024
                                     : sizeof(state) <= 64  ? 512
                                     : sizeof(state) <= 256 ? 128
                                                            : 32;
    static constexpr int unroll = sizeof(state) <= 8 ? 8 : sizeof(state) <= 32 ? 4 : 1;

    AxisReduction axis;
    collective::global_array<state> states;
    std::size_t pieces;

    WARPFOLD_HD const AxisReduction& work() const { return axis; }
    WARPFOLD_DEVICE void operator()() const {
      WARPFOLD_SHARED collective::shared_array<state, unsigned{max_block / 2}> storage;
      const auto fold = axis.fold();
      const std::size_t outputs = axis.layout.outputs;
      const unsigned x = threadIdx.x % width, y = threadIdx.x / width;
      const unsigned height = blockDim.x / width;
      const std::size_t output = std::size_t{blockIdx.x} * width + x;
      const bool active = output < results_of(axis);
      collective::wait_for_launch_before();

      state seen = fold.start();
      if (active) {
        WARPFOLD_NO_UNROLL
        for (std::size_t row = y; row < pieces; row += unroll * height) {
          // Missing rows load the first one again, and the result is discarded.
          const auto inside = [&](int u) {
            return row + static_cast<unsigned>(u) * height < pieces;
          };
          chunk<state, unroll> loaded;
          WARPFOLD_UNROLL
          for (int u = 0; u < unroll; ++u) {
            const std::size_t own = inside(u) ? row + static_cast<unsigned>(u) * height : row;
            loaded.set(u, states.load(own * outputs + output));
          }
          seen = fold.combine(
              seen,
              fold_tree<0, unroll>(
                  [&](const state& a, const state& b) { return fold.combine(a, b); },
                  [&](int u) -> state { return inside(u) ? loaded.elements[u] : fold.start(); }));
        }
      }
      collective::column_reduce<1>(fold, &seen, storage, y, height, true,
                                   [&](unsigned i) { return i * width + x; });
      if (y == 0 && active) {
        const global_access stores;
        const auto at = axis.layout.kept.place(output);
        axis.write(at.of, fold.value(seen), stores);
      }
    }
  };

  /// @param states row-major, `pieces` rows
  template <class AxisReduction, class Launcher>
  void enqueue(const AxisReduction& axis,
               const collective::global_array<typename AxisReduction::state>& states,
               std::size_t pieces, Launcher& launcher) const {
    using body_type = body<AxisReduction>;
    unsigned block = 32;
    while (block < body_type::max_block && block / body_type::width * 4 < pieces) block *= 2;
    const std::size_t blocks = (axis.layout.outputs + body_type::width - 1) / body_type::width;
    launcher.launch(name(), body_type{axis, states, pieces}, {grid_of(blocks), block});
  }
};

}  // namespace warpfold::kernel
