// The kernel that the library chooses for segments.
// needs: boost_context
#include <warpfold/kernel/segments/automatic.hpp>

#include <string>

#include "kernel/segments/folds.hpp"

TEST_CASE("many segments that follow one another are balanced, others are shared by number") {
  constexpr wf::kernel::automatic_segments automatic;
  const std::vector<float> values(600000, 1);
  const std::vector<int> offsets{0, 10, 100}, none{0};
  using bounds = wf::contiguous_view<int>;
  const wf::segments_by_bounds between(bounds(offsets.data(), 2), bounds(offsets.data() + 1, 2));
  std::vector<float> out(2);
  const auto kernel = [&](const auto& segments, std::size_t n) -> std::string {
    const wf::contiguous_view<float> view(values.data(), n);
    out = {-1, -1};
    const auto report = test::fold_segments(automatic, view, segments, wf::plus{}, out);
    REQUIRE(report.launches.size() == 1);
    CHECK(out == std::vector<float>{10, 90});
    return report.launches[0].launch.kernel;
  };
  CHECK(kernel(test::by_offsets(offsets), 100) == "strided_segments");
  CHECK(kernel(test::by_offsets(offsets), 600000) == "balanced_segments");
  CHECK(kernel(between, 600000) == "strided_segments");
  std::vector<float> no_results;
  CHECK(test::fold_segments(automatic, wf::contiguous_view<float>(values.data(), 100),
                            test::by_offsets(none), wf::plus{}, no_results)
            .launches.empty());
}
