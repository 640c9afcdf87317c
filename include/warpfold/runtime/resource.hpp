/// @file
/// Memory from the user's allocator: any stream-ordered `cuda::mr` resource, including those of
/// RMM.
#pragma once

#include <cstddef>

#include <warpfold/runtime/stream.hpp>

namespace warpfold::runtime {

// The two spellings of stream-ordered allocation in CCCL and RMM.
template <class R>
concept allocates_on_stream = requires(R& r, stream_handle s, void* p, std::size_t n) {
  p = r.allocate(s, n, n);
  r.deallocate(s, p, n, n);
};
template <class R>
concept allocates_async = requires(R& r, stream_handle s, void* p, std::size_t n) {
  p = r.allocate_async(n, n, s);
  r.deallocate_async(p, n, n, s);
};

/// A stream-ordered memory resource of device memory.
template <class R>
concept memory_resource = allocates_on_stream<R> || allocates_async<R>;

/// Refers to a memory resource of any type, which must outlive it; empty by default.
class resource_ref {
 public:
  constexpr resource_ref() = default;

  template <memory_resource R>
  explicit resource_ref(R& r)
      : object_(&r),
        allocate_([](void* object, std::size_t bytes, stream_handle s) -> void* {
          if constexpr (allocates_on_stream<R>) {
            return static_cast<R*>(object)->allocate(s, bytes, alignment);
          } else {
            return static_cast<R*>(object)->allocate_async(bytes, alignment, s);
          }
        }),
        deallocate_([](void* object, void* p, std::size_t bytes, stream_handle s) {
          if constexpr (allocates_on_stream<R>) {
            static_cast<R*>(object)->deallocate(s, p, bytes, alignment);
          } else {
            static_cast<R*>(object)->deallocate_async(p, bytes, alignment, s);
          }
        }) {}

  explicit operator bool() const { return object_ != nullptr; }

  void* allocate(std::size_t bytes, stream_handle s) const { return allocate_(object_, bytes, s); }
  void deallocate(void* p, std::size_t bytes, stream_handle s) const {
    deallocate_(object_, p, bytes, s);
  }

 private:
  static constexpr std::size_t alignment = 256;

  void* object_ = nullptr;
  void* (*allocate_)(void*, std::size_t, stream_handle) = nullptr;
  void (*deallocate_)(void*, void*, std::size_t, stream_handle) = nullptr;
};

}  // namespace warpfold::runtime
