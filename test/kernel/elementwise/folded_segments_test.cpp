// kernel::folded_segments in the emulation: its launches, and bounds that are wrong. The suite of
// transform_segments has the rest (contract/transform_segments_contract.hpp).
// needs: boost_context
#include <warpfold/kernel/elementwise/folded_segments.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <warpfold/op/all.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/op/with_finish.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/transform_segments.hpp>

#include "contract/emulated_launch.hpp"
#include "contract/order_certificate.hpp"

namespace wf = warpfold;

namespace {

struct add {
  template <class A>
  WARPFOLD_HD int operator()(int x, const A& folded) const {
    return x + static_cast<int>(folded);
  }
  WARPFOLD_HD float operator()(float x, int folded) const { return x + static_cast<float>(folded); }
  template <class A, class... Rest>
  WARPFOLD_HD int operator()(int x, const wf::tuple<A, Rest...>& folded) const {
    return x + static_cast<int>(wf::get<0>(folded));
  }
};

struct count_of {
  WARPFOLD_HD int operator()(const wf::moments& m) const { return static_cast<int>(m.count); }
};

using ints = wf::contiguous_view<int>;

/// Adds the sum of its segment to each element, which are 1, by the kernel itself, which reports
/// the first wrong segment.
template <class Segments, class Op = wf::plus>
class folded {
 public:
  folded(std::size_t n, const Segments& segments, const std::vector<std::vector<int>*>& bounds,
         const Op& op = {}, bool has_races = false)
      : in(n, 1), out(n, -1) {
    if (has_races) on.launcher().let_races_happen();
    on.read_only(in);
    for (const auto* b : bounds) on.read_only(*b);
    on.array(out);
    const wf::contiguous_output<int> to(out.data(), n);
    wf::segment_fold_transformation<ints, Segments, Op, wf::contiguous_output<int>, add> work(
        ints(in.data(), n), segments, op, to, {});
    on.array(&wrong, 1);
    work.check_bounds({&wrong, n});
    wf::kernel::folded_segments{}.enqueue(work, on.launcher());
    on.launcher().finish();
    const std::size_t first =
        wf::detail::first_invalid_segment<true>(segments, n, 0, segments.size());
    if (n == 0 || first == segments.size()) {
      CHECK(wrong.number == wf::detail::wrong_segment::none);
    } else {
      CHECK(wrong.number == first);
      CHECK(static_cast<int>(wrong.begin) == segments.begin(first));
      CHECK(static_cast<int>(wrong.end) == segments.end(first));
    }
  }
  test::emulated_launch on;
  wf::detail::wrong_segment wrong;
  std::vector<int> in, out;
};

auto by_offsets(const std::vector<int>& offsets) {
  return wf::segments_by_offsets(ints(offsets.data(), offsets.size()));
}
auto by_bounds(const std::vector<int>& begins, const std::vector<int>& ends) {
  return wf::segments_by_bounds(ints(begins.data(), begins.size()), ints(ends.data(), ends.size()));
}

}  // namespace

TEST_CASE("segments end where their run, their tile, their words or their warp end") {
  for (const int length : {1, 7, 8, 9, 31, 95, 96, 97, 127, 129, 257, 2047, 2049, 4096, 4097}) {
    std::vector<int> offsets{0};
    while (offsets.back() < 20000) offsets.push_back(offsets.back() + length);
    const auto n = static_cast<std::size_t>(offsets.back());
    const folded f(n, by_offsets(offsets), {&offsets});
    INFO(length, " elements");
    CHECK((f.out == std::vector<int>(n, 1 + length)));
  }
}

TEST_CASE("one launch; two for segments in any order and for large states") {
  std::vector<int> offsets{0, 3, 3, 9}, begins{4, 0}, ends{6, 4};
  CHECK(folded(9, by_offsets(offsets), {&offsets}).on.launches() == 1);
  CHECK(folded(6, by_bounds(begins, ends), {&begins, &ends}).on.launches() == 2);
  const auto large = wf::all(wf::plus{}, wf::moments_op{}, wf::moments_op{}, wf::moments_op{});
  const folded two(9, by_offsets(offsets), {&offsets}, large);
  CHECK(two.on.launches() == 2);
  CHECK(two.out == std::vector<int>{4, 4, 4, 7, 7, 7, 7, 7, 7});
}

