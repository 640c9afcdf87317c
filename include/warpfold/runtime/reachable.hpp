/// @file
/// Checks that a policy can access the memory of a range, before anything is launched: 0.1 to 0.2
/// microseconds per array.
#pragma once

#include <cstddef>
#include <cstdint>

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <warpfold/core/config.hpp>
#include <warpfold/core/error.hpp>

#if defined(__CUDACC__)
#include <warpfold/runtime/capture.hpp>
#include <warpfold/runtime/current_device.hpp>
#endif

namespace warpfold::runtime {

namespace detail {

[[noreturn]] __attribute__((cold, noinline)) inline void refuse_pointer(const void* p,
                                                                        std::size_t bytes,
                                                                        std::size_t alignment,
                                                                        const char* what) {
  if (p == nullptr) {
    throw_error<invalid_range>("warpfold: ", what, " is a null pointer, but the call needs ", bytes,
                               " bytes there; allocate the memory first");
  }
  throw_error<invalid_range>("warpfold: ", what, " at ", p, " is not aligned to its element (",
                             alignment, " bytes); use aligned memory");
}
// Refuses null and misaligned pointers, which are wrong on the host and on a GPU.
inline void check_pointer(const void* p, std::size_t bytes, std::size_t alignment,
                          const char* what) {
  // Alignments are powers of two. A remainder would be a division for each of many ranges.
  if (p == nullptr || (reinterpret_cast<std::uintptr_t>(p) & (alignment - 1)) != 0) {
    refuse_pointer(p, bytes, alignment, what);
  }
}

// The number of libraries that this process has loaded so far. If it changes, the driver may have
// been loaded.
inline unsigned long long libraries_loaded() {
  unsigned long long loaded = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* first, std::size_t, void* to) {
        *static_cast<unsigned long long*>(to) = first->dlpi_adds;
        return 1;  // each library reports the same number
      },
      &loaded);
  return loaded;
}

// True if the program has loaded no library since it started, as far as can be seen at once. The
// dynamic linker is never unloaded, mostly the last library at the start, and later ones follow it.
inline bool has_first_libraries_only() {
#if defined(__GLIBC__)
  static const link_map* const linker = [] {
    Dl_info at{};
    void* of = nullptr;
    void* const any = dlsym(RTLD_DEFAULT, "__tls_get_addr");  // a function of the dynamic linker
    return any != nullptr && dladdr1(any, &at, &of, RTLD_DL_LINKMAP) != 0
               ? static_cast<const link_map*>(of)
               : nullptr;
  }();
  return linker != nullptr && __atomic_load_n(&linker->l_next, __ATOMIC_ACQUIRE) == nullptr;
#else
  return false;
#endif
}

// Calls the driver directly, not the CUDA runtime, so that files without CUDA use the same code. A
// process that has not loaded the driver has no device memory. Loading it takes 0.2 s, so this
// function does not load it. It also does not search for the driver again (9 us) until another
// library has been loaded. To know that takes 1 ns, and 10 ns and a lock in programs that have
// loaded some.
__attribute__((noinline)) inline bool is_device_memory_for_driver(const void* p) {
  using get_attribute = int (*)(void* data, int attribute, unsigned long long pointer);
  static get_attribute known = nullptr;
  static unsigned long long not_among = 0;  // the number of libraries at the last search
  get_attribute get = __atomic_load_n(&known, __ATOMIC_ACQUIRE);
  if (get == nullptr) {
    const unsigned long long searched = __atomic_load_n(&not_among, __ATOMIC_RELAXED);
    if (searched != 0 && has_first_libraries_only()) return false;
    const unsigned long long loaded = libraries_loaded();
    if (searched == loaded) return false;
    void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (driver == nullptr) {
      __atomic_store_n(&not_among, loaded, __ATOMIC_RELAXED);
      return false;
    }
    get = reinterpret_cast<get_attribute>(dlsym(driver, "cuPointerGetAttribute"));
    if (get == nullptr) return false;
    __atomic_store_n(&known, get, __ATOMIC_RELEASE);  // never closed, so the driver stays loaded
  }
  constexpr int memory_type = 2, is_managed = 8;  // CU_POINTER_ATTRIBUTE_...
  constexpr unsigned device = 2;                  // CU_MEMORYTYPE_DEVICE
  const auto address = static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(p));
  unsigned type = 0;
  if (get(&type, memory_type, address) != 0 || type != device) return false;
  unsigned managed = 0;
  return get(&managed, is_managed, address) != 0 || managed == 0;
}

