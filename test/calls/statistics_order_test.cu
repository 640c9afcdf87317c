// The declared order of moments on the GPU.
#include "contract/statistics_order_contract.hpp"

#include <warpfold/policy/device.hpp>

#include "contract/device_memory.hpp"

namespace {

struct fixture : test::device_memory {
  static auto policy() { return wf::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(statistics_order_of_ranges, fixture);
TEST_CASE_TEMPLATE_INVOKE(statistics_order_of_views, fixture);
TEST_CASE_TEMPLATE_INVOKE(statistics_order_of_groups, fixture);
TEST_CASE_TEMPLATE_INVOKE(statistics_of_complex_numbers, fixture);
