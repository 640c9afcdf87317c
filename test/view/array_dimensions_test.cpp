// Positions in the dimensions that several arrays share, and merging of dimensions.
#include <warpfold/view/array_dimensions.hpp>

#include <doctest/doctest.h>

namespace wf = warpfold;

TEST_CASE("places of positions, from the first dimension and from a later one") {
  wf::array_dimensions<2> d;
  d.append({3, {1, 0}});
  d.append({4, {10, 5}});
  d.append({2, {100, 1}});
  CHECK(d.count == 3);
  CHECK(d.size() == 24);
  CHECK(d.size(1) == 8);
  for (std::size_t i = 0; i < 24; ++i) {
    const auto at = d.place(i);
    CHECK(at.of[0] == i % 3 + i / 3 % 4 * 10 + i / 12 * 100);
    CHECK(at.of[1] == i / 3 % 4 * 5 + i / 12);
    CHECK(d.place(i / 3, 1).of[0] + i % 3 == at.of[0]);
  }
}

TEST_CASE("a position that needs more than 32 bits") {
  wf::array_dimensions<1> d;
  const std::size_t n = std::size_t{1} << 33;
  d.append({n, {1}});
  d.append({7, {3 * n}});
  CHECK(d.place(5 * n + 9).of[0] == 15 * n + 9);
}

TEST_CASE("the lines of several positions") {
  wf::array_dimensions<2> d;
  d.append({3, {2, 0}});
  d.append({4, {10, 1}});
  d.append({5, {100, 9}});
  for (int n = 1; n <= 8; ++n) {
    for (std::size_t i = 0; i + static_cast<std::size_t>(n) <= 60; ++i) {
      int next = 0;
      std::size_t wrong = 0;
      d.for_lines(i, n, [&](const wf::array_offsets<2>& at, int first, int last) {
        wrong += first != next;
        for (next = first; next < last; ++next) {
          const auto expected = d.place(i + static_cast<std::size_t>(next));
          wrong += at.of[0] + static_cast<std::size_t>(next - first) * 2 != expected.of[0];
          wrong += at.of[1] != expected.of[1];
        }
      });
      CHECK(wrong == 0);
      CHECK(next == n);
    }
  }
  static_assert(wf::divided_down(7, 2) == 3);
  static_assert(wf::divided_down(std::size_t{1} << 40, std::size_t{1} << 33) == 128);
}

TEST_CASE("dimensions merge if they continue each other in every array") {
  wf::array_dimensions<2> both;
  both.append({3, {2, 0}});
  both.append({1, {77, 77}});
  both.append({5, {6, 0}});
  CHECK(both.count == 1);
  CHECK(both.dims[0].extent == 15);
  CHECK(both.place(14).of[0] == 28);
  wf::array_dimensions<2> one;
  one.append({3, {2, 1}});
  one.append({5, {6, 4}});
  CHECK(one.count == 2);
  wf::array_dimensions<2> other;
  other.append({3, {1, 2}});
  other.append({5, {4, 6}});
  CHECK(other.count == 2);
  wf::array_dimensions<2> none;
  none.append({1, {9, 9}});
  CHECK(none.count == 1);
  CHECK(none.size() == 1);
}
