/// @file
/// Chooses the kernel of classes: counts for the numbers of labels, tables or buckets for all other
/// folds.
///
/// - Tables read the data once for each range of classes that fits a block.
/// - Buckets move about 2.5 times the data, with any number of classes, and need scratch for a copy
///   of the values. They run if tables would read the data more than once.
/// - Buckets also run for many values of 3072 classes or more. There the lanes of a warp rarely
///   have a label in common, and tables spend most of the time on comparing labels. 2^24 floats,
///   H200, tables and buckets: 2048 classes 160 and 175 us, 4096 classes 233 and 180 us.
/// - Counted labels: tables only, because the host divides the range into buckets.
#pragma once

#include <cstddef>

#include <warpfold/kernel/classes/buckets.hpp>
#include <warpfold/kernel/classes/counts.hpp>
#include <warpfold/kernel/classes/tables.hpp>
#include <warpfold/kernel/tried_groups.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct automatic_classes {
  /// The numbers of values and of classes from which on buckets are faster than tables that read
  /// the data once.
  static constexpr std::size_t many_values = std::size_t{1} << 20;
  static constexpr std::size_t many_classes = 3072;

  /// @throws unsupported_kernel as class_counts and class_tables
  template <class Work, class Launcher>
  void enqueue(const Work& work, Launcher& launcher) const {
    if constexpr (Work::is_count) {
      class_counts{}.enqueue(work, launcher);
    } else if constexpr (Work::has_size_in_memory) {
      class_tables{}.enqueue(work, launcher);  // the division into buckets needs the number
    } else if (takes_buckets(work, launcher.gpu())) {
      class_buckets{}.enqueue(work, launcher);
    } else {
      class_tables{}.enqueue(work, launcher);
    }
  }

 private:
  template <class Work>
  static bool takes_buckets(const Work& work, const device_info& gpu) {
    const bool are_many = work.size() >= many_values && work.classes >= many_classes;
    return (are_many || class_tables::reads_of(work, gpu) != 1) &&
           class_buckets::has_room(work, gpu);
  }
};

}  // namespace warpfold::kernel
