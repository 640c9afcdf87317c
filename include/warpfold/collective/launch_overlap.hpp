/// @file
/// The second launch of a call starts while the first one ends (programmatic dependent launch, compute capability 9.0):
/// its blocks are there when the first one's states are. (Sums of 16 rows of 2^16 floats, H100, cold 8.5 us, without it 10.1;
/// in a graph 4.2, 4.7.)
///
/// Source: CUDA C++ Programming Guide, "Programmatic Dependent Launch and Synchronization"; griddepcontrol of the PTX ISA.
///
/// A body that says `waits_for_launch_before` is launched so (runtime/launch.hpp), and calls `wait_for_launch_before`
/// before it reads or writes anything that others do. On older GPUs, in the emulation, and where the code was compiled
/// for an older GPU, launches follow one another as ever, and both functions do nothing.
#pragma once

#include <warpfold/emulation/execution_model.hpp>

namespace warpfold::collective {

/// Lets the next launch of the stream start when every block of this one has called it; that only saves its start, for
/// it waits for the end of this one.
WARPFOLD_DEVICE inline void let_next_launch_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Returns when the launch before this one has ended and what it wrote can be read.
WARPFOLD_DEVICE inline void wait_for_launch_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace warpfold::collective