// True for the GiB below the program break: the heap, which no device owns. Below a shorter heap
// are only the program's own data. Vectors of up to 128 KB are here, unless another thread
// allocated them.
inline bool is_in_heap(const void* p) {
#if defined(__GLIBC__)
  static std::uintptr_t end = 0;  // the break of some time: the kernel maps nothing else there
  const auto is_below = [p](std::uintptr_t to) {
    return to - 1 - reinterpret_cast<std::uintptr_t>(p) < std::uintptr_t{1} << 30;
  };
  if (is_below(__atomic_load_n(&end, __ATOMIC_RELAXED))) return true;
  const auto now = reinterpret_cast<std::uintptr_t>(sbrk(0));
  __atomic_store_n(&end, now, __ATOMIC_RELAXED);
  return is_below(now);
#else
  return false;
#endif
}

inline bool is_device_memory(const void* p) {
  return !is_in_heap(p) && is_device_memory_for_driver(p);
}

[[noreturn]] __attribute__((cold, noinline)) inline void refuse_device_memory(const void* p,
                                                                              const char* what) {
  throw_error<invalid_range>(
      "warpfold: ", what, " at ", p,
      " is in device memory, which host threads cannot access. Use wf::device, or "
      "copy it to the host first");
}

// Calls `check(pointer, bytes, alignment)` for all the memory of work, perhaps without the outputs.
// `what` is its name then.
template <bool Outputs = true, class Work, class Check>
__attribute__((always_inline)) inline void visit_named(const Work& work, const char*& what,
                                                       const Check& check) {
  what = Work::kind::input;
  if constexpr (requires { Work::kind::bounds; }) {
    work.view.visit_memory(check);
    what = Work::kind::bounds;
    work.segments.visit_memory(check);
  } else {
    work.visit_read(check);
  }
  what = "the init of value_at";
  if constexpr (requires { work.visit_init(check); }) work.visit_init(check);
  what = "the output";
  if constexpr (Outputs && requires { work.visit_written(check); }) work.visit_written(check);
}

}  // namespace detail

/// Checks one array that host threads will access.
/// @param p the first byte
/// @param bytes 0 skips the check
/// @param alignment of an element
/// @param what its name in messages
/// @throws invalid_range if it is null, misaligned, or in device memory
inline void check_host_pointer(const void* p, std::size_t bytes, std::size_t alignment,
                               const char* what = "the range") {
  if (bytes == 0) return;
  detail::check_pointer(p, bytes, alignment, what);
  if (detail::is_device_memory(p)) detail::refuse_device_memory(p, what);
}

/// Checks every array of a view; an `iterator_view` hides its memory.
/// @throws invalid_range as check_host_pointer
template <class View>
void check_host_readable(const View& view) {
  view.visit_memory(
      [](const void* p, std::size_t n, std::size_t a) { check_host_pointer(p, n, a); });
}

/// Checks all the memory of work: what is read, an init in memory, and the outputs. Messages name
/// the input and the bounds as the kind of work does.
///
/// Always inline: otherwise the views of a dot product are in memory, and GCC copies a pointer and
/// a size, stored one after the other, with one load that waits. Dot product of 8 floats, EPYC
/// 9004: 25 -> 14 ns.
/// @throws invalid_range as check_host_pointer
template <class Work>
__attribute__((always_inline)) inline void check_host_memory(const Work& work) {
  const char* what = nullptr;
  detail::visit_named(work, what, [&](const void* p, std::size_t n, std::size_t a) {
    check_host_pointer(p, n, a, what);
  });
}

#if defined(__CUDACC__)

namespace detail {

// Where an allocation begins, how long it is, and the GPU that owns it. No bytes if the driver does
// not say, and no GPU if it is not device memory.
struct allocation {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  int gpu = -1;

  bool contains(const void* p) const { return reinterpret_cast<std::uintptr_t>(p) - begin < bytes; }
};

// The allocation that `p` points into. Calls the driver, which is loaded: see is_device_memory.
inline allocation allocation_of(const void* p) {
  using get_attributes =
      int (*)(unsigned count, const int* attributes, void** data, unsigned long long pointer);
  static const auto get = []() -> get_attributes {
    void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return driver == nullptr
               ? nullptr
               : reinterpret_cast<get_attributes>(dlsym(driver, "cuPointerGetAttributes"));
  }();
  // CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, RANGE_SIZE, MEMORY_TYPE, DEVICE_ORDINAL
  constexpr int attributes[4] = {11, 12, 2, 9};
  unsigned long long begin = 0;
  std::size_t bytes = 0;
  unsigned type = 0;
  int gpu = -1;
  void* data[4] = {&begin, &bytes, &type, &gpu};
  const auto address = static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(p));
  if (get == nullptr || get(4, attributes, data, address) != 0 || begin == 0) return {};
  constexpr unsigned device = 2;  // CU_MEMORYTYPE_DEVICE
  return {static_cast<std::uintptr_t>(begin), bytes, type == device ? gpu : -1};
}

}  // namespace detail

