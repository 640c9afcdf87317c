// Transformations of segments whose number or elements memory counts, with the host policies and in
// the emulation.
// needs: tbb boost_context cccl
// slow: runs for seconds
#include <warpfold/transform_segments.hpp>

#include "calls/emulated_segments.hpp"
#include "calls/host_segments.hpp"
#include "contract/counted_segment_transforms_contract.hpp"

TEST_CASE_TEMPLATE_INVOKE(counted_segments_transformed, test::segments_seq, test::segments_par,
                          test::emulated_segments, test::small_emulated_segments);
TEST_CASE_TEMPLATE_INVOKE(counted_segments_softmax, test::segments_seq, test::segments_par,
                          test::emulated_segments);

TEST_CASE_TEMPLATE("counts that segments or elements do not have: nothing is written", Policy,
                   wf::seq_policy, wf::par_policy, wf::emulated_policy<>) {
  const std::vector<int> v{1, 2, 3, 4}, offsets{0, 1, 4}, values{5, 6};
  std::vector<std::int64_t> out(4, 7);
  const auto refuses = [&](const auto& range, const auto& segments, const char* what) {
    test::check_throws<wf::invalid_range>(
        [&] {
          wf::transform_segments(Policy{}, range, segments, values, out, test::scaled_and_fold{});
        },
        what);
    test::check_throws<wf::invalid_range>(
        [&] {
          wf::transform_segments(Policy{}, range, segments, wf::plus{}, out,
                                 test::scaled_and_fold{});
        },
        what);
    CHECK(out == std::vector<std::int64_t>(4, 7));
  };
  int count = 3;
  const auto some = wf::counted(offsets, &count);
  refuses(v, some, "count of the segments is 3, but the offsets make only 2");
  count = -1;
  refuses(v, some, "is -1");
  refuses(wf::counted(v, &count), offsets, "is -1");
  count = 5;
  refuses(wf::counted(v, &count), offsets, "is 5, but the range has 4 elements");
  refuses(v, wf::counted(offsets, static_cast<const int*>(nullptr)), "null pointer");
  count = 2;
  const std::vector<int> decreasing{0, 3, 1}, beyond{0, 1, 5};
  refuses(v, wf::counted(decreasing, &count), "segment 1 begins at 3 and ends at 1");
  refuses(wf::counted(v, &count), beyond, "segment 1 begins at 1 and ends at 5");
  // Only segments that exist have bounds to be checked.
  count = 1;
  const auto one = wf::counted(decreasing, &count);
  wf::transform_segments(Policy{}, v, one, values, out, test::scaled_and_fold{});
  CHECK(out == std::vector<std::int64_t>{-2, 1, 4, 7});
}
