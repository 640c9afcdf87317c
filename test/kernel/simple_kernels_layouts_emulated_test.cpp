// The views of memory layouts in the emulation; test/kernel/ladder.hpp says with which kernels.
// needs: boost_context boost
#include <warpfold/policy/emulated.hpp>

#include "contract/layout_contract.hpp"
#include "kernel/ladder.hpp"

namespace {

struct fixture : test::host_memory {
  static auto policy() { return wf::emulated; }
  template <class T>
  using soa = wf::host_soa<T>;
};

}  // namespace

TEST_CASE_TEMPLATE_APPLY(kernel_layouts, test::simple_kernels<fixture>);
