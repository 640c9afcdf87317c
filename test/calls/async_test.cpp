// Functions that write their results, by the policies of the host.
// needs: tbb
#include "calls/host_policies.hpp"
#include "contract/async_contract.hpp"

TEST_CASE_TEMPLATE_INVOKE(async_folds, test::par);
TEST_CASE_TEMPLATE_INVOKE(async_finished, test::seq, test::std_par);
TEST_CASE_TEMPLATE_INVOKE(async_empty, test::seq);
TEST_CASE_TEMPLATE_INVOKE(async_stored, test::seq, test::par, test::std_par);
TEST_CASE_TEMPLATE_INVOKE(waiting_stored, test::seq, test::par);
TEST_CASE_TEMPLATE_INVOKE(async_chained, test::par);
