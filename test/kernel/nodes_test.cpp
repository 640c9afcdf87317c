// kernel::nodes: its launch, and its folds in the emulation.
// needs: boost_context
// slow: runs for seconds
#include <warpfold/kernel/nodes.hpp>

#include <warpfold/policy/emulated.hpp>

#include "contract/nodes_contract.hpp"
#include "contract/policy_contract.hpp"

namespace wf = warpfold;

namespace {

struct fixture : test::host_memory {
  static auto policy() { return wf::emulated; }
};
using nodes = test::nodes_contract<fixture>;

std::size_t parts_of(std::size_t n, std::size_t before, std::size_t whole) {
  const float any = 0;
  const wf::contiguous_view<const float> elements(&any, n);
  return wf::kernel::nodes::parts_of(
             wf::reduction<wf::contiguous_view<const float>, wf::plus>{elements, {}, {}}, before,
             whole, wf::emulation::default_gpu)
      .size();
}

}  // namespace

TEST_CASE("a block for each part: as many as in_order has, and the short nodes at both ends") {
  CHECK(parts_of(1, 5, 100) == 1);
  CHECK(parts_of(1024, 0, 1024) == 1);   // a row of each warp
  CHECK(parts_of(1024, 1, 2048) == 11);  // 1, 2, ... 512 and 1
  CHECK(parts_of(1 << 18, 0, 1 << 18) == 256);
  CHECK(parts_of(1 << 18, 3, 1 << 19) == 255 + 9 + 2);
  CHECK(parts_of(std::size_t{1} << 28, 0, std::size_t{1} << 28) == 2048);
}
TEST_CASE("the nodes of elements anywhere in the whole and in memory") {
  for (const std::size_t n : {1u, 2u, 7u, 1000u, 5000u}) nodes::check_elements(n);
}
TEST_CASE("the nodes of views") {
  for (const std::size_t n : {1u, 33u, 3000u}) nodes::check_views(n);
}
