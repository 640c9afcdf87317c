// Wrong offsets and labels, unusual keys and lists: the kernels in the emulation.
// needs: boost_context
// slow: runs for a second
#include <initializer_list>

#include <warpfold/policy/emulated.hpp>

#include "contract/wrong_groups_contract.hpp"

namespace {

struct fixture : test::host_memory, test::target_in<test::host_memory> {
  static constexpr std::size_t elements = 2500;
  static auto policy() { return wf::emulated; }

  static void unchecked(std::initializer_list<test::allowed_array> memory, const auto& call) {
    wf::emulation::launcher launcher(wf::emulation::default_gpu, nullptr);
    launcher.let_races_happen();  // two segments write the same elements
    for (const auto& m : memory) {
      if (m.bytes != 0) launcher.allow(m.first, m.bytes, m.is_written);
    }
    call(wf::emulated, [&]<class Work>(const auto&, const Work& work) {
      wf::kernel::chosen<Work>{}.enqueue(work, launcher);
    });
    launcher.finish();
  }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(wrong_offset_groups, fixture);
TEST_CASE_TEMPLATE_INVOKE(wrong_label_groups, fixture);
TEST_CASE_TEMPLATE_INVOKE(unusual_keys, fixture);
TEST_CASE_TEMPLATE_INVOKE(unusual_lists, fixture);
