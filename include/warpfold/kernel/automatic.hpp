/// @file
/// The library's choice of kernel, from the size, the type and the GPU.
#pragma once

#include <warpfold/config.hpp>

#if defined(__CUDACC__)
#include <warpfold/kernel/single_block.hpp>
#include <warpfold/kernel/single_pass.hpp>
#endif

namespace warpfold::kernel {

/// Chooses: one block for what it can hold, else a single pass of many.
struct automatic {
  static constexpr const char* name() { return "automatic"; }

#if defined(__CUDACC__)
  /// Enqueues the reduction; returns what was launched.
  template <class Reduction, class Out>
  runtime::launched enqueue(const Reduction& r, const collective::result_sink<Out>& sink,
                            const collective::grid_storage& scratch, cudaStream_t stream) const {
    return single_block::fits(r) ? single_block{}.enqueue(r, sink, scratch, stream)
                                 : single_pass<>{}.enqueue(r, sink, scratch, stream);
  }

  /// Fills in a plan.
  template <class Reduction, class Plan>
  void describe(const Reduction& r, Plan& plan) const {
    single_block::fits(r) ? single_block{}.describe(r, plan) : single_pass<>{}.describe(r, plan);
  }
#endif
};

}  // namespace warpfold::kernel
