/// @file
/// The library's choice of kernel for folds of expressions of several arrays, along several axes or
/// into several outputs.
#pragma once

#include <warpfold/kernel/axis/expression_columns.hpp>
#include <warpfold/kernel/axis/expression_rows.hpp>

namespace warpfold::kernel {

/// Chooses the kernel for rows if neighboring elements in memory belong to one result, otherwise
/// the one for columns.
struct automatic_expression {
  /// Launches once or twice; not at all if there is nothing to do.
  template <class Reduction, class Launcher>
  void enqueue(const Reduction& r, Launcher& launcher) const {
    if (r.layout.outputs == 0) return;
    if (r.layout.by_rows && r.layout.length > 1) return expression_rows{}.enqueue(r, launcher);
    expression_columns{}.enqueue(r, launcher);
  }
};

}  // namespace warpfold::kernel
