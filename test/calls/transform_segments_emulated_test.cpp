// Functions of elements and of a value of their segment, with wf::emulated.
// needs: boost_context
#include <warpfold/policy/emulated.hpp>
#include <warpfold/transform_segments.hpp>

#include "contract/transform_segments_contract.hpp"

namespace {

struct fixture : test::host_memory, test::target_in<test::host_memory> {
  static auto policy() { return wf::emulated; }
};

// A small GPU, whose blocks have several segments.
struct small_fixture : fixture {
  static auto policy() {
    auto gpu = wf::emulation::default_gpu;
    gpu.multiprocessors = 1;
    return wf::emulated.emulating(gpu);
  }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(transform_segments_results, fixture, small_fixture);
TEST_CASE_TEMPLATE_INVOKE(transform_segments_bounds, fixture, small_fixture);
TEST_CASE_TEMPLATE_INVOKE(transform_segments_views, fixture);
TEST_CASE_TEMPLATE_INVOKE(transform_segments_forms, fixture);
