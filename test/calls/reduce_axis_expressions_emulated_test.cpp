// Folds of expressions of several arrays with wf::emulated.
// needs: boost_context cccl
#include <warpfold/policy/emulated.hpp>

#include "contract/expression_contract.hpp"

namespace {

struct fixture : test::host_memory, test::target_in<test::host_memory> {
  static auto policy() { return wf::emulated; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(expression_products, fixture);
TEST_CASE_TEMPLATE_INVOKE(expression_broadcasts, fixture);
TEST_CASE_TEMPLATE_INVOKE(expression_functions, fixture);
TEST_CASE_TEMPLATE_INVOKE(expression_axes, fixture);
TEST_CASE_TEMPLATE_INVOKE(expression_outputs, fixture);
TEST_CASE_TEMPLATE_INVOKE(expression_accumulates, fixture);
TEST_CASE_TEMPLATE_INVOKE(expression_errors, fixture);
