// Folds along an axis into accumulate(out), with the host policies.
// needs: tbb cccl
#include "calls/host_policies.hpp"
#include "contract/axis_accumulate_contract.hpp"

TEST_CASE_TEMPLATE_INVOKE(axis_accumulates, test::seq, test::par);
TEST_CASE_TEMPLATE_INVOKE(axis_accumulates_others, test::seq);
