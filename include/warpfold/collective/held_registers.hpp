/// @file
/// Gives a kernel more registers than its code needs, so that it starts beside other kernels. A
/// busy multiprocessor takes a block only if its shared memory is enough for as many blocks of that
/// kernel as threads and registers allow (docs/beside_other_work.md). A kernel with more registers
/// has fewer such blocks. A branch that no thread takes holds values in registers; it costs one
/// comparison, and 32 bytes of code for each four registers, which are never fetched.
#pragma once

#include <cstdint>

#include <warpfold/collective/shuffle.hpp>

namespace warpfold::collective {

/// The number of registers per thread that limits the blocks of a multiprocessor, which has 64 K
/// registers: 8 KB of shared memory, its smallest configuration, must be enough for all of them. A
/// block takes 1 KB more than it declares. So 8 blocks of one warp without shared memory fit, or 6
/// blocks of 256 threads with up to 340 bytes.
template <int Threads>
inline constexpr int registers_beside_others = Threads == int{warp_size} ? 232 : 40;

/// Makes the kernel use at least `Count` registers per thread, for a branch taken if `never`.
/// @param never false, in a way that the compiler cannot know
/// @param memory any pointer; nothing is read or written
template <int Count>
WARPFOLD_DEVICE void hold_registers(bool never, void* memory) {
#if defined(__CUDA_ARCH__)
  // The address and the values that the kernel keeps beside it use the rest.
  constexpr int fours = (Count - 6) / 4;
  if (never) [[unlikely]] {
    unsigned held[fours][4];
    auto* const words = static_cast<uint4*>(memory);
    // A loop: without one, ptxas predicates loads and stores on the path of every warp (1024
    // threads, H200, 64 KB in a graph, nothing held -> held so: 2.04 -> 2.26 us). All threads make
    // the same number of iterations. If that depended on loaded values, the lanes of each warp
    // would converge after the loop (argmin of 4 KB: 2.04 -> 2.08 us).
    auto rounds = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(memory));
    WARPFOLD_NO_UNROLL
    do {
      WARPFOLD_UNROLL
      for (int k = 0; k < fours; ++k) {
        asm volatile("ld.volatile.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(held[k][0]), "=r"(held[k][1]), "=r"(held[k][2]), "=r"(held[k][3])
                     : "l"(words + k));
      }
      WARPFOLD_UNROLL
      for (int k = 0; k < fours; ++k) {
        asm volatile("st.volatile.v4.u32 [%4], {%0, %1, %2, %3};"
                     :
                     : "r"(held[k][0]), "r"(held[k][1]), "r"(held[k][2]), "r"(held[k][3]),
                       "l"(words + k));
      }
    } while (--rounds != 0);
  }
#else
  (void)never;
  (void)memory;
#endif
}

}  // namespace warpfold::collective
