// The kernel that the library chooses for segments.
// needs: boost_context
#include <warpfold/kernel/segments/automatic.hpp>

#include <string>

#include "kernel/segments/folds.hpp"

TEST_CASE("segments that follow one another are balanced, others get a warp each") {
  constexpr wf::kernel::automatic_segments automatic;
  const std::vector<float> values(100, 1);
  const wf::contiguous_view<float> view(values.data(), 100);
  const std::vector<int> offsets{0, 10, 100}, none{0};
  using bounds = wf::contiguous_view<int>;
  const wf::segments_by_bounds between(bounds(offsets.data(), 2), bounds(offsets.data() + 1, 2));
  std::vector<float> out(2);
  const auto kernel = [&](const auto& segments) -> std::string {
    out = {-1, -1};
    const auto report = test::fold_segments(automatic, view, segments, wf::plus{}, out);
    REQUIRE(report.launches.size() == 1);
    CHECK(out == std::vector<float>{10, 90});
    return report.launches[0].launch.kernel;
  };
  CHECK(kernel(test::by_offsets(offsets)) == "balanced_segments");
  CHECK(kernel(between) == "segment_warps");
  std::vector<float> no_results;
  CHECK(test::fold_segments(automatic, view, test::by_offsets(none), wf::plus{}, no_results)
            .launches.empty());
}