/// Returns the bytes from `p` to the end of its allocation; 0 if the driver does not know it. For
/// mapped memory (cuMemMap) that is the end of the address range, so no array reaches beyond.
inline std::size_t allocated_bytes_from(const void* p) {
  const detail::allocation whole = detail::allocation_of(p);
  if (!whole.contains(p)) return 0;
  return whole.bytes - (reinterpret_cast<std::uintptr_t>(p) - whole.begin);
}

/// Checks one array that the current GPU will access.
/// @param p the first byte
/// @param bytes 0 skips the check
/// @param alignment of an element
/// @param what its name in messages
/// @param gpu the current GPU
/// @throws invalid_range if it is null, misaligned, in pageable host memory, or not accessible from
///     the GPU
inline void check_device_pointer(const void* p, std::size_t bytes, std::size_t alignment,
                                 const char* what = "the range",
                                 const device_info& gpu = current_device_info()) {
  if (bytes == 0) return;
  detail::check_pointer(p, bytes, alignment, what);
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, p) != cudaSuccess) {
    (void)cudaGetLastError();
    attributes.type = cudaMemoryTypeUnregistered;
  }
  if (attributes.type == cudaMemoryTypeUnregistered) {
    // A GPU may read pageable memory through its driver, one page fault at a time. That is useful
    // only if the hardware shares the host's page tables.
    if (gpu.reads_pageable_memory) return;
    throw_error<invalid_range>(
        "warpfold: ", what, " at ", p,
        " is in pageable host memory, which a GPU policy cannot access. Copy it to "
        "the GPU (wf::device_buffer, thrust::device_vector, cudaMemcpy), allocate "
        "it pinned or managed, or use wf::par or wf::seq");
  }
  if (attributes.type != cudaMemoryTypeDevice || attributes.device == gpu.id) return;
  // Memory of another GPU is accessible if peer access is enabled. The query fails for a thread
  // that has not used its GPU yet, so cudaFree uses it first.
  {
    const relaxed_capture relaxed;
    (void)cudaFree(nullptr);
  }
  if (cudaPointerGetAttributes(&attributes, p) == cudaSuccess &&
      attributes.devicePointer != nullptr) {
    return;
  }
  (void)cudaGetLastError();
  throw_error<invalid_range>(
      "warpfold: ", what, " at ", p, " is in memory of GPU ", attributes.device, ", which GPU ",
      gpu.id, ", the current one, cannot access. Call cudaSetDevice first, or enable peer access");
}

/// Checks many arrays that the current GPU will access. An array in one of the last four
/// allocations takes nanoseconds: the driver is called for each allocation, not for each array.
class device_pointer_checks {
 public:
  explicit device_pointer_checks(const device_info& gpu = current_device_info()) : gpu_(gpu) {}

  /// @throws invalid_range as check_device_pointer
  void check(const void* p, std::size_t bytes, std::size_t alignment, const char* what) {
    if (bytes == 0) return;
    detail::check_pointer(p, bytes, alignment, what);
    if (known_[last_].contains(p)) return;
    for (unsigned k = 0; k < most; ++k) {
      if (!known_[k].contains(p)) continue;
      last_ = k;
      return;
    }
    const detail::allocation whole = detail::allocation_of(p);
    // Memory of this GPU needs no other call of the driver.
    if (whole.gpu != gpu_.id) check_device_pointer(p, bytes, alignment, what, gpu_);
    last_ = next_++ % most;
    known_[last_] = whole;
  }

 private:
  static constexpr unsigned most = 4;

  detail::allocation known_[most];
  unsigned next_ = 0;
  unsigned last_ = 0;
  const device_info& gpu_;
};

#endif

}  // namespace warpfold::runtime

#if defined(__CUDACC__)

namespace warpfold {

/// Checks that work is valid, that there is a GPU, and that the GPU can access all the memory of
/// work. Only the GPU reads bounds and labels.
/// @tparam Outputs false for a plan, which may have none
/// @return the current GPU
/// @throws empty_range,no_device,invalid_range if not
template <bool Outputs = true, class Work>
const device_info& check_gpu(const Work& work) {
  work.require_valid();
  const device_info& gpu = runtime::current_device_info();
  const char* what = nullptr;
  if constexpr (Work::kind::has_many_arrays) {
    runtime::device_pointer_checks checks(gpu);
    runtime::detail::visit_named<Outputs>(
        work, what,
        [&](const void* p, std::size_t n, std::size_t a) { checks.check(p, n, a, what); });
  } else {
    runtime::detail::visit_named<Outputs>(work, what,
                                          [&](const void* p, std::size_t n, std::size_t a) {
                                            runtime::check_device_pointer(p, n, a, what, gpu);
                                          });
  }
  return gpu;
}

}  // namespace warpfold

#endif
