// Waiting without a GPU: a flag that is set already, and a stream that can never set it.
#include <cstdlib>

#include <warpfold/runtime/wait.hpp>

#include <doctest/doctest.h>

namespace wf = warpfold;

namespace {

using wf::runtime::waiting;

// Before the first CUDA call, which reads it.
const bool hidden = setenv("CUDA_VISIBLE_DEVICES", "", 1) == 0;

const wf::launched what{"sum", {.grid = 5, .block = 32}};

}  // namespace

TEST_CASE("a flag that has the signal is not waited for, and no CUDA call is made") {
  REQUIRE(hidden);
  const unsigned flag = 17;
  wf::runtime::wait_for_flag(&flag, 17, nullptr, what);
  wf::runtime::wait_for_flag(&flag, 17, nullptr, what, waiting::sleeps);
}

TEST_CASE("where the stream cannot be asked, the wait ends, and names the kernel") {
  REQUIRE(hidden);
  const unsigned flag = 17;
  for (const waiting how : {waiting::spins, waiting::sleeps}) {
    CHECK_THROWS_WITH_AS(wf::runtime::wait_for_flag(&flag, 18, nullptr, what, how),
                         doctest::Contains("the kernel was sum<<<5, 32>>>"), wf::no_device);
    CHECK_THROWS_WITH_AS(
        wf::runtime::wait_for_stream(nullptr, how, [] { return wf::message("its purpose"); }),
        doctest::Contains("its purpose"), wf::no_device);
  }
}
