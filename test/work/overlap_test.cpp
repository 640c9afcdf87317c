// overlap: two pieces of memory with a byte in common, in either order.
#include <warpfold/work/overlap.hpp>

#include <doctest/doctest.h>

using warpfold::detail::overlap;

TEST_CASE("pieces overlap if they have a byte in common") {
  const char bytes[16] = {};
  CHECK(overlap(bytes, 4, bytes, 4));
  CHECK(overlap(bytes, 4, bytes + 3, 4));
  CHECK(overlap(bytes + 3, 4, bytes, 4));
  CHECK(overlap(bytes, 16, bytes + 5, 1));
  CHECK_FALSE(overlap(bytes, 4, bytes + 4, 4));
  CHECK_FALSE(overlap(bytes + 4, 4, bytes, 4));
}

TEST_CASE("nothing overlaps no bytes") {
  const char bytes[4] = {};
  CHECK_FALSE(overlap(bytes, 4, bytes + 1, 0));
  CHECK_FALSE(overlap(bytes + 1, 0, bytes, 4));
  CHECK_FALSE(overlap(nullptr, 0, nullptr, 0));
}
