// The views of memory layouts on the GPU; test/kernel/ladder.hpp says with which kernels.
// needs: boost
#include "contract/layout_contract.hpp"
#include "kernel/ladder.hpp"

TEST_CASE_TEMPLATE_APPLY(kernel_layouts, test::simple_kernels<test::layout_fixture>);
