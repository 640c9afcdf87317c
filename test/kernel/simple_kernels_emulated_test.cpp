// The kernels' contract in the emulation; test/kernel/ladder.hpp says which are the simple ones.
// needs: boost_context
#include <warpfold/policy/emulated.hpp>

#include "kernel/ladder.hpp"

namespace {

struct fixture : test::host_memory {
  static auto policy() { return wf::emulated; }
};

}  // namespace

TEST_CASE_TEMPLATE_APPLY(kernel_types, test::simple_kernels<fixture>);
TEST_CASE_TEMPLATE_APPLY(kernel_ops, test::simple_kernels<fixture>);
TEST_CASE_TEMPLATE_APPLY(kernel_views, test::simple_kernels<fixture>);
TEST_CASE_TEMPLATE_APPLY(kernel_bits, test::simple_kernels<fixture>);
