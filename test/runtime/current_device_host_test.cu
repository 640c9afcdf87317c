// The current device where there is none: no_device, every time.
#include <cstdlib>

#include <warpfold/runtime/current_device.hpp>

#include <doctest/doctest.h>

namespace wf = warpfold;

namespace {

// Before the first CUDA call, which reads it.
const bool hidden = setenv("CUDA_VISIBLE_DEVICES", "", 1) == 0;

}  // namespace

TEST_CASE("without a GPU there is no current one, and asking again does not change that") {
  REQUIRE(hidden);
  for (int i = 0; i < 2; ++i) {
    CHECK_THROWS_WITH_AS((void)wf::runtime::current_device_info(),
                         doctest::Contains("Looked for an NVIDIA GPU"), wf::no_device);
  }
}
