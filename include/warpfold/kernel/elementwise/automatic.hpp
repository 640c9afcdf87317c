/// @file
/// The library's choice of kernel for transformations, from the views.
#pragma once

#include <warpfold/kernel/elementwise/elementwise.hpp>
#include <warpfold/kernel/elementwise/staged.hpp>

namespace warpfold::kernel {

/// Chooses copies through shared memory if `wf::staged` requests them on either side, otherwise
/// chunks in registers.
struct automatic_elementwise {
  /// Launches once; not at all if there is nothing to do.
  template <class Transformation, class Launcher>
  void enqueue(const Transformation& t, Launcher& launcher) const {
    if constexpr (warpfold::detail::prefers_staging<typename Transformation::in_view>() ||
                  warpfold::detail::prefers_staging<typename Transformation::out_view>()) {
      staged_elementwise<>{}.enqueue(t, launcher);
    } else {
      elementwise<>{}.enqueue(t, launcher);
    }
  }
};

}  // namespace warpfold::kernel
