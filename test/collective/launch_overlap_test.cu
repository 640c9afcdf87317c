// launch_overlap.hpp on a GPU: launches that may overlap, again and again.
#include <warpfold/collective/launch_overlap.hpp>

#include <warpfold/policy/device.hpp>

#include "contract/device_memory.hpp"
#include "contract/overlapping_launches.hpp"

namespace wf = warpfold;

TEST_CASE("the second of two launches sees what the first has written") {
  const std::vector<int> zeros(test::overlapping_threads);
  for (int run = 0; run < 20; ++run) {
    wf::device_buffer<int> between(zeros), results(zeros);
    const test::first_launch first{{between.data(), between.size()}};
    const test::second_launch second{{between.data(), between.size()},
                                     {results.data(), results.size()}};
    wf::runtime::launch({"first", test::overlapping_shape}, first, nullptr);
    wf::runtime::launch({"second", test::overlapping_shape}, second, nullptr);
    test::check_overlapping(test::device_memory::values(results.data(), results.size()));
  }
}
