// Ops with finish, with wf::emulated: what their outputs hold.
// needs: boost_context
#include <warpfold/policy/emulated.hpp>

#include "contract/finish_contract.hpp"

namespace {

struct fixture : test::host_memory, test::target_in<test::host_memory> {
  using result = float;
  static auto policy() { return wf::emulated; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(finish_results, fixture);
TEST_CASE_TEMPLATE_INVOKE(finish_states, fixture);
