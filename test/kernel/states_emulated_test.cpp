// States of every size in the emulation.
// needs: boost_context
// slow: runs for seconds
#include <warpfold/policy/emulated.hpp>

#include "contract/policy_contract.hpp"
#include "contract/state_contract.hpp"

namespace {

struct fixture : test::host_memory {
  static auto policy() { return warpfold::emulated; }
};

}  // namespace

TEST_CASE_TEMPLATE_APPLY(blocks_meet, test::state_subjects<fixture>);
