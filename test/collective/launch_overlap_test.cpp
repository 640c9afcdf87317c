// launch_overlap.hpp in the emulation, where launches run one after another: a launch sees all that
// the one before has written, whether or not its body is declared to overlap.
// needs: boost_context
#include <warpfold/collective/launch_overlap.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/runtime/emulated_launcher.hpp>

#include "contract/overlapping_launches.hpp"

namespace wf = warpfold;

TEST_CASE("the second of two launches sees what the first has written") {
  std::vector<int> between(test::overlapping_threads), results(test::overlapping_threads);
  wf::emulation::launcher on(wf::emulation::default_gpu, nullptr);
  on.allow(between.data(), between.size() * sizeof(int), true);
  on.allow(results.data(), results.size() * sizeof(int), true);
  on.launch("first", test::first_launch{{between.data(), between.size()}}, test::overlapping_shape);
  on.launch("second",
            test::second_launch{{between.data(), between.size()}, {results.data(), results.size()}},
            test::overlapping_shape);
  test::check_overlapping(results);
}
