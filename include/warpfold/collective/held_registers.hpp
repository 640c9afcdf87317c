/// @file
/// Gives a kernel more registers than its code needs, so that it starts beside other kernels.
///
/// Idea:  A busy multiprocessor takes a block only if its shared memory is enough for many blocks of that kernel: as many as
///        threads and registers allow (docs/beside_other_work.md). A kernel with more registers has fewer such blocks, so
///        it needs less shared memory. A branch that no thread takes holds values in registers. The compiler reserves
///        them for the whole kernel.
/// Cost:  one comparison. The branch is code that is never fetched: 32 bytes for each four registers. Few registers are not held
///        so: ptxas turns eight loads into predicated instructions on the path of every warp (blocks of 1024 threads with 48
///        registers instead of 29, H200, 64 KB in a graph: 2.04 -> 2.26 us).
#pragma once

#include <warpfold/execution_model.hpp>

namespace warpfold::collective {

/// The registers a thread with which a multiprocessor has no more than 8 blocks of one warp: all of its 64 K registers are
/// taken by them. Each block counts with 1 KB of shared memory, and the least share that a multiprocessor has is 8 KB.
inline constexpr int registers_of_eight_warps = 232;

/// Makes the kernel take at least `Count` registers a thread, all but a few of them for a branch taken if `never`.
/// @param never   false, in a way that the compiler cannot know
/// @param memory  any pointer; nothing is read or written
template <int Count>
WARPFOLD_DEVICE void hold_registers(bool never, void* memory) {
#if defined(__CUDA_ARCH__)
  // The address and what the kernel keeps beside it take the rest.
  constexpr int fours = (Count - 6) / 4;
  if (never) {
    unsigned held[fours][4];
    auto* const words = static_cast<uint4*>(memory);
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
  }
#else
  (void)never;
  (void)memory;
#endif
}

}  // namespace warpfold::collective
