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
    wf::device_buffer<state> in(states);
    // With something in it, for initcheck sees that the padding of a state is copied and was never
    // written.
    const auto warps = static_cast<std::ptrdiff_t>(states.size() / 32);
    wf::device_buffer<state> out(std::vector<state>(states.begin(), states.begin() + warps));
    wf::runtime::launch(
        {"warps", test::warps_shape(states.size())},
        test::warp_body<Fold>{fold, {in.data(), in.size()}, {out.data(), out.size()}}, nullptr);
    return test::device_memory::values(out.data(), out.size());
  }
};

}  // namespace

TEST_CASE("a warp's states become one") { test::check_warp_reduce<gpu_warps>(); }
