// The reductions of every day by the policies of the host.
// needs: tbb
#include <warpfold/policy/par.hpp>
#include <warpfold/policy/std_par.hpp>

#include "contract/everyday_contract.hpp"

namespace {

template <class Policy>
struct fixture : test::host_memory {
  static auto policy() { return Policy{}; }
};
using seq = fixture<wf::seq_policy>;
using par = fixture<wf::par_policy>;
using std_par = fixture<wf::baseline::std_par_policy>;

}  // namespace

TEST_CASE_TEMPLATE_APPLY(everyday_extrema, test::everyday_numbers<seq>);
TEST_CASE_TEMPLATE_APPLY(everyday_extrema, test::everyday_numbers<par>);
TEST_CASE_TEMPLATE_INVOKE(everyday_extrema, test::everyday<std_par, float>);
TEST_CASE_TEMPLATE_INVOKE(everyday_nan, seq, par, std_par);
TEST_CASE_TEMPLATE_INVOKE(everyday_compensated, seq, par, std_par);
TEST_CASE_TEMPLATE_INVOKE(everyday_counts, seq, par, std_par);
TEST_CASE_TEMPLATE_INVOKE(everyday_products, seq, par, std_par);
TEST_CASE_TEMPLATE_INVOKE(everyday_norms, seq, par, std_par);
TEST_CASE_TEMPLATE_INVOKE(everyday_statistics, seq, par, std_par);
TEST_CASE_TEMPLATE_INVOKE(everyday_numpy, seq, par, std_par);
TEST_CASE_TEMPLATE_INVOKE(everyday_fused, seq, par, std_par);
