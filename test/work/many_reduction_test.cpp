// The work object of reduce_many: the folds of each range, and what it refuses.
#include <warpfold/work/many_reduction.hpp>

#include <doctest/doctest.h>

#include <span>
#include <vector>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/view/range_list.hpp>

namespace wf = warpfold;

namespace {

using span = std::span<const int>;
using list = wf::range_list<wf::contiguous_view<span>>;
template <class Op, class Init = wf::no_init>
using folds = wf::segmented_reduction<wf::contiguous_view<int>, wf::range_of_many, Op, Init,
                                      wf::contiguous_output<int>>;
template <class Op, class Init = wf::no_init>
using work = wf::many_reduction<list, folds<Op, Init>>;
static_assert(wf::many_reduction_work<work<wf::plus>>);
static_assert(!wf::many_reduction_work<folds<wf::plus>>);
static_assert(!wf::segmented_reduction_work<work<wf::plus>>);
static_assert(std::is_same_v<work<wf::plus>::accumulator, long long>);

struct larger {
  int operator()(int a, int b) const { return a < b ? b : a; }
};

template <class Op>
work<Op> work_of(const std::vector<span>& ranges, std::vector<int>& out) {
  return {list({ranges.data(), ranges.size()}),
          {{}, {0, ranges.size()}, {}, {}, {{out.data(), out.size()}}}};
}

}  // namespace

TEST_CASE("each range is the segment of its own folds") {
  const std::vector<int> values{7, 9, 8};
  std::vector<int> out(2, -1);
  const std::vector<span> ranges{span(values), span(values).first(2)};
  const auto m = work_of<wf::arg_op<wf::maximum>>(ranges, out);
  CHECK(m.size() == 2);
  const auto own = m.folds_of(1);
  CHECK(own.size() == 2);
  CHECK(own.view.data() == values.data());
  CHECK(own.segments.begin(1) == 0);
  CHECK(own.segments.end(1) == 2);
  const auto r = m.reduction_of(0);
  CHECK(r.size() == 3);
  CHECK(r.view[1].index == 1);
  std::size_t bytes = 0;
  m.visit_read([&](const void*, std::size_t n, std::size_t) { bytes += n; });
  CHECK(bytes == 5 * sizeof(int));
  CHECK_NOTHROW(m.require_valid());
}

TEST_CASE("empty ranges without a result, and outputs in a range, are refused") {
  std::vector<int> memory(6), out(2);
  const std::vector<span> ranges{span(memory).first(3), span()};
  CHECK_NOTHROW(work_of<wf::plus>(ranges, out).require_valid());
  CHECK_THROWS_WITH_AS(work_of<larger>(ranges, out).require_valid(),
                       doctest::Contains("range 1 of the list is empty"), wf::empty_range);
  const std::vector<span> all{span(memory).subspan(4), span(memory).subspan(2, 2)};
  const work<wf::plus> over{list({all.data(), 2}), {{}, {0, 2}, {}, {}, {{memory.data() + 3, 2}}}};
  CHECK_THROWS_WITH_AS(over.require_valid(), doctest::Contains("overlaps the input"),
                       wf::invalid_range);
  const std::vector<span> none;
  CHECK_NOTHROW(work_of<larger>(none, memory).require_valid());
}
