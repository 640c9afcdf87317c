// Expressions of several arrays, written on the GPU.
#include "contract/device_memory.hpp"
#include "contract/expression_transform_contract.hpp"

namespace {

struct fixture : test::device_memory, test::target_in<test::device_memory> {
  static auto policy() { return wf::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(expression_transforms, fixture);
TEST_CASE_TEMPLATE_INVOKE(expression_writes, fixture);
