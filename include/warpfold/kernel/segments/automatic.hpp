/// @file
/// The library's choice of kernel for segments.
#pragma once

#include <cstddef>

#include <warpfold/kernel/segments/balanced.hpp>
#include <warpfold/kernel/segments/strided.hpp>

namespace warpfold::kernel {

/// Chooses the kernel: all blocks have equal shares of many segments that follow one another, and
/// equal numbers of others.
struct automatic_segments {
  /// Up to so many steps (elements, and four for each segment), one block with most of them takes
  /// about as long as the search for equal shares.
  static constexpr std::size_t most_strided = std::size_t{1} << 19;

  /// Launches once; not at all if there is nothing to do.
  template <class Work, class Launcher>
  void enqueue(const Work& work, Launcher& launcher) const {
    if constexpr (Work::segments_type::are_adjacent) {
      if (balanced_segments::steps(work) > most_strided && balanced_segments::takes(work)) {
        balanced_segments{}.enqueue(work, launcher);
        return;
      }
    }
    strided_segments{}.enqueue(work, launcher);
  }
};

}  // namespace warpfold::kernel
