// warp_reduce in the emulation; see contract/warp_contract.hpp.
// needs: boost_context
// slow: runs for seconds
#include <warpfold/policy/emulated.hpp>

#include "contract/warp_contract.hpp"

namespace {

struct emulated_warps {
  template <class Fold>
  static std::vector<typename Fold::state> run(const Fold& fold,
                                               std::vector<typename Fold::state> states) {
    using state = typename Fold::state;
    std::vector<state> results(states.size() / 32);
    wf::emulation::launcher on(wf::emulation::default_gpu, nullptr);
    on.allow(states.data(), states.size() * sizeof(state), false);
    on.allow(results.data(), results.size() * sizeof(state), true);
    on.launch("warps",
              test::warp_body<Fold>{
                  fold, {states.data(), states.size()}, {results.data(), results.size()}},
              test::warps_shape(states.size()));
    return results;
  }
};

}  // namespace

TEST_CASE("a warp's states become one") { test::check_warp_reduce<emulated_warps>(); }
