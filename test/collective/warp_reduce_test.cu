// warp_reduce on a GPU; see contract/warp_contract.hpp.
#include <warpfold/policy/device.hpp>

#include "contract/device_memory.hpp"
#include "contract/warp_contract.hpp"

namespace {

struct gpu_warps {
  template <class Fold>
  static std::vector<typename Fold::state> run(const Fold& fold,
                                               const std::vector<typename Fold::state>& states) {
    using state = typename Fold::state;
    wf::device_buffer<state> in(states), out(states.size() / 32);
    wf::runtime::launch(
        {"warps", test::warps_shape(states.size())},
        test::warp_body<Fold>{fold, {in.data(), in.size()}, {out.data(), out.size()}}, nullptr);
    return test::device_memory::values(out.data(), out.size());
  }
};

}  // namespace

TEST_CASE("a warp's states become one") { test::check_warp_reduce<gpu_warps>(); }
