/// @file
/// Gives a kernel more registers than its code needs, so that its launch starts beside other kernels.
///
/// Idea:  The driver starts a block on a multiprocessor that is not idle only if the shared memory there is enough for as
///        many blocks of the kernel as threads and registers allow (docs/beside_other_work.md). A kernel of more registers
///        has fewer such blocks, so it needs less. A branch that no thread takes holds values in registers; the compiler
///        reserves them for the whole kernel.
/// Cost:  one comparison. The branch itself is code that is never fetched: 32 bytes for each four registers.
#pragma once

#include <cstddef>

#include <warpfold/execution_model.hpp>

namespace warpfold::collective {

/// How many blocks with `shared_bytes` each fit into the least share of a multiprocessor's memory that a kernel without shared
/// memory leaves: 8 KB, of which every block takes 1 KB more than it asked for. At least 1.
constexpr unsigned blocks_in_least_share(std::size_t shared_bytes) {
  const std::size_t blocks = 8 * 1024 / (shared_bytes + 1024);
  return blocks == 0 ? 1 : static_cast<unsigned>(blocks);
}

/// The registers a thread from which on no more than `blocks` blocks of `threads` threads are on a multiprocessor; at most
/// `most`. Registers are given in eights.
constexpr int registers_for(unsigned blocks, unsigned threads, int most) {
  constexpr unsigned of_multiprocessor = 64 * 1024;
  const unsigned least = of_multiprocessor / ((blocks + 1) * threads) + 1;
  const unsigned in_eights = (least + 7) / 8 * 8;
  return in_eights < static_cast<unsigned>(most) ? static_cast<int>(in_eights) : most;
}

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
