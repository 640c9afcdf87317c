// The first wrong segment is reported with its bounds, whatever the order of the threads.
// needs: boost_context
#include <warpfold/collective/bounds_check.hpp>

#include <vector>

#include <doctest/doctest.h>

#include <warpfold/view/contiguous.hpp>

#include "contract/emulated_launch.hpp"

namespace wf = warpfold;
using namespace warpfold;  // threadIdx and the other names of the emulation

namespace {

/// Checks segments by offsets in a range of `elements`, the last ones first; three launches use the
/// same memory.
wf::detail::wrong_segment reported(const std::vector<int>& offsets, std::size_t elements,
                                   bool waits = true) {
  test::emulated_launch on;
  const wf::segments_by_offsets segments(
      wf::contiguous_view<const int>(on.read_only(offsets), offsets.size()));
  const auto grid = on.launcher().grid();
  wf::detail::wrong_segment report;
  on.array(&report, 1);
  for (int launch = 0; launch < 3; ++launch) {
    report = {};
    const wf::detail::bounds_check check{waits ? &report : nullptr, elements};
    on.run({8, 64}, [=] {
      for (std::size_t k = blockIdx.x * 64 + threadIdx.x; k < segments.size(); k += 8 * 64) {
        const std::size_t s = segments.size() - 1 - k;
        wf::collective::check_bounds(check, segments, s,
                                     static_cast<std::size_t>(segments.begin(s)),
                                     static_cast<std::size_t>(segments.end(s)), grid);
      }
    });
    CHECK((*grid.wrong() == 0) == (report.number == wf::detail::wrong_segment::none));
    *grid.wrong() = 0;  // as the host does
  }
  on.launcher().finish();
  return report;
}

}  // namespace

TEST_CASE("the first wrong segment is reported, with its bounds") {
  std::vector<int> offsets(3001);
  for (std::size_t s = 0; s < offsets.size(); ++s) offsets[s] = static_cast<int>(2 * s);
  CHECK(reported(offsets, 6000).number == wf::detail::wrong_segment::none);
  CHECK(reported(offsets, 5999).number == 2999);
  for (const std::size_t first : {0u, 1u, 31u, 64u, 1500u, 2999u}) {
    std::vector<int> wrong = offsets;
    for (std::size_t s = first; s < 3000; ++s) wrong[s + 1] = -1 - static_cast<int>(s);
    const wf::detail::wrong_segment found = reported(wrong, 6000);
    CHECK(found.number == first);
    CHECK(static_cast<int>(found.begin) == wrong[first]);
    CHECK(static_cast<int>(found.end) == wrong[first + 1]);
    CHECK(reported(wrong, 6000, false).number == wf::detail::wrong_segment::none);
  }
}

TEST_CASE("segments of one size are not checked") {
  test::emulated_launch on;
  wf::detail::wrong_segment report;
  on.array(&report, 1);
  const auto grid = on.launcher().grid();
  on.run({1, 32}, [=, &report] {
    wf::collective::check_bounds({&report, 5}, wf::segments_by_size(3, 2), 1, 3, 6, grid);
  });
  CHECK(report.number == wf::detail::wrong_segment::none);
}

namespace {

/// While a thread loads the bounds of segment 7, another one finds that 4 is wrong.
struct overtaking_segments {
  unsigned long long* word;

  int begin(std::size_t s, const auto&) const {
    if (s == 7) *word = ~4ull;
    return static_cast<int>(10 * s);
  }
  int end(std::size_t s, const auto&) const { return static_cast<int>(10 * s) - 5; }
};

}  // namespace

TEST_CASE("a thread that is overtaken writes the earlier segment") {
  test::emulated_launch on;
  wf::detail::wrong_segment report;
  on.array(&report, 1);
  const auto grid = on.launcher().grid();
  on.run({1, 32}, [=, &report] {
    if (threadIdx.x != 0) return;
    wf::collective::report_segment(&report, overtaking_segments{grid.wrong()}, 7, grid);
  });
  CHECK(report.number == 4);
  CHECK(report.begin == 40);
  CHECK(report.end == 35);
}
