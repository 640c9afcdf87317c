// Folds of segments with wf::emulated.
// needs: boost_context cccl
// alone: compiles for 10 to 20 s
#include <algorithm>
#include <cmath>
#include <cstring>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/reduce_segments.hpp>
#include <warpfold/view/unsized.hpp>

#include "calls/emulated_segments.hpp"
#include "contract/segments_contract.hpp"

using fixture = test::emulated_segments;
using small_fixture = test::small_emulated_segments;

TEST_CASE_TEMPLATE_APPLY(segment_sizes, test::segment_folds<fixture>);
TEST_CASE_TEMPLATE_INVOKE(segment_size_forms, fixture);
TEST_CASE_TEMPLATE_APPLY(segment_few, test::segment_folds<small_fixture>);
TEST_CASE_TEMPLATE_INVOKE(
    segment_many, test::segment_fold<fixture, float, wf::plus, float>,
    test::segment_fold<fixture, test::three_floats, test::add_parts, test::three_floats>,
    test::segment_fold<fixture, float, wf::arg_op<wf::minimum>, wf::indexed<float>>,
    test::segment_fold<fixture, signed char, wf::plus, long long>);
TEST_CASE_TEMPLATE_INVOKE(segment_offset_types, fixture);
TEST_CASE_TEMPLATE_INVOKE(segment_views, fixture);
TEST_CASE_TEMPLATE_INVOKE(segment_inits, fixture);
TEST_CASE_TEMPLATE_INVOKE(segment_outputs, fixture);
TEST_CASE_TEMPLATE_INVOKE(segment_errors, fixture);
TEST_CASE_TEMPLATE_INVOKE(segment_wrong_bounds, fixture);
TEST_CASE_TEMPLATE_INVOKE(segment_range_index, fixture);
TEST_CASE_TEMPLATE_INVOKE(segment_order, fixture);

TEST_CASE("elements of unknown size: the output may be in memory that the elements might be in") {
  // 9000 elements, and then 5 results.
  std::vector<long long> memory(9005);
  for (std::size_t i = 0; i < 9000; ++i) memory[i] = static_cast<int>(i % 17);
  const std::vector<int> offsets{0, 3, 3, 40, 5000, 9000};
  std::vector<long long> expected(5);
  wf::reduce_segments(wf::seq, memory, offsets, wf::plus{}, 7ll, expected);
  const auto fold = [&](const auto& segments) {
    for (const std::size_t most : {std::size_t{9005}, std::size_t{1} << 40}) {
      const wf::contiguous_view<const long long> elements(memory.data(), most);
      long long* const results = memory.data() + 9000;
      CHECK_THROWS_AS(
          wf::reduce_segments(wf::emulated, elements, segments, wf::plus{}, 7ll, results),
          wf::invalid_range);
      wf::reduce_segments_async(wf::emulated, wf::detail::unsized(elements), segments, wf::plus{},
                                7ll, results);
      CHECK(std::equal(expected.begin(), expected.end(), results));
    }
  };
  fold(offsets);
  fold(wf::segments_between(std::span(offsets).first(5), std::span(offsets).last(5)));
}

TEST_CASE("long segments that overlap are divided among blocks, also more than the list holds") {
  constexpr std::size_t n = 140000;
  std::vector<int> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<int>(i % 1013);
  // Every third one is short. Up to 256 long ones of 16 parts have room.
  for (const std::size_t segments : {9u, 420u}) {
    std::vector<int> begins, ends;
    for (std::size_t s = 0; s < segments; ++s) {
      begins.push_back(static_cast<int>(s * 97));
      ends.push_back(begins.back() + (s % 3 == 0 ? 5 : 65000 + static_cast<int>(s)));
    }
    std::vector<long long> sums(segments), expected(segments);
    wf::reduce_segments(wf::emulated, values, wf::segments_between(begins, ends), wf::plus{}, sums);
    wf::reduce_segments(wf::seq, values, wf::segments_between(begins, ends), wf::plus{}, expected);
    INFO(segments, " segments");
    CHECK(sums == expected);
  }
}

TEST_CASE("segments of one size run the kernels of reduce_axis") {
  const std::vector<float> values(64 * 1000, 1);
  std::vector<float> sums(1000);
  const auto counting = wf::emulated.counting();
  wf::reduce_segments(counting, values, wf::segments_of_size(64), wf::plus{}, sums);
  CHECK(sums == std::vector<float>(1000, 64));
  REQUIRE(counting.report().launches.size() == 1);
  CHECK(counting.report().launches[0].launch.kernel == std::string("ordered_rows"));
}

TEST_CASE("segments in batches: the first of equal elements, NaN, and exact sums, of any length") {
  for (const unsigned longest : {3u, 12u, 40u, 66u, 150u, 700u, 3000u}) {
    for (const bool has_nan : {false, true}) {
      INFO("up to ", longest, has_nan ? ", with NaN" : "");
      std::vector<int> offsets{0};
      for (unsigned s = 0; s < 90 && offsets.back() < 20000; ++s) {
        offsets.push_back(offsets.back() + static_cast<int>(s * 2654435761u % (longest + 1)));
      }
      std::vector<float> v(static_cast<std::size_t>(offsets.back()));
      for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<float>(i * 7919 % 13) - 6;
      for (std::size_t i = 5; has_nan && i < v.size(); i += 101) v[i] = NAN;
      const auto check = [&](const auto& op, auto none) {
        std::vector<decltype(none)> expected(offsets.size() - 1, none), out = expected;
        wf::reduce_segments(wf::seq, v, offsets, op, expected);
        wf::reduce_segments(wf::emulated, v, offsets, op, out);
        CHECK(std::memcmp(out.data(), expected.data(), out.size() * sizeof none) == 0);
      };
      check(wf::arg(wf::maximum{}), -1);
      check(wf::arg(wf::minimum{}.ignoring_nan()), -1L);
      check(wf::plus{}.exact(), -1.0);
    }
  }
}
