// Folds along an axis by the policies of the host.
// needs: tbb cccl
#include <warpfold/policy/par.hpp>

#include "contract/axis_contract.hpp"

namespace {

template <class Policy>
struct fixture : test::host_memory, test::target_in<test::host_memory> {
  static auto policy() { return Policy{}; }
};
using seq = fixture<wf::seq_policy>;
using par = fixture<wf::par_policy>;

}  // namespace

TEST_CASE_TEMPLATE_APPLY(axis_matrices, test::axis_folds<seq>);
TEST_CASE_TEMPLATE_APPLY(axis_matrices, test::axis_folds<par>);
TEST_CASE_TEMPLATE_APPLY(axis_long, test::axis_folds<par>);
TEST_CASE_TEMPLATE_INVOKE(axis_ranks, seq, par);
TEST_CASE_TEMPLATE_INVOKE(axis_outputs, seq, par);
TEST_CASE_TEMPLATE_INVOKE(axis_empty, seq, par);
TEST_CASE_TEMPLATE_INVOKE(axis_errors, seq, par);
TEST_CASE_TEMPLATE_INVOKE(axis_repeats, seq, par);
