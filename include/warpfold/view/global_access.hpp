/// @file
/// The loads and stores of elementwise kernels.
#pragma once

#include <cstddef>
#include <new>

#include <warpfold/core/call_site.hpp>
#include <warpfold/core/config.hpp>
#include <warpfold/view/chunk.hpp>

namespace warpfold {

/// Plain loads and stores, for views (as `loads`, see view/concept.hpp) and output views (as
/// `stores`, see view/output.hpp). The emulation reports each, with the source line where this
/// object was made.
///
/// Unlike `global_loads`, it has no eviction policy, and it also stores.
class global_access {
 public:
#if defined(__CUDACC__)
  WARPFOLD_HD explicit global_access(call_site = call_site::here()) {}
#else
  explicit global_access(call_site at = call_site::here()) : at_(at) {}
#endif

  /// Loads one word; `from` must be 16-byte aligned. One `ld.global.v4` on the GPU.
  WARPFOLD_HD word load_word(const void* from) const {
    report(from, word_bytes, word_bytes, true);
#if defined(__CUDA_ARCH__)
    word w;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(w.part[0]), "=r"(w.part[1]), "=r"(w.part[2]), "=r"(w.part[3])
                 : "l"(__cvta_generic_to_global(from))
                 : "memory");
    return w;
#else
    word w;
    __builtin_memcpy(&w, from, word_bytes);
    return w;
#endif
  }

  template <class T>
  WARPFOLD_HD T load(const T* from) const {
    report(from, sizeof(T), alignof(T), true);
    return *from;
  }

  /// Stores one word; `to` must be 16-byte aligned. One `st.global.v4` on the GPU.
  WARPFOLD_HD void store_word(void* to, const word& w) const {
    report(to, word_bytes, word_bytes, false);
#if defined(__CUDA_ARCH__)
    // In assembly: nvcc 13.0 splits an assignment of uint4 into four stores.
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(__cvta_generic_to_global(to)), "r"(w.part[0]), "r"(w.part[1]),
                   "r"(w.part[2]), "r"(w.part[3])
                 : "memory");
#else
    __builtin_memcpy(to, &w, word_bytes);
#endif
  }

  template <class T>
  WARPFOLD_HD void store(T* to, const T& value) const {
    report(to, sizeof(T), alignof(T), false);
    ::new (static_cast<void*>(to)) T(value);
  }

 private:
#if defined(__CUDACC__)
  WARPFOLD_HD void report(const void*, std::size_t, std::size_t, bool) const {}
#else
  // Not inlined, as in global_loads.
  [[gnu::noinline]] void report(const void* p, std::size_t bytes, std::size_t alignment,
                                bool loads) const {
    if (emulation::current_thread == nullptr) return;
    emulation::current_thread->touch_global(
        p, bytes, loads ? emulation::access::load_of_range : emulation::access::store, alignment,
        at_);
  }

  call_site at_;
#endif
};

}  // namespace warpfold
