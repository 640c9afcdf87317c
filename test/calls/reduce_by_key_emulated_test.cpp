// Folds of runs of equal keys with wf::emulated.
// needs: boost_context
// slow: runs for seconds
#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce_by_key.hpp>

#include "contract/keys_contract.hpp"

namespace {

struct fixture : test::host_memory, test::target_in<test::host_memory> {
  static auto policy() { return wf::emulated; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(key_runs, fixture);
TEST_CASE_TEMPLATE_INVOKE(key_ops, fixture);
TEST_CASE_TEMPLATE_INVOKE(key_errors, fixture);
TEST_CASE_TEMPLATE_INVOKE(key_order, fixture);
TEST_CASE_TEMPLATE_INVOKE(key_async, fixture);