TEST_CASE("bounds that decrease or lie outside of the range touch no other memory") {
  // The emulation throws for an access outside of the arrays. Where bounds decrease, two segments
  // have the same elements.
  for (const std::vector<int>& wrong :
       {std::vector<int>{9000, 0, 5000}, {0, 20000, 10}, {-5, 3, 1 << 30}, {1 << 30, 1 << 30, 0}}) {
    for (const std::size_t step : {2u, 7u, 1000u}) {
      for (const int length : {3, 300}) {
        std::vector<int> offsets(9000 / static_cast<std::size_t>(length));
        for (std::size_t s = 0; s < offsets.size(); ++s) {
          offsets[s] = s % step == 1 ? wrong[s / step % 3] : length * static_cast<int>(s);
        }
        CHECK_NOTHROW(folded(10000, by_offsets(offsets), {&offsets}, wf::plus{}, true));
        // Only one of them, and the last one.
        std::vector<int> one(offsets.size());
        for (std::size_t s = 0; s < one.size(); ++s) one[s] = length * static_cast<int>(s);
        const std::size_t at = step < one.size() ? step : 0;
        one[at] = wrong[1];
        CHECK_NOTHROW(folded(10000, by_offsets(one), {&one}, wf::plus{}, true));
        one[at] = length * static_cast<int>(at);
        one.back() = wrong[0];
        CHECK_NOTHROW(folded(10000, by_offsets(one), {&one}, wf::plus{}, true));
      }
    }
  }
  // Two launches: the first one reports.
  std::vector<int> begins{0, 4, 7}, ends{4, 3, 20};
  CHECK(folded(10, by_bounds(begins, ends), {&begins, &ends}, wf::plus{}, true).wrong.number == 1);
}

TEST_CASE("moments of many elements: two launches, which report wrong bounds, too") {
  using floats = wf::contiguous_view<float>;
  const auto op = wf::with_finish(wf::moments_op{}, count_of{});
  constexpr wf::kernel::folded_segments kernel{.least_elements_of_two = 9000};
  for (const int length : {10, 40, 300}) {
    for (const std::size_t n : {6000u, 12000u}) {
      for (const bool is_wrong : {false, true}) {
        INFO(n, " elements, segments of ", length, is_wrong ? ", one of them wrong" : "");
        std::vector<int> offsets{0};
        while (offsets.back() + length <= static_cast<int>(n)) {
          offsets.push_back(offsets.back() + length);
        }
        if (is_wrong) offsets[7] = 30000;
        std::vector<float> in(n, 1), out(n, -1);
        test::emulated_launch on;
        if (is_wrong) on.launcher().let_races_happen();
        on.read_only(in);
        on.read_only(offsets);
        on.array(out);
        const auto segments = by_offsets(offsets);
        const wf::contiguous_output<float> to(out.data(), n);
        wf::segment_fold_transformation work(floats(in.data(), n), segments, op, to, add{});
        wf::detail::wrong_segment wrong;
        on.array(&wrong, 1);
        work.check_bounds({&wrong, n});
        kernel.enqueue(work, on.launcher());
        on.launcher().finish();
        CHECK(on.launches() == (length >= 24 && n >= 9000 ? 2 : 1));
        CHECK(wrong.number == (is_wrong ? 6 : wf::detail::wrong_segment::none));
        for (std::size_t i = 0; !is_wrong && i < n; ++i) {
          REQUIRE(out[i] == (static_cast<int>(i) < offsets.back() ? 1 + length : -1));
        }
      }
    }
  }
}

TEST_CASE("the tree of a segment is that of the declared order, whoever folds it") {
  // Few segments of all lengths; many short ones, of which some are longer; and some for whose
  // runs two lanes are enough.
  std::vector<std::vector<int>> all{
      {1, 2, 3, 7, 8, 9, 31, 33, 64, 257, 5, 2049, 6000, 30001, 4}, {}, {}, {}};
  for (int s = 0; s < 400; ++s) {
    all[1].push_back(s % 41 + 1);
    all[2].push_back(s % 90 == 7 ? 700 : s % 5 + 1);
    all[3].push_back(s % 160 + 1);
  }
  for (const std::vector<int>& lengths : all) {
    std::vector<int> offsets{1};
    for (const int length : lengths) offsets.push_back(offsets.back() + length);
    const auto v = test::ordered_elements(static_cast<std::size_t>(offsets.back()) + 2);
    std::vector<std::uint64_t> want(v);
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      const auto first = static_cast<std::size_t>(offsets[s]);
      const auto last = static_cast<std::size_t>(offsets[s + 1]);
      const auto tree = test::recursive_fold<std::uint64_t>(
          test::ordered_hash{}, [&](std::size_t i) { return v[i]; }, first, last);
      for (std::size_t i = first; i < last; ++i) want[i] = v[i] ^ tree;
    }
    for (const int multiprocessors : {1, 132}) {
      auto gpu = wf::emulation::default_gpu;
      gpu.multiprocessors = multiprocessors;
      auto out = v;  // in place
      wf::transform_segments(wf::emulated.emulating(gpu), out, offsets, test::ordered_hash{}, out,
                             [](std::uint64_t x, std::uint64_t tree) { return x ^ tree; });
      CHECK((out == want));
    }
  }
}

TEST_CASE("no segments, and no elements") {
  std::vector<int> offsets{0};
  CHECK(folded(5, by_offsets(offsets), {&offsets}).out == std::vector<int>(5, -1));
  std::vector<int> empty{0, 0, 0};
  CHECK(folded(0, by_offsets(empty), {&empty}).out.empty());
  CHECK(folded(3, by_bounds(empty, empty), {&empty}).out == std::vector<int>(3, -1));
}
