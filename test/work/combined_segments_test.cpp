// combined_segments: results of segments from one state of each segment and each part.
// needs: boost_context
#include <warpfold/work/combined_segments.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce_segments.hpp>

namespace wf = warpfold;

namespace {

const std::vector<int> v(10);  // not read
const std::vector<int> offsets{0, 4, 4, 10};

template <class Op, class Out>
auto work_of(const Op& op, std::vector<Out>& out) {
  using view = std::remove_cvref_t<decltype(wf::as_view(v))>;
  using segments = wf::segments_by_offsets<std::remove_cvref_t<decltype(wf::as_view(offsets))>>;
  using work = wf::segmented_reduction<view, segments, Op, wf::no_init, wf::contiguous_output<Out>>;
  return work{wf::as_view(v),
              segments(wf::as_view(offsets)),
              op,
              {},
              {wf::contiguous_output<Out>(out.data(), out.size())}};
}

}  // namespace

TEST_CASE_TEMPLATE("states of two parts are combined in their order", Policy, wf::seq_policy,
                   wf::emulated_policy<>) {
  std::vector<long long> out(3, -1);
  const auto work = work_of(wf::plus{}, out);
  const std::vector<typename decltype(work)::state> rows{1, 0, 2, 10, 0, 20};
  wf::detail::part_offsets begin;
  begin.of[1] = 3;
  Policy{}.run(wf::combined_segments(work, rows.data(), 2, begin));
  CHECK(out == std::vector<long long>{11, 0, 22});
}

TEST_CASE_TEMPLATE("indices of a part become those within the segment", Policy, wf::seq_policy,
                   wf::emulated_policy<>) {
  using found = wf::indexed<int>;
  const auto op = wf::arg(wf::maximum{});
  std::vector<std::size_t> out(3, 77);
  const auto work = work_of(op, out);
  using state = typename decltype(work)::state;
  // The parts have 6 and 4 elements, so the last segment has 2 of them in the first part.
  const std::vector<state> rows{
      {8, 1}, {-1, found::nowhere}, {3, 0}, {-1, found::nowhere}, {-1, found::nowhere}, {9, 2}};
  wf::detail::part_offsets begin;
  begin.of[1] = 6;
  Policy{}.run(wf::combined_segments(work, rows.data(), 2, begin));
  CHECK(out[0] == 1);
  CHECK(out[1] == found::nowhere);
  CHECK(out[2] == 4);
}
