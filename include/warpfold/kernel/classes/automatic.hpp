/// @file
/// Chooses the kernel of classes: counts for the numbers of labels, tables for all other folds.
#pragma once

#include <warpfold/kernel/classes/counts.hpp>
#include <warpfold/kernel/classes/tables.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct automatic_classes {
  /// @throws unsupported_kernel as class_counts and class_tables
  template <class Work, class Launcher>
  void enqueue(const Work& work, Launcher& launcher) const {
    if constexpr (Work::is_count) {
      class_counts{}.enqueue(work, launcher);
    } else {
      class_tables{}.enqueue(work, launcher);
    }
  }
};

}  // namespace warpfold::kernel
