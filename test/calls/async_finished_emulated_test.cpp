// Results that are computed from the fold where they are written, with wf::emulated.
// needs: boost_context
#include <warpfold/policy/emulated.hpp>

#include "contract/async_contract.hpp"

namespace {

struct fixture : test::host_memory {
  static auto policy() { return wf::emulated; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(async_finished, fixture);
