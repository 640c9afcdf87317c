// The kernels' contract in the emulation: group 1 of test/kernel/kernel_groups.hpp.
// needs: boost_context
// flags: -O1
#include <warpfold/policy/emulated.hpp>

#include "kernel/kernel_groups.hpp"

namespace {

struct fixture : test::host_memory {
  static auto policy() { return wf::emulated; }
};

}  // namespace

TEST_CASE_TEMPLATE_APPLY(kernel_types, test::group_of_kernels<fixture, 1>);
TEST_CASE_TEMPLATE_APPLY(kernel_ops, test::group_of_kernels<fixture, 1>);
TEST_CASE_TEMPLATE_APPLY(kernel_views, test::group_of_kernels<fixture, 1>);
TEST_CASE_TEMPLATE_APPLY(kernel_bits, test::group_of_kernels<fixture, 1>);
