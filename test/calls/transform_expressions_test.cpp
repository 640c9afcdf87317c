// Expressions of several arrays, written by the host policies.
// needs: tbb cccl
#include <warpfold/policy/par.hpp>

#include "contract/expression_transform_contract.hpp"

namespace {

template <class Policy>
struct fixture : test::host_memory, test::target_in<test::host_memory> {
  static auto policy() { return Policy{}; }
};
using seq = fixture<wf::seq_policy>;
using par = fixture<wf::par_policy>;

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(expression_transforms, seq, par);
TEST_CASE_TEMPLATE_INVOKE(expression_writes, seq, par);
