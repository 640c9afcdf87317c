// Named reductions with wf::emulated.
// needs: boost_context
// alone: compiles for 10 to 20 s
#include <warpfold/policy/emulated.hpp>

#include "contract/everyday_contract.hpp"

namespace {

struct fixture : test::host_memory {
  static auto policy() { return wf::emulated; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(everyday_extrema, test::everyday<fixture, float>);
TEST_CASE_TEMPLATE_INVOKE(everyday_nan, fixture);
TEST_CASE_TEMPLATE_INVOKE(everyday_compensated, fixture);
TEST_CASE_TEMPLATE_INVOKE(everyday_compensated_products, fixture);
TEST_CASE_TEMPLATE_INVOKE(everyday_counts, fixture);
TEST_CASE_TEMPLATE_INVOKE(everyday_products, fixture);
TEST_CASE_TEMPLATE_INVOKE(everyday_norms, fixture);
TEST_CASE_TEMPLATE_INVOKE(everyday_complex_norms, test::everyday<fixture, std::complex<double>>);
TEST_CASE_TEMPLATE_INVOKE(everyday_statistics, fixture);
TEST_CASE_TEMPLATE_INVOKE(everyday_numpy, fixture);
TEST_CASE_TEMPLATE_INVOKE(everyday_forms, fixture);
TEST_CASE_TEMPLATE_INVOKE(everyday_projected, fixture);
TEST_CASE_TEMPLATE_INVOKE(everyday_arg_of_class, fixture);
TEST_CASE_TEMPLATE_INVOKE(everyday_fused, fixture);
