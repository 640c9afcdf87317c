/// @file
/// The emulation as fixtures for calls with segments; see contract/segments_contract.hpp.
#pragma once

#include <warpfold/policy/emulated.hpp>

#include "contract/transform_contract.hpp"

namespace test {

struct emulated_segments : host_memory, target_in<host_memory> {
  static auto policy() { return wf::emulated; }
};

/// A small GPU, whose blocks have several tiles or segments.
struct small_emulated_segments : emulated_segments {
  static auto policy() {
    auto gpu = wf::emulation::default_gpu;
    gpu.multiprocessors = 1;
    return wf::emulated.emulating(gpu);
  }
};

}  // namespace test
