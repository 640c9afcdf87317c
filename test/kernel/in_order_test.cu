// kernel::in_order on the GPU: the bits of wf::seq.
#include "contract/device_memory.hpp"
#include "contract/in_order_contract.hpp"

namespace wf = warpfold;

namespace {

struct fixture : test::device_memory {
  static auto policy() { return wf::device; }
};
using order = test::in_order_contract<fixture>;

}  // namespace

TEST_CASE("the tree is that of the declared order") { order::check_certificate(1u << 18); }
TEST_CASE("the tree of views, masks and counted ranges") { order::check_views(); }
TEST_CASE("the tree of ranges that read no memory") { order::check_computed(1u << 18); }
TEST_CASE("the tree of structs that are copied to shared memory") { order::check_structs(300001); }
TEST_CASE("the bits of numbers") { order::check_numbers(100000); }
TEST_CASE("[large] the bits of many numbers") { order::check_numbers(30'000'000); }
