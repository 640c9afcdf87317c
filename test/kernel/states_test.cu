// States of every size on the GPU.
#include "contract/device_memory.hpp"
#include "contract/policy_contract.hpp"
#include "contract/state_contract.hpp"

namespace {

struct fixture : test::device_memory {
  static auto policy() { return warpfold::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_APPLY(blocks_meet, test::state_subjects<fixture>);
