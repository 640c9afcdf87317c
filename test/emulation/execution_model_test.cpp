// The names of the execution model mean in the emulation what execution_model_test.cu checks on a
// GPU; see contract/execution_model.hpp.
// needs: boost_context
#include <warpfold/emulation/execution_model.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/runtime/emulated_launcher.hpp>

#include "contract/execution_model.hpp"

namespace wf = warpfold;

TEST_CASE("every thread has its index and its warp") {
  std::vector<test::seen_by_thread> seen(128);
  std::vector<unsigned> counters = {0, 5, 0};
  wf::emulation::launcher on(wf::emulation::default_gpu, nullptr);
  on.allow(counters.data(), counters.size() * sizeof(unsigned), true);
  on.launch("execution_model", test::execution_model_body{seen.data(), counters.data()},
            test::execution_model_body::shape());
  test::check_execution_model(seen, counters);
}
