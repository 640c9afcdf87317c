// Expressions of several arrays, written by wf::emulated.
// needs: boost_context cccl
#include <warpfold/policy/emulated.hpp>

#include "contract/expression_transform_contract.hpp"

namespace {

struct fixture : test::host_memory, test::target_in<test::host_memory> {
  static auto policy() { return wf::emulated; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(expression_transforms, fixture);
TEST_CASE_TEMPLATE_INVOKE(expression_writes, fixture);
