// Functions that write their results, with wf::emulated.
// needs: boost_context
#include <warpfold/policy/emulated.hpp>

#include "contract/async_contract.hpp"

namespace {

struct fixture : test::host_memory {
  static auto policy() { return wf::emulated; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(async_empty, fixture);
TEST_CASE_TEMPLATE_INVOKE(async_stored, fixture);
TEST_CASE_TEMPLATE_INVOKE(waiting_stored, fixture);
TEST_CASE_TEMPLATE_INVOKE(async_chained, fixture);
