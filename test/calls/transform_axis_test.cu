// Rows with a function of their folds, written on the GPU.
#include "contract/device_memory.hpp"
#include "contract/transform_axis_contract.hpp"

namespace {

struct fixture : test::device_memory, test::target_in<test::device_memory> {
  static auto policy() { return wf::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(transforms_axis_rows, fixture);
TEST_CASE_TEMPLATE_INVOKE(transforms_axis, fixture);
TEST_CASE_TEMPLATE_INVOKE(transforms_axis_expressions, fixture);
