// Segments by offsets, by begins and ends, and of one size: their number and bounds, and errors.
#include <warpfold/view/segments.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace wf = warpfold;

TEST_CASE("segments by offsets: one fewer than there are offsets") {
  const std::vector<short> offsets{2, 2, 7};
  const auto s = wf::detail::segments_in(offsets, 9);
  CHECK(s.size() == 2);
  CHECK(s.begin(0) == 2);
  CHECK(s.end(0) == 2);
  CHECK(s.begin(1) == 2);
  CHECK(s.end(1) == 7);
  static_assert(std::is_same_v<decltype(s.begin(0)), short>);
  std::size_t bytes = 0;
  s.visit_memory([&](const void* p, std::size_t n, std::size_t) {
    CHECK(p == offsets.data());
    bytes += n;
  });
  CHECK(bytes == 6);
  CHECK(wf::detail::segments_in(std::vector<int>{4}, 9).size() == 0);
  CHECK(wf::detail::segments_in(std::vector<int>{}, 9).size() == 0);
}

TEST_CASE("segments by begins and ends need one end for each begin") {
  const std::vector<int> begins{5, 0};
  const std::vector<unsigned> ends{6, 4}, more{6, 4, 7};
  const auto s = wf::segments_between(begins, ends);
  CHECK(s.size() == 2);
  CHECK(s.begin(0) == 5);
  CHECK(s.end(0) == 6);
  CHECK(s.begin(1) == 0);
  CHECK(s.end(1) == 4);
  std::size_t arrays = 0;
  s.visit_memory([&](const void*, std::size_t, std::size_t) { ++arrays; });
  CHECK(arrays == 2);
  CHECK_THROWS_WITH_AS(wf::segments_between(begins, more), doctest::Contains("2 begins and 3 ends"),
                       wf::invalid_range);
}

TEST_CASE("segments of one size divide the range evenly") {
  const auto three = wf::segments_of_size(3);
  const auto s = wf::detail::segments_in(three, 12);
  CHECK(s.size() == 4);
  CHECK(s.begin(3) == 9);
  CHECK(s.end(3) == 12);
  CHECK(wf::detail::segments_in(three, 0).size() == 0);
  CHECK_THROWS_WITH_AS(wf::detail::segments_in(three, 13),
                       doctest::Contains("has 13 elements, which segments of 3"),
                       wf::invalid_range);
  CHECK_THROWS_AS(wf::segments_of_size(0), wf::invalid_range);
}
