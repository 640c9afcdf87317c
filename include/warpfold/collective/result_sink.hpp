/// @file
/// Where a kernel writes its result.
#pragma once

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/memory_order.hpp>

namespace warpfold::collective {

/// Writes `*out` and, if `flag` is set, signals a waiting host. One thread delivers, last.
template <class Out>
struct result_sink {
  Out* out;
  unsigned* flag;   ///< in pinned memory, or null
  unsigned signal;  ///< the value to write there

  /// A copy in registers: arguments that are first read at the end cause a wait (16 KB: 0.1 us).
  WARPFOLD_DEVICE result_sink in_registers() const {
    result_sink s = *this;
#if defined(__CUDA_ARCH__)
    asm volatile("" : "+l"(s.out), "+l"(s.flag), "+r"(s.signal));
#endif
    return s;
  }

  WARPFOLD_DEVICE void* memory() const { return out; }

  inline WARPFOLD_DEVICE void deliver(const auto& result) const {
    global_array<Out>{out, 1}.store(0, static_cast<Out>(result));
    if (flag != nullptr) signal_host(flag, signal);
  }
};

/// An output that a function object stores. Its `memory()` returns one of its pointers.
template <class Write>
struct written_by {};

/// Calls `write(result)`. No host waits for it.
template <class Write>
struct result_sink<written_by<Write>> {
  Write write;

  WARPFOLD_DEVICE result_sink in_registers() const { return *this; }
  WARPFOLD_DEVICE void* memory() const { return write.memory(); }

  inline WARPFOLD_DEVICE void deliver(const auto& result) const { write(result); }
};

}  // namespace warpfold::collective
