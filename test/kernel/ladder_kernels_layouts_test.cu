// The views of memory layouts on the GPU; test/kernel/ladder.hpp says with which kernels.
// needs: boost
#include "contract/device_memory.hpp"
#include "contract/layout_contract.hpp"
#include "kernel/ladder.hpp"

namespace {

struct fixture : test::device_memory {
  static auto policy() { return wf::device; }
  template <class T>
  using soa = wf::soa<T>;
};

}  // namespace

TEST_CASE_TEMPLATE_APPLY(kernel_layouts, test::ladder_kernels<fixture>);
