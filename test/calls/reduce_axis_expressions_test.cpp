// Folds of expressions of several arrays with the host policies.
// needs: tbb cccl
#include <warpfold/policy/par.hpp>

#include "contract/expression_contract.hpp"

namespace {

template <class Policy>
struct fixture : test::host_memory, test::target_in<test::host_memory> {
  static auto policy() { return Policy{}; }
};
using seq = fixture<wf::seq_policy>;
using par = fixture<wf::par_policy>;

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(expression_products, seq, par);
TEST_CASE_TEMPLATE_INVOKE(expression_broadcasts, seq, par);
TEST_CASE_TEMPLATE_INVOKE(expression_functions, seq, par);
TEST_CASE_TEMPLATE_INVOKE(expression_axes, seq, par);
TEST_CASE_TEMPLATE_INVOKE(expression_outputs, seq, par);
TEST_CASE_TEMPLATE_INVOKE(expression_accumulates, seq, par);
TEST_CASE_TEMPLATE_INVOKE(expression_errors, seq, par);
