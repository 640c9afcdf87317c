/// @file
/// The library's choice of kernel for segments.
#pragma once

#include <warpfold/kernel/segments/balanced.hpp>
#include <warpfold/kernel/segments/warps.hpp>

namespace warpfold::kernel {

/// Chooses the kernel: segments that follow one another are shared evenly by all threads, others
/// get a warp each.
struct automatic_segments {
  /// True once these kernels have run on a GPU: `wf::device` then takes segments.
  static constexpr bool have_run_on_gpu = false;

  /// Launches once; not at all if there is nothing to do.
  template <class Work, class Launcher>
  void enqueue(const Work& work, Launcher& launcher) const {
    if constexpr (Work::segments_type::are_adjacent) {
      balanced_segments{}.enqueue(work, launcher);
    } else {
      segment_warps{}.enqueue(work, launcher);
    }
  }
};

}  // namespace warpfold::kernel
