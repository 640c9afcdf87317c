// The declared order of rows, columns and segments of one size in the emulation.
// needs: boost_context cccl
// slow: runs for seconds
#include "contract/axis_order_contract.hpp"

#include <warpfold/policy/emulated.hpp>

#include "contract/policy_contract.hpp"

namespace {

struct fixture : test::host_memory {
  static constexpr int shapes = 40;
  static constexpr std::size_t most_elements = 100'000;
  static auto policy() { return wf::emulated; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(axis_order_of_shapes, fixture);
TEST_CASE_TEMPLATE_INVOKE(axis_order_of_few_rows, fixture);
TEST_CASE_TEMPLATE_INVOKE(axis_order_of_large_states, fixture);
TEST_CASE_TEMPLATE_INVOKE(axis_order_of_expressions, fixture);
TEST_CASE_TEMPLATE_INVOKE(axis_order_of_rows, fixture);
