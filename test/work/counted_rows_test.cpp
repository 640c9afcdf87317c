// The work on rows whose number lies in memory.
// needs: cccl
#include <warpfold/work/counted_rows.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/op/plus.hpp>

namespace wf = warpfold;

namespace {

using sums = wf::axis_reduction<float, wf::plus, float>;
using counted_sums = wf::counted_rows<sums, int>;

// A policy that does not read sizes in memory must not take it.
static_assert(wf::axis_reduction_work<sums>);
static_assert(wf::sized_in_memory<counted_sums> && !wf::axis_reduction_work<counted_sums>);

// Sums along the last axis of an array of counted rows, `across` results each.
sums folds(std::size_t rows, std::size_t across, bool is_right) {
  wf::detail::array_shape kept;
  kept.rank = 2;
  kept.has_counted_rows = true;
  kept.extent[0] = rows;
  kept.extent[1] = across;
  kept.stride[0] = is_right ? 8 * across : 1;
  kept.stride[1] = is_right ? 8 : rows;
  return {nullptr, nullptr, wf::detail::layout_of(8, 1, kept, kept.row_major()), 0, 0, {}};
}

}  // namespace

TEST_CASE("the results of the rows that exist come first, whatever the strides are") {
  for (const bool is_right : {true, false}) {
    int count = 3;
    const counted_sums work(folds(5, 4, is_right), &count, 5);
    CHECK(work.size() == 20);
    CHECK(work.read_results(wf::global_access{}) == 12);
    // Result 12 is the first one of row 3.
    CHECK(work.layout.kept.place(12).of[wf::axis_layout::in] == (is_right ? 3 * 32 : 3));
    CHECK(work.layout.kept.place(12).of[wf::axis_layout::out] == 12);
    const sums own = work.settled();
    CHECK(own.size() == 12);
    CHECK(own.layout.kept.size() == 12);
    count = 9;  // as a kernel reads it
    CHECK(work.read_results(wf::global_access{}) == 20);
    count = -1;
    CHECK(work.read_results(wf::global_access{}) == 0);
    CHECK_THROWS_AS((void)work.settled(), wf::invalid_range);
    CHECK_THROWS_AS(work.require_valid_data(), wf::invalid_range);
  }
}

TEST_CASE("a limit of one row or none") {
  int count = 1;
  CHECK(counted_sums(folds(1, 4, true), &count, 1).settled().size() == 4);
  count = 0;
  CHECK(counted_sums(folds(1, 4, true), &count, 1).settled().size() == 0);
  const counted_sums none(folds(0, 4, true), &count, 0);
  CHECK(none.settled().size() == 0);
  CHECK(none.read_results(wf::global_access{}) == 0);
}

TEST_CASE("an output on the count is refused, and the count is read") {
  std::vector<float> in(2), out(2);
  int* const on_output = reinterpret_cast<int*>(out.data());
  sums work = folds(1, 1, true);
  work.in = in.data();
  work.in_span = 2;
  work.out = out.data();
  work.out_span = 2;
  int count = 0, arrays = 0;
  const counted_sums right(work, &count, 1);
  CHECK_NOTHROW(right.require_valid());
  right.visit_read([&](const void* p, std::size_t, std::size_t) { arrays += p == &count; });
  CHECK(arrays == 1);
  CHECK_THROWS_AS(counted_sums(work, on_output, 1).require_valid(), wf::invalid_range);
}
