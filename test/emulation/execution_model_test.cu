// The names of the execution model on a GPU; see contract/execution_model.hpp.
#include <warpfold/emulation/execution_model.hpp>

#include <vector>

#include <warpfold/policy/device.hpp>

#include "contract/device_memory.hpp"
#include "contract/execution_model.hpp"

namespace wf = warpfold;

TEST_CASE("every thread has its index and its warp") {
  wf::device_buffer<test::seen_by_thread> seen(std::vector<test::seen_by_thread>(128));
  wf::device_buffer<unsigned> counters(std::vector<unsigned>{0, 5, 0});
  wf::runtime::launch({"execution_model", test::execution_model_body::shape()},
                      test::execution_model_body{seen.data(), counters.data()}, nullptr);
  test::check_execution_model(test::device_memory::values(seen.data(), 128),
                              test::device_memory::values(counters.data(), 3));
}
