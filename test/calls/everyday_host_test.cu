// Named reductions with a host policy, compiled by nvcc, which does not vectorize code that may
// also run on the device.
// needs: tbb
#include <warpfold/policy/par.hpp>

#include "contract/everyday_contract.hpp"

namespace {

struct par : test::host_memory {
  static auto policy() { return wf::par; }
};

}  // namespace

TEST_CASE_TEMPLATE_APPLY(everyday_extrema, test::everyday_numbers<par>);
TEST_CASE_TEMPLATE_INVOKE(everyday_nan, par);
TEST_CASE_TEMPLATE_INVOKE(everyday_compensated, par);
TEST_CASE_TEMPLATE_INVOKE(everyday_counts, par);
TEST_CASE_TEMPLATE_INVOKE(everyday_products, par);
TEST_CASE_TEMPLATE_INVOKE(everyday_norms, par);
TEST_CASE_TEMPLATE_INVOKE(everyday_statistics, par);
TEST_CASE_TEMPLATE_INVOKE(everyday_arg_of_class, par);
TEST_CASE_TEMPLATE_INVOKE(everyday_fused, par);
