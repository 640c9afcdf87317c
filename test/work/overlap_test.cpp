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

namespace {

// Writes four bytes and reads others.
struct four_bytes {
  const char* to;
  const char* from;
  template <class Visit>
  void visit_written(const Visit& visit) const {
    visit(to, 4, 1);
  }
  template <class Visit>
  void visit_read(const Visit& visit) const {
    visit(from, 4, 1);
  }
};

}  // namespace

TEST_CASE("outputs must lie outside the input and outside each other") {
  const char bytes[16] = {};
  warpfold::detail::require_outside_input(four_bytes{bytes, bytes + 4});
  CHECK_THROWS_WITH_AS(warpfold::detail::require_outside_input(four_bytes{bytes, bytes + 3}),
                       doctest::Contains("(4 bytes) overlaps the input at"),
                       warpfold::invalid_range);
  warpfold::detail::require_own_memory(bytes, 4, bytes + 4, 4);
  CHECK_THROWS_WITH_AS(warpfold::detail::require_own_memory(bytes, 4, bytes + 3, 4),
                       doctest::Contains("overlap; pass outputs with memory of their own"),
                       warpfold::invalid_range);
}
