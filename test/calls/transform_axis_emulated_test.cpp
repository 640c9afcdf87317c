// Rows with a function of their folds, written by wf::emulated.
// needs: boost_context cccl
#include <warpfold/policy/emulated.hpp>

#include "contract/transform_axis_contract.hpp"

namespace {

struct fixture : test::host_memory, test::target_in<test::host_memory> {
  static auto policy() { return wf::emulated; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(transforms_axis_rows, fixture);
TEST_CASE_TEMPLATE_INVOKE(transforms_axis, fixture);
TEST_CASE_TEMPLATE_INVOKE(transforms_axis_expressions, fixture);
