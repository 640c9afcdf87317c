// The bits of 205 folds of groups on the GPU are those of group_bits_test.cpp.
#include "contract/group_bits.hpp"

#include <doctest/doctest.h>

#include <warpfold/policy/device.hpp>

#include "contract/device_memory.hpp"

namespace wf = warpfold;

TEST_CASE("wf::device") {
  CHECK(test::group_bits<test::device_memory>(wf::device) == test::expected_group_bits);
}
