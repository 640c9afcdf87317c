/// @file
/// What the emulation throws when a kernel does what CUDA leaves undefined.
#pragma once

#include <warpfold/core/error.hpp>
#include <warpfold/core/site.hpp>

namespace warpfold {

/// An emulated kernel went wrong: a barrier that not all threads reach, a shuffle or vote with an inactive
/// lane in its mask, a race on shared memory, a read of shared memory never written, an access outside an
/// array or at an address that its width does not allow. The launch has ended, and the next one is sound.
///
/// It is stricter than the hardware in one thing: a thread that has returned does not count as having reached a
/// barrier. Barriers are told apart by file and line.
class emulation_error : public error {
 public:
  /// Numbers count from zero; those of grids and blocks with several dimensions with x fastest.
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
