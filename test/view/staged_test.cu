// wf::staged on the GPU.
#include "contract/device_memory.hpp"
#include "contract/staged_contract.hpp"

namespace {

struct on_device : test::device_memory {
  static auto policy() { return wf::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(staged_sizes, on_device);
TEST_CASE_TEMPLATE_INVOKE(staged_parts, on_device);
TEST_CASE_TEMPLATE_INVOKE(staged_views, on_device);
