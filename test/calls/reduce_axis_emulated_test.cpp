// Folds along an axis with wf::emulated.
// needs: boost_context cccl
// flags: -O1
#include <warpfold/policy/emulated.hpp>

#include "contract/axis_contract.hpp"

namespace {

struct fixture : test::host_memory, test::target_in<test::host_memory> {
  static auto policy() { return wf::emulated; }
};

// A small GPU, which few rows occupy fully.
struct small_fixture : fixture {
  static constexpr std::size_t many_rows = 18;
  static auto policy() {
    auto gpu = wf::emulation::default_gpu;
    gpu.multiprocessors = 1;
    return wf::emulated.emulating(gpu);
  }
};

}  // namespace

TEST_CASE_TEMPLATE_APPLY(axis_matrices, test::axis_folds<fixture>);
TEST_CASE_TEMPLATE_APPLY(axis_long, test::axis_folds<fixture>);
TEST_CASE_TEMPLATE_APPLY(axis_many_rows, test::axis_folds<small_fixture>);
TEST_CASE_TEMPLATE_INVOKE(axis_ranks, fixture);
TEST_CASE_TEMPLATE_INVOKE(axis_outputs, fixture);
TEST_CASE_TEMPLATE_INVOKE(axis_empty, fixture);
TEST_CASE_TEMPLATE_INVOKE(axis_errors, fixture);
TEST_CASE_TEMPLATE_INVOKE(axis_repeats, fixture);
