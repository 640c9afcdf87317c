/// @file
/// The library's choice of kernel for folds along an axis, from the shape, the alignment and the
/// GPU.
#pragma once

#include <warpfold/kernel/axis/columns.hpp>
#include <warpfold/kernel/axis/row_blocks.hpp>
#include <warpfold/kernel/axis/row_tiles.hpp>
#include <warpfold/kernel/axis/rows.hpp>

namespace warpfold::kernel {

/// Chooses the kernel. For rows with contiguous elements:
/// - a few lanes per row, if rows are whole words and enough blocks fill the GPU, or rows are
///   shorter than a warp's words;
/// - through shared memory, for other short rows;
/// - one or several blocks per row otherwise.
///
/// All other axes use the kernel for columns. Expressions of several arrays have a choice of their
/// own: kernel/axis/automatic_expression.hpp.
struct automatic_axis {
  /// Launches once or twice; not at all if there is nothing to do.
  template <class AxisReduction, class Launcher>
  void enqueue(const AxisReduction& axis, Launcher& launcher) const {
    using value_type = typename AxisReduction::value_type;
    constexpr std::size_t size = collective::elements_of_word<value_type>;
    const axis_layout& l = axis.layout;
    if (l.outputs == 0) return;
    if (l.step != 1 || l.length < 2) return axis_columns{}.enqueue(axis, launcher);

    const std::size_t pitch = l.kept.dims[0].stride[l.in];
    const std::size_t words = l.length / size;
    const bool aligned = l.kept.count == 1 && warpfold::detail::at_word(axis.in);
    if constexpr (collective::fills_words<value_type>) {
      const bool whole = aligned && (l.outputs == 1 || pitch % size == 0) && l.length % size == 0;
      if (whole && words <= 1024) {
        const auto multiprocessors = static_cast<std::size_t>(launcher.gpu().multiprocessors);
        const bool fills =
            axis_rows::blocks<AxisReduction>(l.outputs, words) >= 2 * multiprocessors;
        if (words < 32 || fills) return axis_rows{}.enqueue(axis, launcher);
      }
    }
    const bool contiguous = aligned && (l.outputs == 1 || pitch == l.length);
    constexpr std::size_t short_row = 2048;  // bytes
    if (contiguous && l.length * sizeof(value_type) <= short_row &&
        axis_row_tiles::tile_rows(axis) != 0) {
      return axis_row_tiles{}.enqueue(axis, launcher);
    }
    if (words >= 32) return axis_row_blocks{}.enqueue(axis, launcher);
    axis_columns{}.enqueue(axis, launcher);
  }
};

}  // namespace warpfold::kernel
