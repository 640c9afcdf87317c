// Unusual keys and lists of ranges on the GPU.
#include <warpfold/policy/device.hpp>

#include "contract/device_memory.hpp"
#include "contract/wrong_groups_contract.hpp"

namespace {

struct fixture : test::device_memory, test::target_in<test::device_memory> {
  static constexpr std::size_t elements = 100'003;
  static auto policy() { return wf::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(unusual_keys, fixture);
TEST_CASE_TEMPLATE_INVOKE(unusual_lists, fixture);
