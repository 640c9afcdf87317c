/// @file
/// The end of the path: where a kernel leaves its result.
#pragma once

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/memory_order.hpp>

namespace warpfold::collective {

/// `*out`, and, if `flag` is set, word to a host that waits.
template <class Out>
struct result_sink {
  Out* out;
  unsigned* flag;   ///< in pinned memory, or null
  unsigned signal;  ///< what to write there

  /// Called by one thread of the launch, last.
  template <class Result>
  WARPFOLD_DEVICE void deliver(const Result& result) const {
    global_array<Out>{out, 1}.store(0, static_cast<Out>(result));
    if (flag != nullptr) signal_host(flag, signal);
  }
};

}  // namespace warpfold::collective
