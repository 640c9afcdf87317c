// kernel::segments in the emulation: the declared order of each segment, every length, who folds
// it, and bounds that are wrong.
// needs: boost_context
// slow: runs for seconds
#include <warpfold/kernel/segments.hpp>

#include <cstdint>
#include <string>

#include <warpfold/op/extrema.hpp>
#include <warpfold/view/counted.hpp>
#include <warpfold/view/counting.hpp>

#include "contract/order_certificate.hpp"
#include "kernel/segment_folds.hpp"

namespace {

constexpr wf::kernel::segments kernel;

/// A state of 1 KB.
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

auto between(const std::vector<long long>& begins, const std::vector<long long>& ends) {
  using bounds = wf::contiguous_view<long long>;
  return wf::segments_by_bounds(bounds(begins.data(), begins.size()),
                                bounds(ends.data(), ends.size()));
}

/// Checks that the first segment with wrong bounds has been reported, if there is one.
template <class Segments>
void check_reported(const wf::detail::wrong_segment& wrong, const Segments& segments,
                    std::size_t elements) {
  const std::size_t first =
      wf::detail::first_invalid_segment<true>(segments, elements, 0, segments.size());
  if (first == segments.size()) {
    CHECK(wrong.number == wf::detail::wrong_segment::none);
  } else {
    CHECK(wrong.number == first);
    CHECK(static_cast<long long>(wrong.begin) == segments.begin(first));
    CHECK(static_cast<long long>(wrong.end) == segments.end(first));
  }
}

/// Hashes segments of `n` elements; each must have the tree of its elements.
template <class Segments>
wf::emulation::report check_order(std::size_t n, const Segments& segments,
                                  int multiprocessors = 132) {
  const std::vector<std::uint64_t> all = test::ordered_elements(n);
  std::vector<std::uint64_t> out(segments.size(), 5);
  auto report = test::fold_segments(kernel, wf::contiguous_view<std::uint64_t>(all.data(), n),
                                    segments, test::ordered_hash{}, out, multiprocessors);
  std::size_t wrong = 0;
  for (std::size_t s = 0; s < out.size(); ++s) {
    const auto b = static_cast<std::size_t>(segments.begin(s)),
               e = static_cast<std::size_t>(segments.end(s));
    const std::uint64_t want =
        b == e ? 5
               : test::recursive_fold<std::uint64_t>(
                     test::ordered_hash{}, [&](std::size_t i) { return all[i]; }, b, e);
    wrong += out[s] != want;
  }
  CHECK(wrong == 0);
  return report;
}

}  // namespace

TEST_CASE("every length has the declared order: some lanes, a warp, a block, all blocks") {
  for (const int gpu : {1, 132}) {
    for (const int length : {1,   2,   3,   7,   8,   9,   16,   17,   31,   33,   60,    64,   65,
                             100, 255, 256, 257, 511, 513, 1000, 2047, 2049, 5000, 10000, 16385}) {
      INFO("segments of ", length, ", ", gpu, " multiprocessors");
      check_order(17003, test::by_offsets(test::equal_offsets(length, 17003, 3)), gpu);
    }
  }
}

TEST_CASE("lengths of all kinds side by side") {
  for (const int gpu : {1, 132}) {
    for (const unsigned most : {3u, 9u, 70u, 300u, 3000u}) {
      std::vector<int> offsets{0};
      std::uint32_t bits = most;
      while (offsets.back() < 60000) {
        bits = bits * 1664525 + 1013904223;
        const unsigned r = bits >> 8;
        offsets.push_back(offsets.back() + static_cast<int>(r % 61 == 0  ? r % 9000
                                                            : r % 5 == 0 ? 0
                                                                         : r % most));
      }
      INFO("most ", most);
      check_order(static_cast<std::size_t>(offsets.back()), test::by_offsets(offsets), gpu);
    }
  }
}

TEST_CASE("short segments, some of which are much longer than their neighbors") {
  for (const int gpu : {1, 132}) {
    for (const unsigned mean : {2u, 6u, 12u, 25u, 50u}) {
      std::vector<int> offsets{0};
      std::uint32_t bits = mean;
      while (offsets.back() < 60000) {
        bits = bits * 1664525 + 1013904223;
        const unsigned r = bits >> 8, most = r % 4 == 0 ? 6 * mean : mean;
        // Not among the first 32 of the segments that a thread looks at together.
        const bool is_long = offsets.size() == 108;
        offsets.push_back(offsets.back() + (is_long ? 20000 : static_cast<int>(r / 4 % most)));
      }
      INFO("mean ", mean);
      check_order(static_cast<std::size_t>(offsets.back()), test::by_offsets(offsets), gpu);
    }
  }
}

