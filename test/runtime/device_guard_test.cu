// device_guard: another device is current, and then the one before.
#include <warpfold/runtime/device_guard.hpp>

#include <doctest/doctest.h>

namespace wf = warpfold;

TEST_CASE("the device before is current again, also after an error") {
  int count = 0;
  REQUIRE(cudaGetDeviceCount(&count) == cudaSuccess);
  const int before = wf::runtime::current_device();
  {
    const wf::runtime::device_guard on(count - 1);
    CHECK(wf::runtime::current_device() == count - 1);
  }
  CHECK(wf::runtime::current_device() == before);
  CHECK_THROWS_AS(wf::runtime::device_guard{count}, wf::error);
  CHECK(wf::runtime::current_device() == before);
  CHECK(cudaGetLastError() == cudaSuccess);
}
