/// @file
/// The test suite for folds of segments whose number, or whose number of elements, lies in memory.
/// The fixtures are those of transform_contract.hpp.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpfold/reduce_segments.hpp>
#include <warpfold/view/counted.hpp>

#include "contract/order_certificate.hpp"
#include "contract/transform_contract.hpp"

namespace test {

/// Offsets of adjacent segments for each way to divide them among lanes, warps and blocks.
inline std::vector<std::vector<int>> offsets_of_segments(bool with_empty) {
  const auto from = [](const std::vector<int>& lengths) {
    std::vector<int> offsets{3};
    for (const int n : lengths) offsets.push_back(offsets.back() + n);
    return offsets;
  };
  random_bits random;
  std::vector<int> mixed, longer;
  for (int i = 0; i < 700; ++i) {
    mixed.push_back(static_cast<int>(random() % 9) + (with_empty ? 0 : 1));
    longer.push_back(static_cast<int>(random() % 250) + (with_empty && i % 9 == 0 ? 0 : 1));
  }
  for (const int i : {40, 200}) mixed[static_cast<std::size_t>(i)] = 20000;
  return {from({5}), from(mixed), from(longer), from({9000, 1, 40000, 3000})};
}

/// Checks the first `n` results, and that those behind are unchanged.
template <class R>
void check_results(const std::vector<R>& got, const std::vector<R>& want, std::size_t n, R blank) {
  std::size_t wrong = 0;
  for (std::size_t s = 0; s < got.size(); ++s) wrong += got[s] != (s < n ? want[s] : blank);
  CHECK(wrong == 0);
}

inline std::vector<std::size_t> counts_up_to(std::size_t most) {
  std::vector<std::size_t> counts{0, 1};
  for (const std::size_t n : {most / 3, most - 1, most}) {
    if (n > 1) counts.push_back(n);
  }
  return counts;
}

struct times_37 {
  WARPFOLD_HD int operator()(int row) const { return 37 * row; }
};

}  // namespace test