TEST_CASE("each segment has its elements once, also around one with half of them") {
  std::vector<int> one_of_half{0};
  for (int s = 0; s < 3000; ++s) one_of_half.push_back(one_of_half.back() + (s == 700 ? 3000 : 1));
  test::check_stretches(kernel, 6500, one_of_half, 1);
  test::check_stretches(kernel, 6500, one_of_half);
  test::check_stretches(kernel, 5, std::vector<long long>{5, 5});
  test::check_stretches(kernel, 5, std::vector<std::uint8_t>{0, 5});
  std::vector<std::size_t> offsets(4000, 0);
  offsets.insert(offsets.end(), 4000, 6000);
  test::check_stretches(kernel, 6000, offsets);
  test::check_stretches(kernel, 6000, offsets, 1);
  std::vector<int> alternating{0};
  for (int s = 0; s < 3000; ++s) alternating.push_back(alternating.back() + s % 2 * 3);
  test::check_lengths(kernel, 4600, alternating);
  test::check_lengths(kernel, 3, std::vector<int>(6000, 2), 1);
}

TEST_CASE("one launch, and each element is read once") {
  constexpr int n = 20000;
  const auto ints = test::equal_offsets(8, n);
  const auto report =
      test::check_lengths(kernel, n, std::vector<long long>(ints.begin(), ints.end()));
  REQUIRE(report.launches.size() == 1);
  CHECK(report.launches[0].launch.kernel == std::string("segments"));
  std::uint64_t loads = 0;  // of elements: offsets have 8 bytes
  for (const auto& site : report.launches[0].sites) {
    if (site.access_bytes == 4 && site.what == wf::emulation::traffic::global_load) {
      loads += site.lanes;
    }
  }
  CHECK(loads <= n + n / 4);
}

TEST_CASE("segments with gaps and overlaps") {
  std::vector<long long> begins, ends;
  for (const long long n : {0, 1, 2, 31, 32, 33, 63, 64, 127, 128, 129, 300, 2500, 30000}) {
    for (const long long at : {0, 1, 17, 399}) {
      begins.push_back(at);
      ends.push_back(at + n);
    }
  }
  for (const int gpu : {1, 132}) {
    check_order(31000, between(begins, ends), gpu);
    check_order(400, between({5, 7, 300, 2, 2}, {5, 9, 400, 100, 3}), gpu);
  }
}

TEST_CASE("long segments: more than blocks can put aside, and more than the list has room for") {
  std::vector<int> few{0, 3};
  for (int s = 0; s < 5; ++s) few.push_back(few.back() + 17000 + s);
  few.push_back(few.back() + 1);
  for (const int gpu : {1, 132}) {
    check_order(static_cast<std::size_t>(few.back()), test::by_offsets(few), gpu);
  }
  const std::vector<signed char> ones(50000, 1);
  std::vector<long long> begins, ends;
  for (int s = 0; s < 700 * 8; ++s) {
    begins.push_back(s % 50);
    ends.push_back(begins.back() + (s % 8 == 3 ? 17000 + s % 900 : s % 3));
  }
  std::vector<long long> sums(begins.size());
  test::fold_segments(kernel, wf::contiguous_view<signed char>(ones.data(), ones.size()),
                      between(begins, ends), wf::plus{}, sums, 132);
  std::size_t wrong = 0;
  for (std::size_t s = 0; s < sums.size(); ++s) wrong += sums[s] != ends[s] - begins[s];
  CHECK(wrong == 0);
}

TEST_CASE("elements at every misalignment, and segments that begin at every element") {
  for (std::size_t offset = 0; offset < 4; ++offset) {
    for (int first = 0; first < 5; ++first) {
      test::check_lengths(kernel, 300 - offset, test::equal_offsets(13, 290, first), 132, offset);
      test::check_lengths(kernel, 2100, std::vector<int>{first, 2099 - first}, 132, offset);
    }
  }
}

TEST_CASE("states of 1 KB") {
  const std::vector<large> values(20000, [] {
    large x{};
    x.parts[0] = 1;
    x.parts[127] = 3;
    return x;
  }());
  const std::vector<int> offsets{0, 1, 3, 100, 150, 20000};
  std::vector<large> out(5);
  test::fold_segments(kernel, wf::contiguous_view<large>(values.data(), 20000),
                      test::by_offsets(offsets), add_large{}, out);
  for (std::size_t s = 0; s < 5; ++s) {
    CHECK(out[s].parts[0] == offsets[s + 1] - offsets[s]);
    CHECK(out[s].parts[127] == 3 * (offsets[s + 1] - offsets[s]));
  }
}

