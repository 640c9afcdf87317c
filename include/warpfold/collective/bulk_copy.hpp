/// @file
/// Asynchronous bulk copies from global to shared memory (cp.async.bulk, compute capability 9.0).
/// In the emulation the thread that starts a copy does it immediately, and waiting for it is a
/// barrier of the block.
#pragma once

#include <cstddef>

#include <warpfold/collective/staged_loads.hpp>

namespace warpfold::collective {

/// Addresses and sizes of bulk copies are multiples of this.
inline constexpr std::size_t bulk_copy_bytes = 16;

#if !defined(__CUDACC__)

class bulk_copies {
 public:
  static void make_ready(bulk_copies*, unsigned) {}
  void expect(unsigned) {}
  void start(const shared_bytes& to, unsigned i, const void* from, unsigned bytes,
             const global_loads&, call_site at = call_site::here()) {
    emulation::current_thread->touch_copy(from, bytes, to.place(), i, at);
    __builtin_memcpy(to.at(i), from, bytes);
  }
  void wait(unsigned, call_site at = call_site::here()) { __syncthreads(at); }
};

#else

/// Copies that complete together: an mbarrier in shared memory, used in phases. In each phase one
/// thread announces the number of bytes and starts the copies; every thread of the block waits and
/// then reads them.
///
/// A barrier of the block separates two phases, so that no thread still reads what is overwritten.
/// It needs no proxy fence, because the block only reads the copies.
class bulk_copies {
 public:
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

  /// The thread that starts the copies calls it; the others wait at a barrier of the block.
  static WARPFOLD_DEVICE void make_ready(bulk_copies* first, unsigned count) {
    WARPFOLD_NO_UNROLL
    for (unsigned i = 0; i < count; ++i) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(first[i].address()) : "memory");
    }
    // Makes the barrier visible to the async proxy of the copies.
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
  }

  /// Starts a phase of `bytes` bytes, the total of the following calls of `start`; less than 1 MB.
  WARPFOLD_DEVICE void expect(unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(address()), "r"(bytes)
                 : "memory");
  }

  /// Starts copying `bytes` bytes to byte `i`.
  WARPFOLD_DEVICE void start(const shared_bytes& to, unsigned i, const void* from, unsigned bytes,
                             const global_loads& how) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
        "[%0], [%1], %2, [%3], %4;"
        :
        : "r"(static_cast<unsigned>(__cvta_generic_to_shared(to.at(i)))),
          "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(address()), "l"(how.policy())
        : "memory");
  }

  /// Waits for the bytes of phase `phase`. All threads of the block call it together.
  WARPFOLD_DEVICE void wait(unsigned phase) {
    unsigned done = 0;
    while (done == 0) {
      asm volatile(
          "{.reg .pred p;\n\t"
          "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
          "selp.u32 %0, 1, 0, p;}"
          : "=r"(done)
          : "r"(address()), "r"(phase & 1)
          : "memory");
    }
  }

 private:
  WARPFOLD_DEVICE unsigned address() const {
    return static_cast<unsigned>(__cvta_generic_to_shared(&state_));
  }

  unsigned long long state_;

#else

  // Compiled for GPUs without such copies, but never executed: the kernel refuses such GPUs, and
  // the launch refuses such code (min_architecture).
  static WARPFOLD_DEVICE void make_ready(bulk_copies*, unsigned) {}
  WARPFOLD_DEVICE void expect(unsigned) {}
  WARPFOLD_DEVICE void start(const shared_bytes&, unsigned, const void*, unsigned,
                             const global_loads&) {}
  WARPFOLD_DEVICE void wait(unsigned) {}

 private:
  unsigned long long state_;

#endif
};

#endif

}  // namespace warpfold::collective
