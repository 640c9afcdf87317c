/// @file
/// The test suite for transformations of segments whose number, or whose number of elements, lies
/// in memory. The fixtures are those of transform_contract.hpp.
#pragma once

#include <warpfold/op/softmax.hpp>
#include <warpfold/transform_segments.hpp>

#include "contract/counted_segments_contract.hpp"

namespace test {

struct scaled_and_fold {
  template <class X, class A>
  WARPFOLD_HD std::int64_t operator()(const X& x, const A& fold) const {
    return static_cast<std::int64_t>(x) * 3 - static_cast<std::int64_t>(fold);
  }
};

/// Transforms some of the elements in some of the segments, and checks all of the output.
/// @param segments how many segments, and `elements` how many elements exist
template <class Fixture>
void check_some_segments(const std::vector<int>& values, const std::vector<int>& bounds,
                         std::size_t segments, std::size_t elements, std::size_t at) {
  const std::size_t n = values.size(), all = bounds.size() - 1;
  INFO(segments, " of ", all, " segments, ", elements, " of ", n, " elements");
  std::vector<int> there(bounds.begin(),
                         bounds.begin() + static_cast<std::ptrdiff_t>(segments) + 1);
  for (int& b : there) b = b < static_cast<int>(elements) ? b : static_cast<int>(elements);
  std::vector<int> values_of(all);
  for (std::size_t s = 0; s < all; ++s) values_of[s] = static_cast<int>(s) * 7 % 1000;
  const std::int64_t blank = -77;
  std::vector<std::int64_t> want(n, blank), want_folds(n, blank);
  wf::transform_segments(wf::seq, values, there, test::first_of(values_of, segments), want,
                         scaled_and_fold{});
  wf::transform_segments(wf::seq, values, there, wf::plus{}, want_folds, scaled_and_fold{});

  const auto policy = Fixture::policy();
  const typename Fixture::template array<int> placed(values, at), of_segments(values_of, 4);
  const typename Fixture::template array<int> offsets(bounds, 8);
  const typename Fixture::template array<unsigned> counts(
      std::vector<unsigned>{static_cast<unsigned>(segments), static_cast<unsigned>(elements)}, 0);
  const auto range = test::range_of<Fixture, int>(placed, n);
  const auto data = test::range_of<Fixture, int>(of_segments, all);
  const auto all_offsets = test::range_of<Fixture, int>(offsets, all + 1);
  const auto check = [&](const auto& in, const auto& of) {
    typename Fixture::template target<std::int64_t> out(std::vector<std::int64_t>(n, blank), 8);
    const std::span<std::int64_t> to(out.data(), n);
    wf::transform_segments_async(policy, in, of, data, to, scaled_and_fold{});
    CHECK((out.values() == want));
    typename Fixture::template target<std::int64_t> folds(std::vector<std::int64_t>(n, blank), 0);
    wf::transform_segments_async(policy, in, of, wf::plus{}, std::span(folds.data(), n),
                                 scaled_and_fold{});
    CHECK((folds.values() == want_folds));
  };
  const auto some = wf::counted(range, counts.data() + 1);
  const auto counted = wf::counted(all_offsets, counts.data());
  const auto begins = wf::counted(all_offsets.first(all), counts.data());
  const auto between = wf::segments_between(begins, all_offsets.last(all));
  if (elements == n) {
    check(range, counted);
    check(range, between);
  } else if (segments == all) {
    check(some, all_offsets);
    check(some, wf::segments_between(all_offsets.first(all), all_offsets.last(all)));
  } else {
    check(some, counted);
    check(some, between);
  }
}

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("transformations of as many segments and elements as memory says",
                          Fixture, counted_segments_transformed) {
  for (const bool with_empty : {false, true}) {
    for (const auto& bounds : test::offsets_of_segments(with_empty)) {
      const std::size_t all = bounds.size() - 1;
      const auto values = test::some_ints(static_cast<std::size_t>(bounds.back()) + 2);
      const std::size_t n = values.size();
      for (const std::size_t segments : test::counts_up_to(all)) {
        test::check_some_segments<Fixture>(values, bounds, segments, n, 4);
      }
      for (const std::size_t elements : test::counts_up_to(n)) {
        test::check_some_segments<Fixture>(values, bounds, all, elements, 0);
      }
      test::check_some_segments<Fixture>(values, bounds, all / 2, n / 3, 8);
      test::check_some_segments<Fixture>(values, bounds, all / 3, n / 2, 8);
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("a softmax of counted segments, in place", Fixture,
                          counted_segments_softmax) {
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const std::vector<int> offsets{0, 2, 2, 5, 6};
  const typename Fixture::template array<int> bounds(offsets, 0);
  const typename Fixture::template array<int> count(std::vector<int>{3}, 0);
  typename Fixture::template target<float> out(values, 0);
  const std::span<float> to(out.data(), 6);
  wf::transform_segments(Fixture::policy(), to,
                         wf::counted(test::range_of<Fixture, int>(bounds, 5), count.data()),
                         wf::softmax_op{}, to);
  auto want = values;
  wf::transform_segments(wf::seq, want, test::first_of(offsets, 4), wf::softmax_op{}, want);
  const auto got = out.values();
  for (std::size_t i = 0; i < 6; ++i) CHECK(got[i] == doctest::Approx(want[i]));
  CHECK(got[5] == 6);
}
