// Folds of segments whose number or elements memory counts, with the host policies and in the
// emulation.
// needs: tbb boost_context cccl
// slow: runs for seconds
#include <warpfold/reduce_segments.hpp>

#include "calls/emulated_segments.hpp"
#include "calls/host_segments.hpp"
#include "contract/counted_segments_contract.hpp"

TEST_CASE_TEMPLATE_INVOKE(counted_segment_numbers, test::segments_seq, test::segments_par,
                          test::emulated_segments, test::small_emulated_segments);
TEST_CASE_TEMPLATE_INVOKE(counted_segment_elements, test::segments_seq, test::segments_par,
                          test::emulated_segments, test::small_emulated_segments);
TEST_CASE_TEMPLATE_INVOKE(counted_segment_both, test::segments_seq, test::segments_par,
                          test::emulated_segments);

TEST_CASE_TEMPLATE_INVOKE(counted_segment_rows, test::segments_seq, test::segments_par,
                          test::emulated_segments);

TEST_CASE_TEMPLATE("counts that segments or elements do not have: nothing is written", Policy,
                   wf::seq_policy, wf::par_policy, wf::emulated_policy<>) {
  const std::vector<int> v{1, 2, 3, 4}, offsets{0, 1, 4};
  std::vector<int> out(2, 7);
  const auto refuses = [&](const auto& range, const auto& segments, const char* what) {
    test::check_throws<wf::invalid_range>(
        [&] { wf::reduce_segments(Policy{}, range, segments, wf::plus{}, out); }, what);
    CHECK(out == std::vector<int>{7, 7});
  };
  int count = 3;
  const auto some = wf::counted(offsets, &count);
  refuses(v, some, "count of the segments is 3, but the offsets make only 2");
  count = 4;
  refuses(v, some, "is 4, but the range has 3");
  count = -1;
  refuses(v, some, "is -1");
  refuses(wf::counted(v, &count), offsets, "is -1");
  count = 5;
  refuses(wf::counted(v, &count), offsets, "is 5, but the range has 4");
  refuses(v, wf::counted(offsets, static_cast<const int*>(nullptr)), "null pointer");
}

TEST_CASE_TEMPLATE("the index in the range, with counts", Policy, wf::seq_policy, wf::par_policy,
                   wf::emulated_policy<>) {
  const std::vector<int> v{1, 2, 4, 3}, offsets{0, 1, 4, 4};
  std::vector<int> places(3, 7);
  const int count = 2, elements = 3;
  const auto segments = wf::with_range_index(wf::counted(offsets, &count));
  wf::reduce_segments(Policy{}, v, segments, wf::arg(wf::minimum{}), places);
  CHECK(places == std::vector<int>{0, 1, 7});
  wf::reduce_segments(Policy{}, wf::counted(v, &elements), segments, wf::arg(wf::maximum{}),
                      places);
  CHECK(places == std::vector<int>{0, 2, 7});
}

TEST_CASE_TEMPLATE("only segments that exist have bounds to be checked", Policy, wf::seq_policy,
                   wf::par_policy, wf::emulated_policy<>) {
  const std::vector<int> v{1, 2, 3, 4}, offsets{0, 1, 4, 2, 9};
  std::vector<int> out(4, 7);
  int count = 2;
  wf::reduce_segments(Policy{}, v, wf::counted(offsets, &count), wf::plus{}, out);
  CHECK(out == std::vector<int>{1, 9, 7, 7});
  count = 3;
  test::check_throws<wf::invalid_range>(
      [&] { wf::reduce_segments(Policy{}, v, wf::counted(offsets, &count), wf::plus{}, out); },
      "segment 2 begins at 4 and ends at 2");
  // A bound may lie behind the count, but not behind the range.
  const std::vector<int> beyond{0, 5};
  test::check_throws<wf::invalid_range>(
      [&] {
        wf::reduce_segments(Policy{}, wf::counted(v, &count), beyond, wf::plus{},
                            std::span(out).first(1));
      },
      "segment 0 begins at 0 and ends at 5, but the range has 4");
  // An op without an identity: segments that do not exist are not empty ones.
  const std::vector<int> empty_third{0, 1, 4, 4};
  out.assign(3, 7);
  count = 2;
  wf::reduce_segments(Policy{}, v, wf::counted(empty_third, &count), test::add_only{}, out);
  CHECK(out == std::vector<int>{1, 9, 7});
  count = 3;
  test::check_throws<wf::empty_range>(
      [&] {
        wf::reduce_segments(Policy{}, v, wf::counted(empty_third, &count), test::add_only{}, out);
      },
      "segment 2 is empty");
}
