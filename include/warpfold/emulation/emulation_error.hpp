/// @file
/// The exception for kernels that do what CUDA leaves undefined.
#pragma once

#include <warpfold/core/error.hpp>
#include <warpfold/core/site.hpp>

namespace warpfold {

/// An emulated kernel did something that CUDA leaves undefined:
///
/// - a barrier that not all threads reach;
/// - a shuffle or vote with an inactive lane in its mask;
/// - a race on shared memory, or a read of uninitialized shared memory;
/// - an access that is outside an array, or misaligned.
///
/// The launch has ended, and the next one is unaffected. In one respect the emulation is stricter
/// than the hardware: a thread that has returned does not count as having reached a barrier.
/// Barriers are distinguished by file and line.
class emulation_error : public error {
 public:
  /// Indices count from zero; in grids and blocks with several dimensions x is the fastest.
  emulation_error(const message& what, unsigned block, unsigned thread, site at)
      : error(what), block_(block), thread_(thread), at_(at) {}

  unsigned block() const noexcept { return block_; }
  unsigned thread() const noexcept { return thread_; }
  const char* file() const noexcept { return at_.file; }
  int line() const noexcept { return at_.line; }

 private:
  unsigned block_;
  unsigned thread_;
  site at_;
};

}  // namespace warpfold
