// Wrong offsets and labels on the GPU. compute-sanitizer's memcheck shows
// accesses outside of the arrays.
#include <initializer_list>

#include <warpfold/policy/device.hpp>

#include "contract/device_memory.hpp"
#include "contract/wrong_groups_contract.hpp"

namespace {

struct fixture : test::device_memory, test::target_in<test::device_memory> {
  static constexpr std::size_t elements = 100'003;
  static auto policy() { return wf::device; }

  // Calls that wait would report wrong bounds.
  static void unchecked(std::initializer_list<test::allowed_array>, const auto& call) {
    call(wf::device, wf::detail::enqueue_now);
    wf::runtime::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(wrong_offset_groups, fixture);
TEST_CASE_TEMPLATE_INVOKE(wrong_label_groups, fixture);
