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

using offsets_view = wf::segments_by_offsets<wf::contiguous_view<int>>;
using clipped = wf::clipped_segments<offsets_view>;

const std::vector<int> offsets{1, 4, 4, 9, 20};
offsets_view whole() { return offsets_view(wf::as_view(offsets)); }

const auto add = [](auto a, auto b) { return a + b; };

}  // namespace

TEST_CASE("segments are clipped to the elements of a rank") {
  const clipped all(whole(), 0, 4, 0, 30);
  CHECK(all.begin(0) == 1);
  CHECK(all.end(3) == 20);
  const clipped some(whole(), 1, 3, 3, 10);
  CHECK(some.size() == 3);
  CHECK(some.begin(0) == 1);
  CHECK(some.end(0) == 1);
  CHECK(some.end(1) == 6);
  CHECK(some.end(2) == 7);
  const clipped first(whole(), 0, 1, 3, 10);
  CHECK(first.begin(0) == 0);
  CHECK(first.end(0) == 1);
}

TEST_CASE_TEMPLATE("accumulators have no init and are those of the init's type", Policy,
                   wf::seq_policy, wf::par_policy, wf::emulated_policy<>) {
  const std::vector<int> v(30000, 1);
  const std::vector<int> bounds{0, 3, 3, 29990};
  const offsets_view segments(wf::as_view(bounds));
  const auto folds = [&](const auto& op) {
    using op_type = std::remove_cvref_t<decltype(op)>;
    using part = wf::segment_part<wf::contiguous_view<int>, wf::clipped_segments<offsets_view>,
                                  op_type, double>;
    static_assert(std::is_same_v<typename part::accumulator, double>);
    std::vector<double> out(3, -1);
    Policy{}.run(part({wf::as_view(v),
                       {segments, 0, 3, 0, 30000},
                       op,
                       0.5,
                       {wf::contiguous_output<double>(out.data(), 3)}}));
    return out;
  };
  CHECK(folds(wf::plus{}) == std::vector<double>{3, 0, 29987});
  const auto without_identity = folds(add);
  CHECK(without_identity[0] == 3);
  CHECK(without_identity[1] == -1);
  CHECK(without_identity[2] == 29987);
}
