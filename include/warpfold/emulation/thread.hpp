/// @file
/// What an emulated thread can ask of the block that runs it. The names of CUDA C++ (names.hpp) and the
/// library's memory accesses end here. Outside the emulation there is no thread, and the loads of views are
/// plain; the arrays of collective/ are for kernels only.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/core/config.hpp>
#include <warpfold/core/site.hpp>

namespace warpfold::emulation {

/// What is done to memory. A load of the range is one that a view makes; it may hide its memory.
enum class access { load, store, atomic, load_of_range };

/// An array in a block's shared memory.
struct shared_place {
  const void* array;          ///< its first byte
  std::size_t size;           ///< in elements
  std::size_t element_bytes;  ///< of one
  std::size_t alignment;      ///< of one: no instruction is wider
};

/// The services of a running block to its thread whose turn it is. Each throws `emulation_error` for what
/// is wrong at `at`.
class thread {
 public:
  virtual void sync_block(site at) = 0;
  /// The same; returns whether `value` is true in every thread.
  virtual bool sync_block_and(bool value, site at) = 0;
  virtual void sync_warp(unsigned mask, site at) = 0;
  /// Leaves `value` for the warp and returns that of lane `source`. All lanes must come with one `form`.
  virtual std::uint64_t shuffle(unsigned mask, std::uint64_t value, unsigned source, unsigned form,
                                site at) = 0;
  /// The lanes of `mask` whose `value` is true, a bit each.
  virtual unsigned vote(unsigned mask, bool value, site at) = 0;
  /// What redux.sync makes of `value` over the lanes of `mask`: '+' the sum, which wraps, '<' the least, '>' the greatest.
  virtual unsigned reduce(unsigned mask, unsigned value, char form, site at) = 0;

  virtual void touch_global(const void* p, std::size_t bytes, access what, std::size_t alignment,
                            site at) = 0;
  /// Element `i` of an array in global memory that has `size`: only called where that is too few.
  virtual void leave_array(std::size_t i, std::size_t size, access what, site at) = 0;
  /// A copy that the memory system makes by itself, from global to shared memory.
  virtual void touch_copy(const void* from, std::size_t bytes, const shared_place& to,
                          std::size_t i, site at) = 0;
  /// `count` elements from number `i` on, in one instruction.
  virtual void touch_shared(const shared_place& place, std::size_t i, std::size_t count,
                            access what, site at) = 0;
  /// Reports a misaligned access to `bytes` of shared memory at byte `i`.
  virtual void misalign_shared(std::size_t bytes, std::size_t i, site at) = 0;
  /// Called over and over by a thread that waits for another block: throws if the launch has failed.
  virtual void keep_waiting() = 0;
  /// The launch's dynamic shared memory, at least `bytes` of it.
  virtual void* dynamic_shared(std::size_t bytes, site at) = 0;

 protected:
  ~thread() = default;
};

/// The thread that runs on this host thread now; null outside the emulation.
inline constinit thread_local thread* current_thread = nullptr;

}  // namespace warpfold::emulation
