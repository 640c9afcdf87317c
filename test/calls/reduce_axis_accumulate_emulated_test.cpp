// Folds along an axis into accumulate(out), with wf::emulated.
// needs: boost_context cccl
#include <warpfold/policy/emulated.hpp>

#include "contract/axis_accumulate_contract.hpp"

namespace {

// A small GPU, which few rows occupy fully, so that some hundred rows have a warp each.
struct small_fixture : test::host_memory {
  static auto policy() {
    auto gpu = wf::emulation::default_gpu;
    gpu.multiprocessors = 1;
    return wf::emulated.emulating(gpu);
  }
};
struct fixture : test::host_memory {
  static auto policy() { return wf::emulated; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(axis_accumulates, fixture, small_fixture);
TEST_CASE_TEMPLATE_INVOKE(axis_accumulates_others, fixture);
