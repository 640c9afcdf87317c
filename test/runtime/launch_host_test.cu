// Launches that fail before a GPU sees them: shapes that no kernel takes, and no GPU.
#include <cstdlib>

#include <warpfold/runtime/launch.hpp>

#include <doctest/doctest.h>

namespace wf = warpfold;

namespace {

// Before the first CUDA call, which reads it.
const bool hidden = setenv("CUDA_VISIBLE_DEVICES", "", 1) == 0;

struct does_nothing {
  static constexpr int max_block = 128;
  static constexpr bool calls_user_functions = false;
  __device__ void operator()() const {}
};

void launch(const wf::launch_shape& shape) {
  wf::runtime::launch({"nothing", shape}, does_nothing{}, nullptr, wf::device_info{});
}

}  // namespace

TEST_CASE("a shape that the kernel does not take is refused before any CUDA call") {
  REQUIRE(hidden);
  CHECK_THROWS_WITH_AS(launch({.grid = 1, .block = 160}), doctest::Contains("up to 128"),
                       wf::unsupported_kernel);
  CHECK_THROWS_WITH_AS(launch({.grid = 0, .block = 128}),
                       doctest::Contains("kernel nothing was asked for a grid without blocks"),
                       wf::unsupported_kernel);
}

TEST_CASE("a launch that fails says which kernel and shape") {
  REQUIRE(hidden);
  CHECK_THROWS_WITH_AS(launch({.grid = 5, .block = 128}),
                       doctest::Contains("the kernel was nothing<<<5, 128>>>"), wf::no_device);
  CHECK_THROWS_AS((void)wf::runtime::kernel_of<does_nothing>().resident_blocks(
                      wf::runtime::current_device_info(), {.grid = 1, .block = 32}),
                  wf::no_device);
}
