/// @file
/// What AddressSanitizer must know of a stack that is left and entered again. Without it, nothing.
///
/// The sanitizer marks the bytes between a frame's variables, and clears the marks when the function returns, or throws on a
/// stack whose bounds it knows. By itself it knows those of host threads alone, and marks that stay on a fiber's stack are later
/// taken for an overflow.
#pragma once

#if !defined(__CUDACC__)

#include <cstddef>

#include <warpfold/config.hpp>

#if defined(__SANITIZE_ADDRESS__)
#define WARPFOLD_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WARPFOLD_ADDRESS_SANITIZER
#endif
#endif

#if defined(WARPFOLD_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace warpfold::emulation {

/// A fiber's stack, or that of the host thread that runs fibers.
class annotated_stack {
 public:
  /// Of a fiber, before it is entered; a host thread's is known when a fiber is entered from it.
  void set_bounds(const void* bottom, std::size_t size) {
    bottom_ = bottom;
    size_ = size;
  }

  /// Right before a switch from this stack to `other`.
  void leave_for([[maybe_unused]] const annotated_stack& other) {
#if defined(WARPFOLD_ADDRESS_SANITIZER)
    __sanitizer_start_switch_fiber(&fake_stack_, other.bottom_, other.size_);
#endif
  }

  /// Right after a switch to this stack from `other`.
  void enter_from([[maybe_unused]] annotated_stack& other) {
#if defined(WARPFOLD_ADDRESS_SANITIZER)
    __sanitizer_finish_switch_fiber(fake_stack_, &other.bottom_, &other.size_);
    fake_stack_ = nullptr;
#endif
  }

  /// Right before the last switch from this stack, to `other`.
#if defined(WARPFOLD_ADDRESS_SANITIZER)
  __attribute__((noinline))  // its frame is below all that are left behind
#endif
  void
  end_for(const annotated_stack& other) {
#if defined(WARPFOLD_ADDRESS_SANITIZER)
    last_frame_ = static_cast<const std::byte*>(__builtin_frame_address(0));
#endif
    leave_for(other);
  }

  /// On this stack: `ended` will not be entered any more, and its memory may become another stack.
  void forget([[maybe_unused]] annotated_stack& ended) {
#if defined(WARPFOLD_ADDRESS_SANITIZER)
    // The functions that a fiber began with have not returned.
    const auto* const top = static_cast<const std::byte*>(ended.bottom_) + ended.size_;
    __asan_unpoison_memory_region(ended.last_frame_,
                                  static_cast<std::size_t>(top - ended.last_frame_));
    // What the sanitizer keeps of a stack elsewhere is freed by a switch that leaves it for good. Those functions used it still,
    // so that is done from here.
    if (ended.fake_stack_ == nullptr) return;
    leave_for(ended);
    ended.enter_from(*this);
    __sanitizer_start_switch_fiber(nullptr, bottom_, size_);
    enter_from(ended);
#endif
  }

 private:
  const void* bottom_ = nullptr;
  std::size_t size_ = 0;
  [[maybe_unused]] void* fake_stack_ = nullptr;
  [[maybe_unused]] const std::byte* last_frame_ = nullptr;
};

}  // namespace warpfold::emulation

#endif
