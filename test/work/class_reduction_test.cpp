// The work object of reduce_by_class: types, lifted values, and what it refuses.
#include <warpfold/work/class_reduction.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/plus.hpp>

namespace wf = warpfold;

namespace {

using ints = wf::contiguous_view<const int>;
using to = wf::contiguous_output<int>;
template <class Op>
using work = wf::class_reduction<ints, ints, Op, to>;
static_assert(wf::class_reduction_work<work<wf::plus>>);
static_assert(!wf::class_reduction_work<ints>);
static_assert(std::is_same_v<work<wf::plus>::accumulator, long long>);
static_assert(work<wf::plus>::has_identity);

}  // namespace

TEST_CASE("values are lifted with their index in the range, and labels are classes") {
  const std::vector<int> labels{3, -1}, values{7, 8};
  std::vector<int> out(4);
  const work<wf::arg_op<wf::maximum>> c{
      ints(labels.data(), 2), ints(values.data(), 2), {}, 4, to(out.data(), 4)};
  CHECK(c.class_of(0) == 3);
  CHECK(c.class_of(1) > 4);
  CHECK(c.lift(c.value(1), 1).index == 1);
  CHECK(c.lift(c.value(1), 1).value == 8);
  c.write(2, {8, 1}, wf::host_stores{});
  CHECK(out == std::vector<int>{0, 0, 1, 0});
  CHECK_THROWS_WITH_AS(c.refuse_label(1), doctest::Contains("index 1 is -1, but there are 4"),
                       wf::invalid_range);
  CHECK_THROWS_AS(c.refuse_empty(0), wf::empty_range);
}

TEST_CASE("sizes and outputs that do not fit are refused") {
  std::vector<int> memory(12);
  int* const p = memory.data();
  const auto check = [&](std::size_t values, std::size_t classes, int* out) {
    work<wf::plus>{ints(p, 3), ints(p + 3, values), {}, classes, to(out, 3)}.require_valid();
  };
  CHECK_NOTHROW(check(3, 3, p + 6));
  CHECK_THROWS_AS(check(2, 3, p + 6), wf::invalid_range);
  CHECK_THROWS_AS(check(3, 2, p + 6), wf::invalid_range);
  CHECK_THROWS_AS(check(3, 4, p + 6), wf::invalid_range);
  CHECK_THROWS_AS(check(3, 3, p + 5), wf::invalid_range);
  CHECK_THROWS_AS(check(3, 3, p + 2), wf::invalid_range);
}
