/// @file
/// The library's choice of kernel for transformations, from the views.
#pragma once

#include <warpfold/kernel/elementwise/elementwise.hpp>
#include <warpfold/kernel/elementwise/lines.hpp>
#include <warpfold/kernel/elementwise/staged.hpp>

namespace warpfold::kernel {

/// Chooses copies through shared memory if `wf::staged` requests them on either side, line by line
/// for expressions of arrays with long lines, otherwise chunks in registers.
struct automatic_elementwise {
  /// Launches once; not at all if there is nothing to do.
  template <class Transformation, class Launcher>
  void enqueue(const Transformation& t, Launcher& launcher) const {
    if constexpr (warpfold::detail::prefers_staging<typename Transformation::in_view>() ||
                  warpfold::detail::prefers_staging<typename Transformation::out_view>()) {
      staged_elementwise<>{}.enqueue(t, launcher);
    } else if constexpr (has_lines<typename Transformation::in_view> &&
                         has_lines<typename Transformation::out_view> &&
                         !Transformation::has_size_in_memory) {
      if (elementwise_lines::fits(t)) {
        elementwise_lines{}.enqueue(t, launcher);
      } else {
        elementwise<>{}.enqueue(t, launcher);
      }
    } else {
      elementwise<>{}.enqueue(t, launcher);
    }
  }

 private:
  template <class View>
  static constexpr bool has_lines = requires(const View& v) { v.line_size(); };
};

}  // namespace warpfold::kernel
