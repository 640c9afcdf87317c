// kernel::strided_segments in the emulation: segments anywhere, of every length, those that are
// put aside, and wrong bounds.
// needs: boost_context
#include <warpfold/kernel/segments/strided.hpp>

#include <warpfold/op/extrema.hpp>

#include "kernel/segments/folds.hpp"

namespace {

constexpr wf::kernel::strided_segments strided;

auto between(const std::vector<long long>& begins, const std::vector<long long>& ends) {
  using bounds = wf::contiguous_view<long long>;
  return wf::segments_by_bounds(bounds(begins.data(), begins.size()),
                                bounds(ends.data(), ends.size()));
}

}  // namespace

TEST_CASE("segments with gaps and overlaps, of lengths around the lanes and loads of a warp") {
  std::vector<int> values(700);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * i % 97);
  std::vector<long long> begins, ends;
  for (const long long n : {0, 1, 2, 31, 32, 33, 63, 64, 127, 128, 129, 300}) {
    for (const long long at : {0, 1, 17, 399}) {
      begins.push_back(at);
      ends.push_back(at + n);
    }
  }
  for (const int gpu : {1, 132}) {
    std::vector<long long> sums(begins.size(), -1);
    std::vector<int> least(begins.size(), -1);
    const wf::contiguous_view<int> view(values.data(), values.size());
    const auto report =
        test::fold_segments(strided, view, between(begins, ends), wf::plus{}, sums, gpu);
    test::fold_segments(strided, view, between(begins, ends), wf::minimum{}, least, gpu);
    CHECK(report.launches.size() == 1);
    std::size_t wrong = 0;
    for (std::size_t s = 0; s < begins.size(); ++s) {
      long long sum = 0;
      int lowest = std::numeric_limits<int>::max();
      for (auto i = static_cast<std::size_t>(begins[s]); i < static_cast<std::size_t>(ends[s]);
           ++i) {
        sum += values[i];
        if (values[i] < lowest) lowest = values[i];
      }
      wrong += sum != sums[s] || lowest != least[s];
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("a block takes several segments of each warp if the GPU is small") {
  const std::vector<int> values(1000, 1);
  std::vector<long long> begins(900), ends(900), sums(900);
  for (std::size_t s = 0; s < 900; ++s) begins[s] = ends[s] = static_cast<long long>(s);
  for (std::size_t s = 0; s < 900; s += 2) ends[s] += 40;
  test::fold_segments(strided, wf::contiguous_view<int>(values.data(), 1000), between(begins, ends),
                      wf::plus{}, sums, 1);
  std::size_t wrong = 0;
  for (std::size_t s = 0; s < 900; ++s) wrong += sums[s] != (s % 2 == 0 ? 40 : 0);
  CHECK(wrong == 0);
}

TEST_CASE("segments that are put aside, and more of them than there is room for") {
  // One block has all of them if the GPU is small: its 8 warps have room for 64 each.
  const std::vector<signed char> ones(6000, 1);
  std::vector<long long> begins, ends;
  for (int s = 0; s < 700 * 8; ++s) {
    begins.push_back(s % 50);
    ends.push_back(begins.back() + (s % 8 == 3 ? 4097 + s % 900 : s % 3));
  }
  std::vector<long long> sums(begins.size());
  for (const int gpu : {1, 132}) {
    test::fold_segments(strided, wf::contiguous_view<signed char>(ones.data(), ones.size()),
                        between(begins, ends), wf::plus{}, sums, gpu);
    std::size_t wrong = 0;
    for (std::size_t s = 0; s < sums.size(); ++s) wrong += sums[s] != ends[s] - begins[s];
    CHECK(wrong == 0);
  }
}

TEST_CASE("bounds outside of the range are clamped") {
  const std::vector<int> values(100, 1);
  const wf::contiguous_view<int> view(values.data() + 10, 50);
  std::vector<long long> sums(5);
  test::fold_segments(strided, view,
                      between({-5, 10, 40, 60, std::numeric_limits<long long>::max()},
                              {20, 5, 200, 70, std::numeric_limits<long long>::min()}),
                      wf::plus{}, sums);
  CHECK(sums == std::vector<long long>{0, 0, 10, 0, 0});
}
