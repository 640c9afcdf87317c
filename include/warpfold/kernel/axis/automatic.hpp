/// @file
/// The library's choice of kernel for folds along axes, from the shapes, the alignment and the GPU.
#pragma once

#include <warpfold/kernel/axis/columns.hpp>
#include <warpfold/kernel/axis/in_order/columns.hpp>
#include <warpfold/kernel/axis/in_order/few_rows.hpp>
#include <warpfold/kernel/axis/in_order/long_rows.hpp>
#include <warpfold/kernel/axis/in_order/row_tiles.hpp>
#include <warpfold/kernel/axis/in_order/rows.hpp>
#include <warpfold/kernel/axis/loads.hpp>
#include <warpfold/kernel/axis/row_blocks.hpp>
#include <warpfold/kernel/axis/row_tiles.hpp>
#include <warpfold/kernel/axis/rows.hpp>
#include <warpfold/kernel/tried_groups.hpp>

namespace warpfold::kernel {

/// Chooses the kernel. Results that depend on the order have the bits of the declared one
/// (op/fold_order.hpp), by the kernels of in_order/. Axes whose elements are not neighbors in
/// memory use a kernel for columns: of few rows, of small matrices, or of others. Short rows of one
/// array that are not whole words go through shared memory; other short rows, or those whose warps
/// fill the GPU, take a warp or less each; the rest take blocks.
///
/// Two sets of kernels, because the order has a price that nobody sees in the results of the other
/// set: sums of chars take up to 3.9 times as long in order on an H100, and argmax up to 2.6 times.
struct automatic_axis {
  /// Launches once or twice; not at all if there is nothing to do.
  template <class Work, class Launcher>
  void enqueue(const Work& axis, Launcher& launcher) const {
    if (axis.layout.outputs == 0) return;
    if constexpr (!same_in_any_order<typename Work::op_type, typename Work::accumulator>) {
      enqueue_in_order(axis, launcher);
    } else if constexpr (Work::is_one_line) {
      enqueue_array(axis, launcher);
    } else {
      enqueue_expression(axis, launcher);
    }
  }

 private:
  template <class Work, class Launcher>
  static void enqueue_in_order(const Work& axis, Launcher& launcher) {
    if constexpr (Work::is_one_line) {
      if (ordered_row_tiles::suit(axis)) return ordered_row_tiles{}.enqueue(axis, launcher);
    }
    if (!axis.by_rows() || axis.layout.length < 2) {
      if (ordered_few_rows::suit(axis)) return ordered_few_rows{}.enqueue(axis, launcher);
      return ordered_columns{}.enqueue(axis, launcher);
    }
    with_ordered_chunks(axis, [&]<class Size>(Size, const auto&, const row_chunks& row) {
      const auto enough = 4 * static_cast<std::size_t>(launcher.gpu().multiprocessors);
      const bool are_few = row.count > collective::warp_size && axis.layout.outputs < enough;
      if (row.count <= ordered_rows::most_chunks<Work, Size::value> && !are_few) {
        ordered_rows{}.enqueue(axis, launcher);
      } else {
        ordered_long_rows{}.enqueue(axis, launcher);
      }
    });
  }

  template <class Work, class Launcher>
  static void enqueue_array(const Work& axis, Launcher& launcher) {
    using value_type = typename Work::value_type;
    constexpr int size = collective::elements_of_word<value_type>;
    const axis_layout& l = axis.layout;
    if (l.step != 1 || l.length < 2) return axis_columns{}.enqueue(axis, launcher);

    const std::size_t pitch = l.kept.dims[0].stride[l.in];
    const std::size_t words = l.length / size;
    const bool aligned = l.kept.count == 1 && warpfold::detail::at_word(axis.in);
    if constexpr (collective::fills_words<value_type>) {
      const bool whole = aligned && (l.outputs == 1 || pitch % size == 0) && l.length % size == 0;
      if (whole && words <= 1024) {
        const auto multiprocessors = static_cast<std::size_t>(launcher.gpu().multiprocessors);
        const bool fills = axis_rows::blocks<Work, size>(l.outputs, words) >= 2 * multiprocessors;
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

  template <class Work, class Launcher>
  static void enqueue_expression(const Work& axis, Launcher& launcher) {
    if (!axis.layout.by_rows || axis.layout.length < 2) {
      return axis_columns{}.enqueue(axis, launcher);
    }
    with_row_chunks(axis, [&]<class Size>(Size, const auto&) {
      constexpr std::size_t unroll = axis_rows::body<Work, Size::value, true>::unroll;
      const auto& folded = axis.layout.folded;
      const std::size_t chunks = folded.dims[0].extent / Size::value * folded.size(1);
      const auto multiprocessors = static_cast<std::size_t>(launcher.gpu().multiprocessors);
      const bool fills = axis.layout.outputs >= multiprocessors * 32;
      // A lane of axis_rows counts chunks in 32 bits.
      if (chunks < 64 * unroll || (fills && chunks >> 31 == 0)) {
        axis_rows{}.enqueue(axis, launcher);
      } else {
        axis_row_blocks{}.enqueue(axis, launcher);
      }
    });
  }
};

}  // namespace warpfold::kernel
