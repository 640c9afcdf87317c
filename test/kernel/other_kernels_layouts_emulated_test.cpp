// The views of memory layouts in the emulation; test/kernel/ladder.hpp says with which kernels.
// needs: boost_context boost
#include "contract/layout_contract.hpp"
#include "kernel/ladder.hpp"

TEST_CASE_TEMPLATE_APPLY(kernel_layouts, test::other_kernels<test::layout_fixture>);
