// copy and copy_async by wf::seq: conversions, views, and outputs that overlap the range. The
// contract of transformations runs them by every policy.
#include <warpfold/copy.hpp>

#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

namespace wf = warpfold;

TEST_CASE("copy converts elements and leaves later elements of the output unchanged") {
  const std::vector<double> in = {1.75, -2.5, 300};
  std::vector<int> ints(5, -7);
  wf::copy(wf::seq, in, ints);
  CHECK(ints == std::vector<int>{1, -2, 300, -7, -7});
  std::vector<float> floats(3);
  wf::copy_async(wf::seq, in, floats.data());
  CHECK(floats == std::vector<float>{1.75f, -2.5f, 300});
}

TEST_CASE("views are written out") {
  std::vector<long> out(4);
  wf::copy(wf::seq, wf::counting(5, 4), out);
  CHECK(out == std::vector<long>{5, 6, 7, 8});
  wf::copy(wf::seq, wf::project(out, [](long x) { return x * x; }), out);  // in place
  CHECK(out == std::vector<long>{25, 36, 49, 64});
  wf::copy(wf::seq, std::vector<long>{}, out);
  CHECK(out == std::vector<long>{25, 36, 49, 64});
}

TEST_CASE("short and overlapping outputs throw before anything is written") {
  std::vector<int> v(10);
  std::iota(v.begin(), v.end(), 0);
  const std::vector<int> before = v;
  const std::span<int> all(v);
  CHECK_THROWS_WITH_AS(wf::copy(wf::seq, all, all.subspan(1, 9)),
                       doctest::Contains("the output has 9 elements, but the range has 10"),
                       wf::invalid_range);
  CHECK_THROWS_WITH_AS(wf::copy(wf::seq, all.first(9), all.subspan(1)),
                       doctest::Contains("overlaps the range"), wf::invalid_range);
  CHECK_THROWS_AS(wf::copy_async(wf::seq, all.subspan(1), all.first(9)), wf::invalid_range);
  // In one element.
  CHECK_THROWS_AS(wf::copy(wf::seq, all.first(5), all.subspan(4)), wf::invalid_range);
  CHECK_THROWS_AS(wf::copy(wf::seq, all.subspan(4, 5), all.first(5)), wf::invalid_range);
  CHECK(v == before);
  wf::copy(wf::seq, all, all);
  CHECK(v == before);
  wf::copy(wf::seq, all.first(5), all.subspan(5));
  CHECK(v == std::vector<int>{0, 1, 2, 3, 4, 0, 1, 2, 3, 4});
}

TEST_CASE("unchanged returns its argument itself") {
  const int x = 3;
  CHECK(&wf::unchanged{}(x) == &x);
  static_assert(wf::unchanged{}(7) == 7);
  static_assert(std::is_same_v<decltype(wf::unchanged{}(x)), const int&>);
}
