// Sets of lanes, compared with loops over their bits.
#include <warpfold/collective/lane_set.hpp>

#include <doctest/doctest.h>

namespace wf = warpfold;

TEST_CASE("number, highest and lower lanes") {
  unsigned bits = 1;
  for (int i = 0; i < 1000; ++i) {
    bits = bits * 1664525u + 1013904223u;
    const unsigned lanes = bits >> i % 31 | (i % 7 == 0 ? 1u << 31 : 1u);
    unsigned count = 0, highest = 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      if ((lanes >> lane & 1) == 0) continue;
      ++count;
      highest = lane;
    }
    REQUIRE(wf::collective::lane_count(lanes) == count);
    REQUIRE(wf::collective::highest_lane(lanes) == highest);
  }
  CHECK(wf::collective::lane_count(0) == 0);
  CHECK(wf::collective::lanes_below(0) == 0);
  CHECK(wf::collective::lanes_below(31) == 0x7fffffff);
}
