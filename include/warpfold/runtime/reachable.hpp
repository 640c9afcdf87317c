/// @file
/// Whether the memory behind a range can be read from where a policy runs, checked before anything
/// is launched: 0.1 to 0.2 microseconds an array.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/config.hpp>
#include <warpfold/runtime/error.hpp>

#if WARPFOLD_HAS_CUDA_RUNTIME
#include <dlfcn.h>

#include <warpfold/runtime/device_info.hpp>
#endif

namespace warpfold::runtime {

/// Where memory lives.
enum class memory { host, pinned, managed, device };

/// The name of a kind of memory in a message.
inline const char* name_of(memory m) {
  switch (m) {
    case memory::host:
      return "host memory";
    case memory::pinned:
      return "pinned host memory";
    case memory::managed:
      return "managed memory";
    case memory::device:
      return "device memory";
  }
  return "memory";
}

namespace detail {

// A null or misaligned pointer is wrong on every side.
inline void check_pointer(const void* p, std::size_t bytes, std::size_t alignment) {
  if (p == nullptr) {
    throw invalid_range("warpfold: the range is a null pointer with ", bytes, " bytes to read");
  }
  if (reinterpret_cast<std::uintptr_t>(p) % alignment != 0) {
    throw invalid_range("warpfold: the range at ", p, " is not aligned to its element (", alignment,
                        " bytes); copy it to aligned memory, or reduce its bytes");
  }
}

}  // namespace detail

#if WARPFOLD_HAS_CUDA_RUNTIME

/// Where `p` points, as the CUDA runtime knows it.
inline memory memory_of(const void* p) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, p) != cudaSuccess) {
    (void)cudaGetLastError();
    return memory::host;
  }
  switch (attributes.type) {
    case cudaMemoryTypeDevice:
      return memory::device;
    case cudaMemoryTypeManaged:
      return memory::managed;
    case cudaMemoryTypeHost:
      return memory::pinned;
    default:
      return memory::host;
  }
}

/// Whether this process has begun to use CUDA. Until then it has no device memory, and asking about a
/// pointer would start the driver, a fifth of a second, for a program that only wants host threads.
inline bool cuda_in_use() {
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (driver == nullptr) return false;
  dlclose(driver);
  return true;
}

/// @throws invalid_range  if an array of `view` cannot be read, or `p` written, by the current GPU
inline void check_device_pointer(const void* p, std::size_t bytes, std::size_t alignment,
                                 const char* what = "the range") {
  if (bytes == 0) return;
  detail::check_pointer(p, bytes, alignment);
  if (memory_of(p) != memory::host || current_device_info().reads_pageable_memory) return;
  throw invalid_range(
      "warpfold: ", what, " at ", p,
      " is in pageable host memory, which a GPU policy cannot reach. Copy it to the GPU "
      "(wf::device_buffer, thrust::device_vector, cudaMemcpy), allocate it pinned or managed, or "
      "use "
      "wf::par or wf::seq");
}

/// @throws invalid_range  if `p` is not readable by host threads
inline void check_host_pointer(const void* p, std::size_t bytes, std::size_t alignment) {
  if (bytes == 0) return;
  detail::check_pointer(p, bytes, alignment);
  if (!cuda_in_use() || memory_of(p) != memory::device) return;
  throw invalid_range(
      "warpfold: the range at ", p,
      " is in device memory, which host threads cannot read. Use wf::device, or copy it "
      "to the host first");
}

#else

inline void check_host_pointer(const void* p, std::size_t bytes, std::size_t alignment) {
  if (bytes != 0) detail::check_pointer(p, bytes, alignment);
}

#endif

/// Checks every array of a view.
/// @throws invalid_range
template <class View>
void check_host_readable(const View& view) {
  if constexpr (requires { view.visit_memory(check_host_pointer); }) {
    view.visit_memory(
        [](const void* p, std::size_t n, std::size_t a) { check_host_pointer(p, n, a); });
  }
}
#if WARPFOLD_HAS_CUDA_RUNTIME
template <class View>
void check_device_readable(const View& view) {
  if constexpr (requires { view.visit_memory(check_host_pointer); }) {
    view.visit_memory(
        [](const void* p, std::size_t n, std::size_t a) { check_device_pointer(p, n, a); });
  }
}
#endif

/// How many bytes a view reads.
template <class View>
std::size_t bytes_of(const View& view) {
  std::size_t total = 0;
  if constexpr (requires { view.visit_memory(check_host_pointer); }) {
    view.visit_memory([&](const void*, std::size_t n, std::size_t) { total += n; });
  }
  return total;
}

}  // namespace warpfold::runtime
