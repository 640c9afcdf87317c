// The kernels' contract on the GPU; test/kernel/ladder.hpp says which are the simple ones.
#include "contract/device_memory.hpp"
#include "kernel/ladder.hpp"

namespace {

struct fixture : test::device_memory {
  static auto policy() { return wf::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_APPLY(kernel_types, test::simple_kernels<fixture>);
TEST_CASE_TEMPLATE_APPLY(kernel_ops, test::simple_kernels<fixture>);
TEST_CASE_TEMPLATE_APPLY(kernel_views, test::simple_kernels<fixture>);
TEST_CASE_TEMPLATE_APPLY(kernel_bits, test::simple_kernels<fixture>);
