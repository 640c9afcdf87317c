// segment_part: the accumulators of a rank's elements, without the init.
// needs: tbb boost_context
#include <warpfold/work/segment_part.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/reduce_segments.hpp>

namespace wf = warpfold;

namespace {

const std::vector<int> offsets{1, 4, 4, 9, 20};

auto clipped(std::size_t first, std::size_t last, std::size_t begin, std::size_t end) {
  return wf::detail::clipped_segments(wf::segments_by_offsets(wf::as_view(offsets)), first, last,
                                      {begin, end});
}

const auto add = [](auto a, auto b) { return a + b; };

}  // namespace

TEST_CASE("segments are clipped to the elements of a rank") {
  const auto all = clipped(0, 4, 0, 30);
  CHECK(all.begin(0) == 1);
  CHECK(all.end(3) == 20);
  const auto some = clipped(1, 4, 3, 10);
  CHECK(some.size() == 3);
  CHECK(some.begin(0) == 1);
  CHECK(some.end(0) == 1);
  CHECK(some.end(1) == 6);
  CHECK(some.end(2) == 7);
  const auto first = clipped(0, 1, 3, 10);
  CHECK(first.begin(0) == 0);
  CHECK(first.end(0) == 1);
}

TEST_CASE_TEMPLATE("states have no init and are those of the init's type", Policy, wf::seq_policy,
                   wf::par_policy, wf::emulated_policy<>) {
  const std::vector<int> v(30000, 1), bounds{0, 3, 3, 29990};
  const auto segments =
      wf::detail::clipped_segments(wf::segments_by_offsets(wf::as_view(bounds)), 0, 3, {0, 30000});
  const auto states = [&](const auto& op) {
    using view = std::remove_cvref_t<decltype(wf::as_view(v))>;
    using segments_type = std::remove_cvref_t<decltype(segments)>;
    using work = wf::segmented_reduction<view, segments_type, std::remove_cvref_t<decltype(op)>,
                                         double, wf::contiguous_output<float>>;
    static_assert(std::is_same_v<typename work::accumulator, double>);
    std::vector<typename work::state> out(3);
    const work w{wf::as_view(v), segments, op, 0.5, {}};
    Policy{}.run(wf::segment_part<work, segments_type>(w, segments, out.data()));
    return out;
  };
  CHECK(states(wf::plus{}) == std::vector<double>{3, 0, 29987});
  const auto without_identity = states(add);
  CHECK(without_identity[0].value == 3);
  CHECK(!without_identity[1].engaged());
  CHECK(without_identity[2].value == 29987);
}
