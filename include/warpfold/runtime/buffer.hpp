/// @file
/// `device_buffer`: an array on the GPU that owns its memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <warpfold/core/config.hpp>

#if defined(__CUDACC__)
#include <vector>

#include <warpfold/runtime/copy_to_device.hpp>
#include <warpfold/runtime/cuda_check.hpp>

namespace warpfold {

/// `size` elements of device memory, allocated by the constructor and freed by the destructor.
/// Movable, but not implicitly copyable. Elements are uninitialized unless copied from the host.
///
/// Copies run on the default stream and wait until they are done.
///
/// @tparam T a trivially copyable type
template <class T>
class device_buffer {
  static_assert(std::is_trivially_copyable_v<T>,
                "warpfold: elements on the GPU must be trivially copyable; use a type that is");

 public:
  using value_type = T;

  device_buffer() = default;

  /// Allocates uninitialized elements with one cudaMalloc.
  /// @param size in elements
  /// @throws no_device,out_of_memory if there is no GPU or no memory
  explicit device_buffer(std::size_t size) : size_(size) {
    if (size == 0) return;
    if (size > static_cast<std::size_t>(-1) / sizeof(T)) {
      throw_error<out_of_memory>(
          "warpfold: a device_buffer of ", size,
          " elements exceeds the address space; reduce the number of elements");
    }
    void* p = nullptr;
    runtime::check(cudaMalloc(&p, size * sizeof(T)), "cudaMalloc",
                   [&] { return message("for a device_buffer of ", size * sizeof(T), " bytes"); });
    data_ = static_cast<T*>(p);
  }

  /// Copies `size` elements from the host.
  device_buffer(const T* host, std::size_t size) : device_buffer(size) {
    if (size == 0) return;
    runtime::copy_to_device(data_, host, size * sizeof(T));
  }

  /// Copies a host container with `data()` and `size()`.
  template <class Container>
    requires requires(const Container& c) {
      { c.data() } -> std::convertible_to<const T*>;
      c.size();
    }
  explicit device_buffer(const Container& host) : device_buffer(host.data(), host.size()) {}

  device_buffer(device_buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  device_buffer& operator=(device_buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  device_buffer(const device_buffer&) = delete;  // no implicit copies
  device_buffer& operator=(const device_buffer&) = delete;
  ~device_buffer() { (void)cudaFree(data_); }

  T* data() noexcept { return data_; }
  const T* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }

  /// Returns the elements, copied to the host.
  std::vector<T> to_host() const
    requires std::is_default_constructible_v<T>
  {
    std::vector<T> host(size_);
    if (size_ != 0) {
      runtime::check(cudaMemcpy(host.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost),
                     "cudaMemcpy");
    }
    return host;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace warpfold
#endif
