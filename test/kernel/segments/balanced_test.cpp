// kernel::balanced_segments in the emulation: the elements of each segment, shares of blocks,
// alignment, and offsets that are wrong.
// needs: boost_context
#include <warpfold/kernel/segments/balanced.hpp>

#include <cstdint>
#include <string>

#include <warpfold/view/counting.hpp>

#include "kernel/segments/folds.hpp"

namespace {

constexpr wf::kernel::balanced_segments balanced;

/// A state of 1 KB, so that blocks have 64 threads.
struct large {
  long long parts[128];
  friend bool operator==(const large&, const large&) = default;
};
struct add_large {
  WARPFOLD_HD large operator()(large a, const large& b) const {
    for (int i = 0; i < 128; ++i) a.parts[i] += b.parts[i];
    return a;
  }
};

}  // namespace

TEST_CASE("each segment has its elements once, whatever the lengths") {
  for (const int gpu : {1, 132}) {
    for (const int length : {1, 2, 7, 100, 2047, 5000}) {
      INFO("segments of ", length, ", ", gpu, " multiprocessors");
      test::check_stretches(balanced, 10500, test::equal_offsets(length, 10003, 3), gpu);
    }
  }
  std::vector<int> one_of_half{0};
  for (int s = 0; s < 3000; ++s) one_of_half.push_back(one_of_half.back() + (s == 700 ? 3000 : 1));
  test::check_stretches(balanced, 6500, one_of_half, 1);
  test::check_stretches(balanced, 6500, one_of_half);
  test::check_stretches(balanced, 5, std::vector<long long>{5, 5});
  test::check_stretches(balanced, 5, std::vector<std::uint8_t>{0, 5});
}

TEST_CASE("segments without elements, many, and around one with all elements") {
  std::vector<std::size_t> offsets(4000, 0);
  offsets.insert(offsets.end(), 4000, 6000);
  test::check_stretches(balanced, 6000, offsets);
  test::check_stretches(balanced, 6000, offsets, 1);
  std::vector<int> alternating{0};
  for (int s = 0; s < 3000; ++s) alternating.push_back(alternating.back() + s % 2 * 3);
  test::check_lengths(balanced, 4600, alternating);
  test::check_lengths(balanced, 3, std::vector<int>(6000, 2), 1);
}

TEST_CASE("one launch, and each element is read once") {
  constexpr int n = 20000;
  const auto ints = test::equal_offsets(8, n);
  const auto report =
      test::check_lengths(balanced, n, std::vector<long long>(ints.begin(), ints.end()));
  REQUIRE(report.launches.size() == 1);
  CHECK(report.launches[0].launch.kernel == std::string("balanced_segments"));
  // 4 steps for each end, and at least 2048 steps for each block.
  constexpr unsigned blocks = (n + 4 * n / 8) / 2048 + 1;
  CHECK(report.launches[0].launch.shape.grid.x == blocks);
  std::uint64_t loads = 0;  // of elements: offsets have 8 bytes
  for (const auto& site : report.launches[0].sites) {
    if (site.access_bytes == 4 && site.what == wf::emulation::traffic::global_load) {
      loads += site.lanes;
    }
  }
  CHECK(loads <= n);
  CHECK(loads > n - 8 * blocks);  // a block loads its part of a segment by words
}

TEST_CASE("segments that are put aside, and more of them than there is room for") {
  // One block has all of them: 16 warps have room for 64 each.
  std::vector<int> few{0, 3};
  for (int s = 0; s < 5; ++s) few.push_back(few.back() + 4096 + s);
  few.push_back(few.back() + 1);
  for (const int gpu : {1, 132}) test::check_stretches(balanced, 30000, few, gpu);
  std::vector<long long> many{1};
  for (int s = 0; s < 1200; ++s) many.push_back(many.back() + 4097);
  many.push_back(many.back() + 2);
  const std::vector<signed char> ones(static_cast<std::size_t>(many.back()), 1);
  std::vector<long long> out(many.size() - 1);
  test::fold_segments(balanced, wf::contiguous_view<signed char>(ones.data(), ones.size()),
                      test::by_offsets(many), wf::plus{}, out, 1);
  std::size_t wrong = 0;
  for (std::size_t s = 0; s < out.size(); ++s) wrong += out[s] != many[s + 1] - many[s];
  CHECK(wrong == 0);
}

TEST_CASE("elements at every misalignment, and segments that begin at every element") {
  for (std::size_t offset = 0; offset < 4; ++offset) {
    for (int first = 0; first < 5; ++first) {
      test::check_lengths(balanced, 300 - offset, test::equal_offsets(13, 290, first), 132, offset);
      test::check_lengths(balanced, 2100, std::vector<int>{first, 2099 - first}, 132, offset);
    }
  }
}

TEST_CASE("states of 1 KB") {
  const std::vector<large> values(150, [] {
    large x{};
    x.parts[0] = 1;
    x.parts[127] = 3;
    return x;
  }());
  const std::vector<int> offsets{0, 1, 3, 100, 150};
  std::vector<large> out(4);
  test::fold_segments(balanced, wf::contiguous_view<large>(values.data(), 150),
                      test::by_offsets(offsets), add_large{}, out);
  for (std::size_t s = 0; s < 4; ++s) {
    CHECK(out[s].parts[0] == offsets[s + 1] - offsets[s]);
    CHECK(out[s].parts[127] == 3 * (offsets[s + 1] - offsets[s]));
  }
}

TEST_CASE("wrong offsets: nothing outside the range is read, nothing outside the output written") {
  // The emulation reports other accesses as errors. The results are unspecified.
  const std::vector<float> values(5000, 1);
  const wf::contiguous_view<float> view(values.data() + 1, 4000);  // with memory around it
  constexpr long long least = std::numeric_limits<long long>::min();
  constexpr long long most = std::numeric_limits<long long>::max();
  const std::vector<std::vector<long long>> all{{0, 4001},
                                                {-1, 4000},
                                                {most, most, most},
                                                {least, 5, most},
                                                {4000, 0},
                                                {3000, 2000, 1000},
                                                {0, 9000, 100, 9000},
                                                {least, least},
                                                {5000, 5001, 6000},
                                                {0, 4000, 0, 4000},
                                                {-9, -5, -1, 0, 4},
                                                {most, least, most, least},
                                                {100, 50, 200, 150, 4000, 0, 4000, 4100}};
  const auto sums = [&](const std::vector<long long>& offsets, int gpu) {
    std::vector<float> out(offsets.size() - 1);
    test::fold_segments(balanced, view, test::by_offsets(offsets), wf::plus{}, out, gpu, false);
  };
  for (const int gpu : {1, 132}) {
    for (const auto& offsets : all) CHECK_NOTHROW(sums(offsets, gpu));
    std::vector<long long> random{0};
    std::uint32_t bits = 1;
    for (int s = 0; s < 3000; ++s) {
      bits = bits * 1664525 + 1013904223;
      random.push_back(static_cast<int>(bits >> 8) % 9000 - 2000);
    }
    CHECK_NOTHROW(sums(random, gpu));
  }
  // The bounds checks above do see such an access.
  const std::vector<int> fine{0, 4000};
  std::vector<float> none;
  CHECK_THROWS_AS(test::fold_segments(balanced, view, test::by_offsets(fine), wf::plus{}, none),
                  wf::emulation_error);
}
