// The bits of 205 folds of groups, as a number that is stored: the same from wf::seq, from wf::par
// with any number of threads, and from the emulation of the kernels that wf::device chooses.
// needs: tbb boost_context cccl
// slow: runs for seconds
#include "contract/group_bits.hpp"

#include <oneapi/tbb/task_arena.h>

#include <doctest/doctest.h>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>

#include "contract/policy_contract.hpp"

TEST_CASE("one thread") {
  CHECK(test::group_bits<test::host_memory>(wf::seq) == test::expected_group_bits);
}

TEST_CASE("any number of threads") {
  for (int threads = 1; threads <= 16; ++threads) {
    CAPTURE(threads);
    tbb::task_arena arena(threads);
    arena.execute(
        [] { CHECK(test::group_bits<test::host_memory>(wf::par) == test::expected_group_bits); });
  }
}

TEST_CASE("the kernels in the emulation") {
  CHECK(test::group_bits<test::host_memory>(wf::emulated) == test::expected_group_bits);
}