TEST_CASE_TEMPLATE_DEFINE("as many segments as memory says", Fixture, counted_segment_numbers) {
  const auto policy = Fixture::policy();
  for (const auto& offsets : test::offsets_of_segments(false)) {
    const std::size_t segments = offsets.size() - 1;
    const auto values = test::ordered_elements(static_cast<std::size_t>(offsets.back()) + 2);
    const typename Fixture::template array<std::uint64_t> placed(values, 8);
    const typename Fixture::template array<int> bounds(offsets, 4);
    const auto range = test::range_of<Fixture, std::uint64_t>(placed, values.size());
    const auto all = test::range_of<Fixture, int>(bounds, offsets.size());
    std::vector<std::uint64_t> want(segments);
    wf::reduce_segments(wf::seq, values, offsets, test::ordered_hash{}, want);
    for (const std::size_t n : test::counts_up_to(segments)) {
      INFO(n, " of ", segments, " segments");
      const typename Fixture::template array<unsigned> count(
          std::vector<unsigned>{static_cast<unsigned>(n)}, 4);
      const std::uint64_t blank = 5;
      const auto check = [&](const auto& of) {
        typename Fixture::template target<std::uint64_t> out(
            std::vector<std::uint64_t>(segments, blank), 0);
        wf::reduce_segments_async(policy, range, of, test::ordered_hash{},
                                  std::span<std::uint64_t>(out.data(), segments));
        test::check_results(out.values(), want, n, blank);
      };
      check(wf::counted(all, count.data()));
      const auto begins = all.first(segments), ends = all.last(segments);
      check(wf::segments_between(wf::counted(begins, count.data()), ends));
      check(wf::segments_between(begins, wf::counted(ends, count.data())));
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("segments of as many elements as memory says", Fixture,
                          counted_segment_elements) {
  const auto policy = Fixture::policy();
  for (const auto& offsets : test::offsets_of_segments(true)) {
    const std::size_t segments = offsets.size() - 1;
    const std::size_t elements = static_cast<std::size_t>(offsets.back()) + 2;
    const auto values = test::some_ints(elements);
    const typename Fixture::template array<int> placed(values, 4);
    const typename Fixture::template array<int> bounds(offsets, 8);
    const auto range = test::range_of<Fixture, int>(placed, elements);
    const auto all = test::range_of<Fixture, int>(bounds, offsets.size());
    for (const std::size_t n : test::counts_up_to(elements)) {
      INFO(n, " of ", elements, " elements, ", segments, " segments");
      const typename Fixture::template array<std::size_t> count(std::vector<std::size_t>{n}, 8);
      const auto some = wf::counted(range, count.data());
      auto clamped = offsets;
      for (int& at : clamped) at = at < static_cast<int>(n) ? at : static_cast<int>(n);

      std::vector<long long> sums(segments);
      wf::reduce_segments(wf::seq, values, clamped, wf::plus{}, sums);
      typename Fixture::template target<long long> out(std::vector<long long>(segments, -7), 8);
      wf::reduce_segments(policy, some, all, wf::plus{},
                          std::span<long long>(out.data(), segments));
      test::check_results(out.values(), sums, segments, -7ll);

      // Through a projection, with an init in the place of an identity.
      std::vector<int> most(segments);
      wf::reduce_segments(wf::seq, wf::project(values, test::plus_one{}), clamped, wf::maximum{},
                          -20000, most);
      typename Fixture::template target<int> most_out(std::vector<int>(segments, -7), 4);
      wf::reduce_segments(policy, wf::project(some, test::plus_one{}), all, wf::maximum{}, -20000,
                          std::span<int>(most_out.data(), segments));
      test::check_results(most_out.values(), most, segments, -7);
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("both numbers in memory, and results that are added", Fixture,
                          counted_segment_both) {
  const auto policy = Fixture::policy();
  const std::vector<int> values{1, 2, 3, 4, 5, 6}, offsets{0, 2, 2, 5, 6};
  const typename Fixture::template array<int> placed(values, 4);
  const typename Fixture::template array<int> bounds(offsets, 0);
  const typename Fixture::template array<int> counts(std::vector<int>{3, 4}, 0);
  const auto some = wf::counted(test::range_of<Fixture, int>(placed, 6), counts.data() + 1);
  const auto first = wf::counted(test::range_of<Fixture, int>(bounds, 5), counts.data());
  typename Fixture::template target<int> out(std::vector<int>{10, 20, 30, 40}, 0);
  const std::span<int> to(out.data(), 4);
  wf::reduce_segments(policy, some, first, wf::plus{}, to);
  CHECK(out.values() == std::vector<int>{3, 0, 7, 40});
  wf::reduce_segments(policy, some, first, wf::plus{}, wf::accumulate(to));
  CHECK(out.values() == std::vector<int>{6, 0, 14, 40});
  // The last of equal segments is cut off.
  wf::reduce_segments(policy, some, wf::segments_of_size(3), wf::plus{}, to.first(2));
  CHECK(out.values() == std::vector<int>{6, 4, 14, 40});
}

TEST_CASE_TEMPLATE_DEFINE("as many rows of a matrix as memory says: offsets without memory",
                          Fixture, counted_segment_rows) {
  constexpr int rows = 100, columns = 37;
  const auto values = test::some_ints(rows * columns);
  const typename Fixture::template array<int> placed(values, 4);
  std::vector<long long> want(rows);
  wf::reduce_segments(wf::seq, values, wf::segments_of_size(columns), wf::plus{}, want);
  for (const std::size_t n : {0, 1, 50, rows}) {
    const typename Fixture::template array<std::size_t> count(std::vector<std::size_t>{n}, 0);
    const auto offsets = wf::project(wf::counting(0, rows + 1), test::times_37{});
    typename Fixture::template target<long long> out(std::vector<long long>(rows, -7), 0);
    wf::reduce_segments(Fixture::policy(), test::range_of<Fixture, int>(placed, values.size()),
                        wf::counted(offsets, count.data()), wf::plus{},
                        std::span<long long>(out.data(), rows));
    test::check_results(out.values(), want, n, -7ll);
  }
}
