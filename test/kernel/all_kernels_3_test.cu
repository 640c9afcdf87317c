// The kernels' contract on the GPU: group 3 of test/kernel/kernel_groups.hpp.
#include "contract/device_memory.hpp"
#include "kernel/kernel_groups.hpp"

namespace {

struct fixture : test::device_memory {
  static auto policy() { return wf::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_APPLY(kernel_types, test::group_of_kernels<fixture, 3>);
TEST_CASE_TEMPLATE_APPLY(kernel_ops, test::group_of_kernels<fixture, 3>);
TEST_CASE_TEMPLATE_APPLY(kernel_views, test::group_of_kernels<fixture, 3>);
TEST_CASE_TEMPLATE_APPLY(kernel_bits, test::group_of_kernels<fixture, 3>);
