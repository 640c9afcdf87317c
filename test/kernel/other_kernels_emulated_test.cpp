// The kernels' contract in the emulation; test/kernel/ladder.hpp says which are the other ones.
// needs: boost_context
#include <warpfold/policy/emulated.hpp>

#include "kernel/ladder.hpp"

namespace {

struct fixture : test::host_memory {
  static auto policy() { return wf::emulated; }
};

}  // namespace

TEST_CASE_TEMPLATE_APPLY(kernel_types, test::other_kernels<fixture>);
TEST_CASE_TEMPLATE_APPLY(kernel_ops, test::other_kernels<fixture>);
TEST_CASE_TEMPLATE_APPLY(kernel_views, test::other_kernels<fixture>);
TEST_CASE_TEMPLATE_APPLY(kernel_bits, test::other_kernels<fixture>);
