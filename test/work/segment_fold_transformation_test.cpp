// The work object of transform_segments with an op: the fold that the function gets, what it
// writes, and what it refuses.
#include <warpfold/work/segment_fold_transformation.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/op/moments.hpp>
#include <warpfold/op/plus.hpp>

namespace wf = warpfold;

namespace {

struct minus {
  template <class A>
  int operator()(int x, const A& folded) const {
    return x - static_cast<int>(folded);
  }
};
struct rounded_mean : wf::moments_op {
  int finish(const wf::moments& m) const { return static_cast<int>(m.mean); }
};
using ints = wf::contiguous_view<const int>;
using to = wf::contiguous_output<int>;
template <class Op>
using work_of = wf::segment_fold_transformation<ints, wf::segments_by_size, Op, to, minus>;
using work = work_of<wf::plus>;
static_assert(wf::segment_fold_transformation_work<work>);
static_assert(!wf::segmented_transformation_work<work>);
static_assert(std::is_same_v<work::folded_type, long long>);
static_assert(std::is_same_v<work_of<rounded_mean>::folded_type, int>);

}  // namespace

TEST_CASE("a part of a segment is written with the segment's fold") {
  const std::vector<int> in{1, 2, 3, 4, 5, 6};
  std::vector<int> out(6, -1);
  const work t(ints(in.data(), 6), {3, 2}, {}, to(out.data(), 6), {});
  CHECK(t.size() == 2);
  CHECK(t.elements() == 6);
  t.run_on_host(t.folded(15), 4, 6);
  CHECK(out == std::vector<int>{-1, -1, -1, -1, -10, -9});
}

TEST_CASE("the function gets the result of finish, also by way of memory") {
  const std::vector<int> in{1, 2, 3, 4, 5, 6};
  std::vector<int> out(6, -1);
  const work_of<rounded_mean> t(ints(in.data(), 6), {3, 2}, {}, to(out.data(), 6), {});
  CHECK(t.folded({3, 5.0, 2.0}) == 5);
  using stored = work_of<rounded_mean>::stored_type;
  std::vector<stored> folds{stored(2), stored(5)};
  const auto reduction = t.folds_to(folds.data());
  CHECK(wf::get<0>(reduction.outs).data() == folds.data());
  t.transformation_by(folds.data()).run_on_host(1, 3, 6);
  CHECK(out == std::vector<int>{-1, -1, -1, -1, 0, 1});
}

TEST_CASE("sizes that do not fit, and outputs over the bounds, are refused") {
  std::vector<int> memory(20);
  int* const p = memory.data();
  const auto check = [&](int* out, std::size_t size) {
    using offsets = wf::segments_by_offsets<ints>;
    wf::segment_fold_transformation<ints, offsets, wf::plus, to, minus>(
        ints(p, 6), offsets(ints(p + 6, 3)), {}, to(out, size), {})
        .require_valid();
  };
  CHECK_NOTHROW(check(p + 9, 6));
  CHECK_NOTHROW(check(p, 6));
  CHECK_THROWS_AS(check(p + 9, 5), wf::invalid_range);
  CHECK_THROWS_AS(check(p + 8, 6), wf::invalid_range);
  CHECK_THROWS_AS(check(p + 1, 6), wf::invalid_range);
}

TEST_CASE("bounds that decrease are refused; empty segments are not") {
  const std::vector<int> in(6), falling{0, 4, 3}, empty{2, 2, 6};
  std::vector<int> out(6);
  const auto check = [&](const std::vector<int>& bounds) {
    using offsets = wf::segments_by_offsets<ints>;
    wf::segment_fold_transformation<ints, offsets, wf::plus, to, minus>(
        ints(in.data(), 6), offsets(ints(bounds.data(), 3)), {}, to(out.data(), 6), {})
        .require_valid_data();
  };
  CHECK_NOTHROW(check(empty));
  CHECK_THROWS_AS(check(falling), wf::invalid_range);
}