TEST_CASE("wrong bounds: nothing outside the range is read, nothing outside the output written") {
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
  // The first of them is reported.
  const auto sums = [&](const std::vector<long long>& offsets, int gpu) {
    std::vector<float> out(offsets.size() - 1);
    wf::detail::wrong_segment wrong;
    test::fold_segments(kernel, view, test::by_offsets(offsets), wf::plus{}, out, gpu, false,
                        &wrong);
    check_reported(wrong, test::by_offsets(offsets), view.size());
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
    // A few wrong ones: short and long segments, one for each block, parts for several blocks.
    for (const std::size_t length : {1u, 3u, 40u, 90u, 600u, 1500u}) {
      std::vector<long long> offsets{0};
      while (offsets.back() + static_cast<long long>(length) <= 4000) {
        offsets.push_back(offsets.back() + static_cast<long long>(length));
      }
      sums(offsets, gpu);
      for (const std::size_t s : {std::size_t{0}, offsets.size() / 2, offsets.size() - 1}) {
        auto wrong = offsets;
        wrong[s] = 4001;
        sums(wrong, gpu);
        wrong[s] = -1;
        sums(wrong, gpu);
      }
    }
  }
  const std::vector<int> values_of_bounds(100, 1);
  std::vector<long long> clamped(5);
  const std::vector<long long> begins{-5, 10, 40, 60, most}, ends{20, 5, 200, 70, least};
  wf::detail::wrong_segment wrong;
  test::fold_segments(kernel, wf::contiguous_view<int>(values_of_bounds.data() + 10, 50),
                      between(begins, ends), wf::plus{}, clamped, 132, true, &wrong);
  check_reported(wrong, between(begins, ends), 50);
  CHECK(clamped == std::vector<long long>{0, 0, 10, 0, 0});
  // The bounds checks above do see such an access.
  const std::vector<int> fine{0, 4000};
  std::vector<float> none;
  CHECK_THROWS_AS(test::fold_segments(kernel, view, test::by_offsets(fine), wf::plus{}, none),
                  wf::emulation_error);
}

TEST_CASE("sizes in memory: nothing behind them is read or written") {
  const auto values = test::ordered_elements(60000);
  for (const unsigned mean : {5u, 40u, 200u, 20000u}) {
    std::vector<int> offsets{0};
    std::uint32_t bits = mean;
    while (offsets.back() < 55000) {
      bits = bits * 1664525 + 1013904223;
      offsets.push_back(offsets.back() + static_cast<int>((bits >> 8) % (2 * mean)));
    }
    const std::size_t most = offsets.size() - 1;
    for (const std::size_t segments : {std::size_t{0}, most / 2, most}) {
      for (const std::size_t elements : {std::size_t{0}, std::size_t{20011}, values.size()}) {
        INFO("mean ", mean, ", ", segments, " segments, ", elements, " elements");
        using view = wf::counted_view<wf::contiguous_view<std::uint64_t>, std::size_t>;
        using bounds = wf::counted_view<wf::contiguous_view<int>, std::size_t>;
        using output = wf::contiguous_output<std::uint64_t>;
        std::vector<std::uint64_t> out(most, 5);
        const wf::segmented_reduction<view, wf::counted_segments<bounds>, test::ordered_hash,
                                      wf::no_init, output>
            work{view({values.data(), values.size()}, &elements),
                 wf::counted_segments(bounds({offsets.data(), offsets.size()}, &segments)),
                 {},
                 {},
                 {output(out.data(), out.size())}};
        wf::emulation::launcher on(test::gpu_of(2), nullptr);
        on.allow(values.data(), elements * sizeof(std::uint64_t), false);
        on.allow(&elements, sizeof elements, false);
        on.allow(offsets.data(), segments == 0 ? 0 : (segments + 1) * sizeof(int), false);
        on.allow(&segments, sizeof segments, false);
        on.allow(out.data(), segments * sizeof(std::uint64_t), true);
        CHECK_NOTHROW(kernel.enqueue(work, on));
        on.finish();
        std::size_t wrong = 0;
        for (std::size_t s = 0; s < most; ++s) {
          const auto clamped = [&](int at) {
            const auto i = static_cast<std::size_t>(at);
            return i < elements ? i : elements;
          };
          const std::size_t b = clamped(offsets[s]), e = clamped(offsets[s + 1]);
          const std::uint64_t want =
              s >= segments || b == e
                  ? 5
                  : test::recursive_fold<std::uint64_t>(
                        test::ordered_hash{}, [&](std::size_t i) { return values[i]; }, b, e);
          wrong += out[s] != want;
        }
        CHECK(wrong == 0);
      }
    }
  }
}
