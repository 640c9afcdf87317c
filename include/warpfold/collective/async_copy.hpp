/// @file
/// Asynchronous copies from global to shared memory, one word per thread, that use no registers
/// (cp.async, compute capability 8.0). On older GPUs and in the emulation, each thread copies its
/// words immediately.
#pragma once

#include <warpfold/collective/staged_loads.hpp>
#include <warpfold/view/global_access.hpp>

namespace warpfold::collective {

/// Copies words for the calling thread. Started copies are committed as a group; `wait` returns
/// when all but the last `Pending` groups have arrived. Other threads see them after a barrier.
class async_copies {
 public:
  WARPFOLD_DEVICE explicit async_copies(const shared_bytes& to, caching how,
                                        call_site at = call_site::here())
      : to_(to), loads_(how, at), at_(at) {}

  /// The destination of this thread's word `i` (a byte offset, a multiple of 16), also for words at
  /// fixed distances from it. All lanes of the warp call it.
  ///
  /// The result passes through a shuffle, so that ptxas cannot see which part of the address is the
  /// same in all lanes. Otherwise ptxas 13.0 adds that part as a uniform register. Together with a
  /// cache hint it then generates an invalid instruction (LDGSTS [R+UR], desc[UR]; an H100 stops
  /// with an illegal instruction).
  WARPFOLD_DEVICE unsigned place(unsigned i) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    const auto address = static_cast<unsigned>(__cvta_generic_to_shared(to_.at(i)));
    return __shfl_sync(0xffffffffu, address, static_cast<int>(threadIdx.x % 32));
#else
    return i;
#endif
  }

  WARPFOLD_DEVICE void start(unsigned place, const void* from) const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;"
                 :
                 : "r"(place), "l"(__cvta_generic_to_global(from)), "l"(loads_.policy())
                 : "memory");
#else
    to_.store_word(place, global_access(at_).load_word(from), at_);
#endif
  }

  WARPFOLD_DEVICE void commit() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" : : : "memory");
#endif
  }

  template <int Pending>
  WARPFOLD_DEVICE void wait() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" : : "n"(Pending) : "memory");
#endif
  }

 private:
  shared_bytes to_;
  global_loads loads_;
  [[maybe_unused]] call_site at_;  // in the emulation
};

}  // namespace warpfold::collective
