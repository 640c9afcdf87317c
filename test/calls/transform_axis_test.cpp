// Rows with a function of their folds, written by the host policies.
// needs: tbb cccl
#include <warpfold/policy/par.hpp>

#include "contract/transform_axis_contract.hpp"

namespace {

template <class Policy>
struct fixture : test::host_memory, test::target_in<test::host_memory> {
  static auto policy() { return Policy{}; }
};
using seq = fixture<wf::seq_policy>;
using par = fixture<wf::par_policy>;

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(transforms_axis_rows, seq, par);
TEST_CASE_TEMPLATE_INVOKE(transforms_axis, seq, par);
TEST_CASE_TEMPLATE_INVOKE(transforms_axis_expressions, seq, par);
