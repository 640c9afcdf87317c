/// @file
/// Tells AddressSanitizer when a fiber's stack is entered and left. Without the sanitizer this does
/// nothing.
///
/// The sanitizer marks the bytes between a frame's variables. It clears the marks when the function
/// returns, or when it throws on a stack whose bounds are known. By itself it knows only the stacks
/// of host threads. Marks would remain on a fiber's stack and later be reported as an overflow.
#pragma once

#if !defined(__CUDACC__)

#include <cstddef>

#include <warpfold/core/config.hpp>

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

/// The stack of a fiber, or of the host thread that runs fibers.
class annotated_stack {
 public:
  /// Call for a fiber before it is entered. A host thread's bounds become known when it enters a
  /// fiber.
  void set_bounds(const void* bottom, std::size_t size) {
    bottom_ = bottom;
    size_ = size;
  }

  /// Call right before a switch from this stack to `other`.
  void leave_for([[maybe_unused]] const annotated_stack& other) {
#if defined(WARPFOLD_ADDRESS_SANITIZER)
    __sanitizer_start_switch_fiber(&fake_stack_, other.bottom_, other.size_);
#endif
  }

  /// Call right after a switch to this stack from `other`.
  void enter_from([[maybe_unused]] annotated_stack& other) {
#if defined(WARPFOLD_ADDRESS_SANITIZER)
    __sanitizer_finish_switch_fiber(fake_stack_, &other.bottom_, &other.size_);
    fake_stack_ = nullptr;
#endif
  }

  /// Call right before the last switch from this stack, which goes to `other`.
#if defined(WARPFOLD_ADDRESS_SANITIZER)
  __attribute__((noinline))  // so its frame is below all frames that stay on the stack
#endif
  void
  end_for(const annotated_stack& other) {
#if defined(WARPFOLD_ADDRESS_SANITIZER)
    last_frame_ = static_cast<const std::byte*>(__builtin_frame_address(0));
#endif
    leave_for(other);
  }

  /// Call on this stack when `ended` will not be entered again. Its memory may then become another
  /// stack.
  void forget([[maybe_unused]] annotated_stack& ended) {
#if defined(WARPFOLD_ADDRESS_SANITIZER)
    // Clears the marks of the functions that the fiber began with, which never returned.
    const auto* const top = static_cast<const std::byte*>(ended.bottom_) + ended.size_;
    __asan_unpoison_memory_region(ended.last_frame_,
                                  static_cast<std::size_t>(top - ended.last_frame_));
    // A final switch frees the fake stack. The fiber's first functions used it until the end, so
    // the switch is announced from here.
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
