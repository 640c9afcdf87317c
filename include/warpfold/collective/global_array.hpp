/// @file
/// Arrays in global memory that kernels write: partial states and results. On the GPU an access is
/// a single load or store. The emulation checks and counts it, with its source line.
#pragma once

#include <cstddef>
#include <new>

#include <warpfold/emulation/execution_model.hpp>

namespace warpfold::collective {

/// `size` elements at `data`, in global memory. Elements need no default constructor.
template <class T>
struct global_array {
  T* data = nullptr;
  std::size_t size = 0;

  WARPFOLD_DEVICE T load(std::size_t i, call_site at = call_site::here()) const {
    report(i, true, at);
    return data[i];
  }
  WARPFOLD_DEVICE void store(std::size_t i, const T& value,
                             call_site at = call_site::here()) const {
    report(i, false, at);
    ::new (static_cast<void*>(data + i)) T(value);
  }

 private:
#if defined(__CUDACC__)
  WARPFOLD_DEVICE void report(std::size_t, bool, call_site) const {}
#else
  void report(std::size_t i, bool loads, call_site at) const {
    const auto what = loads ? emulation::access::load : emulation::access::store;
    if (i >= size) emulation::current_thread->leave_array(i, size, what, at);
    emulation::current_thread->touch_global(data + i, sizeof(T), what, alignof(T), at);
  }
#endif
};

}  // namespace warpfold::collective
