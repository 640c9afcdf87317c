// Folds along an axis into accumulate(out), on the GPU.
#include "contract/axis_accumulate_contract.hpp"
#include "contract/device_memory.hpp"

namespace {

struct fixture : test::device_memory {
  static auto policy() { return wf::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(axis_accumulates, fixture);
TEST_CASE_TEMPLATE_INVOKE(axis_accumulates_others, fixture);
