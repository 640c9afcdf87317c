/// @file
/// The interface between an emulated thread and the block that runs it. The names of CUDA C++
/// (names.hpp) and the library's memory accesses use it. Outside the emulation there is no thread,
/// and loads of views are plain; the arrays of collective/ are for kernels only.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/core/config.hpp>
#include <warpfold/core/site.hpp>

namespace warpfold::emulation {

/// The kind of a memory access. `load_of_range` is a load by a view, whose range may hide its
/// memory.
enum class access { load, store, atomic, load_of_range };

/// An array in a block's shared memory.
struct shared_place {
  const void* array;          ///< first byte
  std::size_t size;           ///< number of elements
  std::size_t element_bytes;  ///< bytes per element
  std::size_t alignment;      ///< of an element: no instruction is wider
};

/// The services of a running block to its running thread. Each throws `emulation_error` for an
/// error at `at`.
class thread {
 public:
  virtual void sync_block(site at) = 0;
  /// Like `sync_block`; returns true if `value` is true in every thread.
  virtual bool sync_block_and(bool value, site at) = 0;
  virtual void sync_warp(unsigned mask, site at) = 0;
  /// Passes `value` to the warp and returns that of lane `source`. All lanes must use the same
  /// `form`.
  virtual std::uint64_t shuffle(unsigned mask, std::uint64_t value, unsigned source, unsigned form,
                                site at) = 0;
  /// A bit for each lane of `mask` whose `value` is true.
  virtual unsigned vote(unsigned mask, bool value, site at) = 0;
  /// The result of redux.sync for `value` over the lanes of `mask`: '+' the sum, which wraps, '<'
  /// the least, '>' the greatest.
  virtual unsigned reduce(unsigned mask, unsigned value, char form, site at) = 0;

  virtual void touch_global(const void* p, std::size_t bytes, access what, std::size_t alignment,
                            site at) = 0;
  /// Reports that element `i` is beyond the end of an array of `size` elements in global memory.
  virtual void leave_array(std::size_t i, std::size_t size, access what, site at) = 0;
  /// An asynchronous copy from global to shared memory.
  virtual void touch_copy(const void* from, std::size_t bytes, const shared_place& to,
                          std::size_t i, site at) = 0;
  /// `count` elements, starting at index `i`, in one instruction.
  virtual void touch_shared(const shared_place& place, std::size_t i, std::size_t count,
                            access what, site at) = 0;
  /// Reports a misaligned access to `bytes` of shared memory at byte `i`.
  virtual void misalign_shared(std::size_t bytes, std::size_t i, site at) = 0;
  /// Called repeatedly by a thread that waits for another block: throws if the launch has failed.
  virtual void keep_waiting() = 0;
  /// The launch's dynamic shared memory, at least `bytes` bytes.
  virtual void* dynamic_shared(std::size_t bytes, site at) = 0;

 protected:
  ~thread() = default;
};

/// The running thread of this host thread; null outside the emulation.
inline constinit thread_local thread* current_thread = nullptr;

}  // namespace warpfold::emulation
