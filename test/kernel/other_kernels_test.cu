// The kernels' contract on the GPU; test/kernel/ladder.hpp says which are the other ones.
#include "contract/device_memory.hpp"
#include "kernel/ladder.hpp"

namespace {

struct fixture : test::device_memory {
  static auto policy() { return wf::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_APPLY(kernel_types, test::other_kernels<fixture>);
TEST_CASE_TEMPLATE_APPLY(kernel_ops, test::other_kernels<fixture>);
TEST_CASE_TEMPLATE_APPLY(kernel_views, test::other_kernels<fixture>);
TEST_CASE_TEMPLATE_APPLY(kernel_bits, test::other_kernels<fixture>);
