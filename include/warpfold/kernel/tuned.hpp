/// @file
/// The library's choice of kernel, with launch shapes from a caller's table.
#pragma once

#include <warpfold/kernel/automatic.hpp>
#include <warpfold/kernel/tuning.hpp>

namespace warpfold::kernel {

/// Chooses as kernel::automatic does, and launches as `table` says: the kernel of
/// `wf::device.with(table)`.
struct tuned {
  static constexpr const char* name() { return "tuned"; }
  static constexpr bool in_declared_order = true;
  static constexpr bool reads_size = true;
  static constexpr bool takes_tables = true;
  static constexpr bool is_listed = false;  // it only chooses another kernel

  tuning table;

  static constexpr tuning_source table_source(const device_info&) { return tuning_source::given; }

  /// Launches once.
  /// @throws invalid_tuning if the table is for another GPU, or invalid
  template <class Out>
  void enqueue(const auto& r, const collective::result_sink<Out>& sink, auto& launcher) const {
    table.check_for(launcher.gpu());
    automatic::enqueue_as(table.row_of(loaded_bytes(r.view)), r, sink, launcher);
  }
};

static_assert(reduction_kernel<tuned>);

}  // namespace warpfold::kernel
