/// @file
/// Starts a launch while the one before it on the stream ends. Uses programmatic dependent launch,
/// compute capability 9.0. It saves part of the start of each launch of a queue or a graph.
///
/// Source: CUDA C++ Programming Guide, "Programmatic Dependent Launch and Synchronization";
/// griddepcontrol of the PTX ISA.
///
/// The launch of a body with `waits_for_launch_before` may start early (runtime/launch.hpp). At
/// least one of its threads calls `wait_for_launch_before`; otherwise it could end before the
/// launch before it, and the next launch would not wait for that one. Every thread does so before
/// it reads or writes memory that other launches use. Loads do not go through the read-only cache
/// (`ld.global.nc`), because the launch before may still write. On older GPUs, in the emulation,
/// and in code compiled for an older GPU, launches run one after another, and both functions do
/// nothing.
#pragma once

#include <warpfold/emulation/execution_model.hpp>

namespace warpfold::collective {

/// Lets the next launch of the stream start when every block of this one has called it or ended, if
/// that launch allows it; it still waits for the end of this one. Blocks that wait take registers
/// and threads, so a kernel that fills the GPU calls it after its loads.
WARPFOLD_DEVICE inline void let_next_launch_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// Returns when the launch before this one has ended and its writes are visible.
WARPFOLD_DEVICE inline void wait_for_launch_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

}  // namespace warpfold::collective
