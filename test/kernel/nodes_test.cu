// kernel::nodes on the GPU: the nodes of wf::seq.
#include <warpfold/kernel/nodes.hpp>

#include <warpfold/policy/device.hpp>

#include "contract/device_memory.hpp"
#include "contract/nodes_contract.hpp"

namespace wf = warpfold;

namespace {

struct fixture : test::device_memory {
  static auto policy() { return wf::device; }
};
using nodes = test::nodes_contract<fixture>;

}  // namespace

TEST_CASE("the nodes of elements anywhere in the whole and in memory") {
  for (const std::size_t n : {1u, 2u, 7u, 1000u, 300'000u}) nodes::check_elements(n);
}
TEST_CASE("[large] the nodes of many elements") { nodes::check_elements(20'000'000); }
TEST_CASE("the nodes of views") {
  for (const std::size_t n : {1u, 33u, 3000u, 300'000u}) nodes::check_views(n);
}
