// Host policies query the memory type of a range also from a CUDA driver that is loaded after they
// have run.
// alone: test/CMakeLists.txt defines WARPFOLD_TEST_DRIVER for it
#include <doctest/doctest.h>

#include <vector>

#include <dlfcn.h>

#include <warpfold/reduce.hpp>

#include "contract/policy_contract.hpp"

TEST_CASE("device memory is recognized if the driver is loaded late") {
  const int v[] = {1, 2, 3};  // on the stack: the heap is not asked for
  const std::vector<int> heap(v, v + 3);
  CHECK(wf::reduce(wf::seq, v) == 6);
  CHECK(wf::reduce(wf::seq, v) == 6);
  // late_driver.cpp, which reports all memory as device memory.
  REQUIRE(dlopen(WARPFOLD_TEST_DRIVER, RTLD_NOW) != nullptr);
  test::check_throws<wf::invalid_range>([&] { (void)wf::reduce(wf::seq, v); }, "device memory");
  test::check_throws<wf::invalid_range>([&] { (void)wf::reduce(wf::seq, v); }, "device memory");
  CHECK(wf::reduce(wf::seq, heap) == 6);
}
