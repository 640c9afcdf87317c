/// @file
/// The library's choice of kernel, from the size, the type and the GPU.
#pragma once

#include <warpfold/kernel/concept.hpp>
#include <warpfold/kernel/single_block.hpp>
#include <warpfold/kernel/single_pass.hpp>

namespace warpfold::kernel {

/// Chooses: one block for what it can hold, else a single pass of many.
struct automatic {
  static constexpr const char* name() { return "automatic"; }

  /// Launches once.
  template <class Reduction, class Out, class Launcher>
  void enqueue(const Reduction& r, const collective::result_sink<Out>& sink, Launcher& on) const {
    if (single_block::fits(r)) {
      single_block{}.enqueue(r, sink, on);
    } else {
      single_pass<>{}.enqueue(r, sink, on);
    }
  }
};

static_assert(reduction_kernel<automatic>);

}  // namespace warpfold::kernel
