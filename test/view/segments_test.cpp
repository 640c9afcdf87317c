// Segments by offsets, by begins and ends, and of one size: their number and bounds, and errors.
#include <warpfold/view/segments.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/view/counted.hpp>

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

namespace {

struct plain_loads {
  template <class T>
  T load(const T* from) const {
    return *from;
  }
};

template <class Segments>
std::size_t size_for(Segments segments) {
  segments.read_size(plain_loads{});
  return segments.size();
}
template <class Segments>
std::size_t size_on_host(Segments segments) {
  segments.read_size_on_host();
  return segments.size();
}

}  // namespace

TEST_CASE("the count of offsets is the number of segments, and at most all of them") {
  const std::vector<int> offsets{0, 2, 7, 9};
  int count = 2;
  const auto s = wf::detail::segments_in(wf::counted(offsets, &count), 9);
  static_assert(s.are_adjacent && s.has_size_in_memory);
  CHECK(s.size() == 3);
  CHECK(s.end(2) == 9);
  for (const int n : {0, 2, 3}) {
    count = n;
    CHECK(size_for(s) == static_cast<std::size_t>(n));
    CHECK(size_on_host(s) == static_cast<std::size_t>(n));
  }
  for (const int n : {4, 5, -1}) {
    count = n;
    CHECK(size_for(s) == (n < 0 ? 0 : 3));
    CHECK_THROWS_AS(size_on_host(s), wf::invalid_range);
  }
  count = 4;
  CHECK_THROWS_WITH_AS(size_on_host(s), doctest::Contains("4, but the offsets make only 3"),
                       wf::invalid_range);
  count = 0;
  const std::vector<int> none;
  CHECK(size_for(wf::detail::segments_in(wf::counted(none, &count), 9)) == 0);
}

TEST_CASE("begins or ends with a count: the smaller one is the number of segments") {
  const std::vector<int> begins{5, 0, 3}, ends{6, 4, 3};
  const std::size_t one = 1, two = 2, four = 4;
  const auto some = wf::segments_between(wf::counted(begins, &two), ends);
  CHECK(some.size() == 3);
  CHECK(size_for(some) == 2);
  CHECK(size_on_host(some) == 2);
  CHECK(size_for(wf::segments_between(begins, wf::counted(ends, &one))) == 1);
  CHECK(size_for(wf::segments_between(wf::counted(begins, &two), wf::counted(ends, &one))) == 1);
  CHECK_THROWS_AS(size_on_host(wf::segments_between(begins, wf::counted(ends, &four))),
                  wf::invalid_range);
  static_assert(!decltype(wf::segments_between(begins, ends))::has_size_in_memory);
}

TEST_CASE("elements that do not exist are in no segment") {
  const std::vector<short> offsets{2, 4, 7};
  const auto all = wf::detail::segments_in(offsets, 9);
  const wf::detail::clamped_segments some(all, 3);
  static_assert(some.are_adjacent);
  CHECK(some.size() == 2);
  CHECK(some.begin(0) == 2);
  CHECK(some.end(0) == 3);
  CHECK(some.begin(1) == 3);
  CHECK(some.end(1) == 3);
}
