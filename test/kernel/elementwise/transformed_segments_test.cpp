// kernel::transformed_segments in the emulation: its launches, and bounds that are wrong.
// needs: boost_context
#include <warpfold/kernel/elementwise/transformed_segments.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "contract/emulated_launch.hpp"

namespace wf = warpfold;

namespace {

struct add {
  WARPFOLD_HD int operator()(int x, int v) const { return x + v; }
};

using ints = wf::contiguous_view<int>;

/// Adds 100 + s to the elements of segment s, by the kernel itself, which checks no bounds.
template <class Segments>
class transformed {
 public:
  transformed(std::size_t n, const Segments& segments, const std::vector<std::vector<int>*>& bounds)
      : in(n, 1), values(segments.size()), out(n, -1) {
    for (std::size_t s = 0; s < values.size(); ++s) values[s] = static_cast<int>(100 + s);
    on.read_only(in);
    on.read_only(values);
    for (const auto* b : bounds) on.read_only(*b);
    on.array(out);
    const wf::contiguous_output<int> to(out.data(), n);
    wf::kernel::transformed_segments{}.enqueue(
        wf::segmented_transformation<ints, Segments, ints, wf::contiguous_output<int>, add>{
            ints(in.data(), n), segments, ints(values.data(), values.size()), to, {}},
        on.launcher());
    on.launcher().finish();
  }
  test::emulated_launch on;
  std::vector<int> in, values, out;
};

auto by_offsets(const std::vector<int>& offsets) {
  return wf::segments_by_offsets(ints(offsets.data(), offsets.size()));
}
auto by_bounds(const std::vector<int>& begins, const std::vector<int>& ends) {
  return wf::segments_by_bounds(ints(begins.data(), begins.size()), ints(ends.data(), ends.size()));
}

}  // namespace

TEST_CASE("segments end where their tile, their words or the search end") {
  for (const int length : {1, 3, 4, 31, 1023, 1024, 1025, 4096, 5000}) {
    std::vector<int> offsets{0};
    while (offsets.back() < 40000) offsets.push_back(offsets.back() + length);
    const auto n = static_cast<std::size_t>(offsets.back());
    transformed t(n, by_offsets(offsets), {&offsets});
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
      wrong += t.out[i] != 101 + static_cast<int>(i) / length;
    }
    INFO(length, " elements");
    CHECK(wrong == 0);
  }
}

TEST_CASE("bounds that decrease or lie outside of the range touch no other memory") {
  // The emulation throws for an access outside of the arrays, and for a race.
  for (const std::vector<int>& wrong :
       {std::vector<int>{9000, 0, 5000}, {0, 20000, 10}, {-5, 3, 1 << 30}, {1 << 30, 1 << 30, 0}}) {
    for (const std::size_t step : {2u, 7u, 1000u}) {
      std::vector<int> offsets(3000), ends;
      for (std::size_t s = 0; s < offsets.size(); ++s) {
        offsets[s] = s % step == 1 ? wrong[s / step % 3] : static_cast<int>(3 * s);
      }
      CHECK_NOTHROW(transformed(10000, by_offsets(offsets), {&offsets}));
      // One of these has elements: others would be written twice.
      for (std::size_t s = 0; s < offsets.size(); ++s) {
        ends.push_back(s == 5 ? wrong[1] : s % 2 == 0 ? offsets[s] : 0);
      }
      CHECK_NOTHROW(transformed(10000, by_bounds(offsets, ends), {&offsets, &ends}));
    }
  }
}

TEST_CASE("no segments, and no elements") {
  std::vector<int> offsets{0};
  CHECK(transformed(5, by_offsets(offsets), {&offsets}).out == std::vector<int>(5, -1));
  std::vector<int> empty{0, 0, 0};
  CHECK(transformed(0, by_offsets(empty), {&empty}).out.empty());
  CHECK(transformed(3, by_bounds(empty, empty), {&empty}).out == std::vector<int>(3, -1));
}
