// The views of memory layouts on the GPU: group 2 of test/kernel/kernel_groups.hpp.
// needs: boost
#include "contract/layout_contract.hpp"
#include "kernel/kernel_groups.hpp"

TEST_CASE_TEMPLATE_APPLY(kernel_layouts, test::group_of_kernels<test::layout_fixture, 2>);
