// The work object of transform_segments: what it writes and what it refuses.
#include <warpfold/work/segmented_transformation.hpp>

#include <doctest/doctest.h>

#include <vector>

namespace wf = warpfold;

namespace {

struct add {
  int operator()(int x, int v) const { return x + v; }
};
using ints = wf::contiguous_view<const int>;
using to = wf::contiguous_output<int>;
using work = wf::segmented_transformation<ints, wf::segments_by_size, ints, to, add>;
static_assert(wf::segmented_transformation_work<work>);
static_assert(!wf::transformation_work<work>);

}  // namespace

TEST_CASE("a part of a segment is written with the segment's value") {
  const std::vector<int> in{1, 2, 3, 4, 5, 6}, values{10, 20};
  std::vector<int> out(6, -1);
  const work t{ints(in.data(), 6), {3, 2}, ints(values.data(), 2), to(out.data(), 6), {}};
  t.run_on_host(1, 4, 6);
  CHECK(out == std::vector<int>{-1, -1, -1, -1, 25, 26});
  CHECK(wf::detail::first_invalid_segment<work::takes_empty_segments>(t.segments, t.elements(), 0,
                                                                      2) == 2);
}

TEST_CASE("sizes that do not fit, and outputs over the values, are refused") {
  std::vector<int> memory(20);
  int* const p = memory.data();
  const auto check = [&](std::size_t values, int* out, std::size_t size) {
    work{ints(p, 6), {3, 2}, ints(p + 6, values), to(out, size), {}}.require_valid();
  };
  CHECK_NOTHROW(check(2, p + 8, 6));
  CHECK_NOTHROW(check(2, p, 6));
  CHECK_THROWS_AS(check(1, p + 8, 6), wf::invalid_range);
  CHECK_THROWS_AS(check(2, p + 8, 5), wf::invalid_range);
  CHECK_THROWS_AS(check(2, p + 7, 6), wf::invalid_range);
  CHECK_THROWS_AS(check(2, p + 1, 6), wf::invalid_range);
}
