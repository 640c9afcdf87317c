// Shapes, dimensions in the order of memory, and the layouts of folds along axes.
#include <warpfold/view/layout.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "view/shapes.hpp"

namespace wf = warpfold;

namespace {

using test::shape;
using wf::detail::array_shape;

/// Every result lies where its indices say, in whatever order the layout counts them.
void check_places(const array_shape& kept, const array_shape& out) {
  const auto l = wf::detail::layout_of(7, 1, kept, out);
  REQUIRE(l.outputs == kept.count());
  std::vector<std::vector<std::size_t>> got, want;
  for (std::size_t i = 0; i < l.outputs; ++i) {
    const auto at = l.kept.place(i);
    got.push_back({at.of[l.out], at.of[l.in]});
    std::size_t rest = i, in = 0, to = 0;
    for (int d = kept.rank; d-- > 0;) {
      in += rest % kept.extent[d] * kept.stride[d];
      to += rest % kept.extent[d] * out.stride[d];
      rest /= kept.extent[d];
    }
    want.push_back({to, in});
  }
  std::sort(got.begin(), got.end());
  std::sort(want.begin(), want.end());
  CHECK(got == want);
}

constexpr std::size_t most = ~std::size_t{0};

template <int Arrays>
wf::array_layout<Arrays, 1> arranged(const std::vector<std::size_t>& extents,
                                     const std::vector<std::vector<std::size_t>>& strides,
                                     std::initializer_list<int> axes) {
  const auto all = test::shapes(extents, strides);
  bool folds[wf::detail::max_array_rank] = {};
  for (const int a : axes) folds[a] = true;
  std::size_t bytes[Arrays];
  for (std::size_t& b : bytes) b = 4;
  array_shape out;
  for (int d = 0; d < all[0].rank; ++d) {
    if (!folds[d]) out.extent[out.rank++] = extents[static_cast<std::size_t>(d)];
  }
  out = out.row_major();
  return wf::detail::layout_of<Arrays, 1>(all.data(), folds, bytes, &out);
}

}  // namespace

TEST_CASE("places of results, of dimensions in any order, with gaps and repeated ones") {
  check_places(shape({2, 3, 5}, {105, 35, 7}), shape({2, 3, 5}, {15, 5, 1}));
  check_places(shape({2, 3, 5}, {1, 2, 42}), shape({2, 3, 5}, {15, 5, 1}));
  check_places(shape({5, 3, 2}, {7, 40, 200}), shape({5, 3, 2}, {1, 5, 15}));
  check_places(shape({4, 1, 6}, {8, 3, 100}), shape({4, 1, 6}, {6, 9, 1}));
  check_places(shape({2, 3, 4, 5}, {1000, 7, 100, 1}), shape({2, 3, 4, 5}, {60, 20, 5, 1}));
  check_places(shape({2, 3}, {0, 0}), shape({2, 3}, {3, 1}));
  check_places(shape({}, {}), shape({}, {}));
  check_places(shape({1, 1}, {5, 9}), shape({1, 1}, {1, 1}));
  check_places(shape({0, 3}, {3, 1}), shape({0, 3}, {3, 1}));
}

TEST_CASE("dimensions that go on where the one before ends are one") {
  const auto whole =
      wf::detail::layout_of(7, 1, shape({2, 3, 5}, {105, 35, 7}), shape({2, 3, 5}, {15, 5, 1}));
  CHECK(whole.kept.count == 1);
  CHECK(whole.kept.dims[0].extent == 30);
  CHECK(whole.kept.dims[0].stride[0] == 7);
  CHECK(whole.kept.dims[0].stride[1] == 1);
  CHECK(whole.kept.size(1) == 1);
  // The output does not go on.
  const auto apart = wf::detail::layout_of(7, 1, shape({2, 3}, {21, 7}), shape({2, 3}, {10, 1}));
  CHECK(apart.kept.count == 2);
  CHECK(apart.kept.dims[0].extent == 3);
  CHECK(apart.kept.dims[1].extent == 2);
  CHECK(apart.kept.size(1) == 2);
  // The same input for all: in the order of the output.
  const auto repeated = wf::detail::layout_of(7, 1, shape({2, 3}, {0, 0}), shape({2, 3}, {3, 1}));
  CHECK(repeated.kept.count == 1);
  CHECK(repeated.kept.dims[0].extent == 6);
  CHECK(repeated.kept.dims[0].stride[0] == 0);
  CHECK(repeated.kept.dims[0].stride[1] == 1);
  const auto none = wf::detail::layout_of(7, 1, shape({0, 3}, {3, 1}), shape({0, 3}, {3, 1}));
  CHECK(none.outputs == 0);
  const auto one = wf::detail::layout_of(1, 5, shape({}, {}), shape({}, {}));
  CHECK(one.step == 0);
  CHECK(one.kept.place(0).of[0] == 0);
  CHECK(one.kept.place(0).of[1] == 0);
}

TEST_CASE("count, span, and the shape without an axis") {
  const auto s = shape({4, 3, 2}, {100, 10, 3});
  CHECK(s.count() == 24);
  CHECK(s.span() == 324);
  CHECK(shape({4, 0}, {1, 1}).span() == 0);
  CHECK(shape({}, {}).span() == 1);
  const auto rest = s.without(1);
  CHECK(rest.rank == 2);
  CHECK(rest.extent[0] == 4);
  CHECK(rest.extent[1] == 2);
  CHECK(rest.stride[1] == 3);
  const auto packed = s.row_major();
  CHECK(packed.stride[0] == 6);
  CHECK(packed.stride[1] == 2);
  CHECK(packed.stride[2] == 1);
}

TEST_CASE("more than memory holds is refused, whichever number says so") {
  const auto refused = [](const array_shape& s, std::size_t bytes) {
    CHECK_THROWS_AS(s.require_countable("the input", bytes), wf::invalid_range);
  };
  refused(shape({most / 2, 4}, {0, 0}), 1);    // the elements
  refused(shape({4, most / 2}, {0, 0}), 1);    // whichever comes first
  refused(shape({3, 2}, {most / 2, 1}), 1);    // a stride
  refused(shape({2, 2}, {most, most}), 1);     // both together
  refused(shape({2}, {most}), 1);              // the last one's end
  refused(shape({2}, {most / 2}), 8);          // their bytes
  refused(shape({most / 8 + 1}, {0}), 8);      // bytes of elements that are one
  refused(shape({most / 2 / 8 + 1}, {0}), 8);  // addresses
  shape({most / 2 / 8}, {0}).require_countable("the input", 8);
  shape({most / 2, 0, 5}, {most, most, 1}).require_countable("the input", 8);
}

TEST_CASE(
    "numbers that overflow to small ones are refused too, and strides of one element are not "
    "asked") {
  constexpr std::size_t half = std::size_t{1} << 32;
  CHECK_THROWS_AS(shape({half, half}, {0, 0}).require_countable("the input", 1), wf::invalid_range);
  CHECK_THROWS_AS(shape({2}, {most / 2}).require_countable("the input", 1), wf::invalid_range);
  CHECK_THROWS_AS(shape({2}, {most / 2 / 8}).require_countable("the input", 8), wf::invalid_range);
  shape({1, 3}, {most, 1}).require_countable("the input", 8);
  shape({2}, {most / 2 - 1}).require_countable("the input", 1);
}

TEST_CASE(
    "dimensions are in the order of the input's strides, and of the output's where those are "
    "equal") {
  const auto strides = [](const array_shape& kept, const array_shape& out) {
    const auto l = wf::detail::layout_of(7, 1, kept, out);
    std::vector<std::size_t> all;
    for (int d = 0; d < l.kept.count; ++d) {
      all.push_back(l.kept.dims[d].stride[0]);
      all.push_back(l.kept.dims[d].stride[1]);
    }
    return all;
  };
  using strides_of = std::vector<std::size_t>;
  const auto out = shape({2, 3, 4}, {12, 4, 1});
  CHECK(strides(shape({2, 3, 4}, {7, 105, 35}), out) == strides_of{7, 12, 35, 1, 105, 4});
  CHECK(strides(shape({2, 3, 4}, {7, 35, 150}), out) == strides_of{7, 12, 35, 4, 150, 1});
  CHECK(strides(shape({2, 3}, {4, 4}), shape({2, 3}, {3, 1})) == strides_of{4, 1, 4, 3});
  CHECK(strides(shape({2, 2, 2}, {4, 4, 4}), shape({2, 2, 2}, {1, 9, 5})) ==
        strides_of{4, 1, 4, 5, 4, 9});
  // Those of one element are nobody's.
  CHECK(strides(shape({4, 1, 6}, {8, 3, 100}), shape({4, 1, 6}, {6, 9, 1})) ==
        strides_of{8, 6, 100, 1});
}

TEST_CASE("dimensions nest if each stride is larger than the span of the smaller ones") {
  CHECK(shape({}, {}).nests());
  CHECK(shape({5}, {1}).nests());
  CHECK(shape({1}, {0}).nests());
  CHECK(shape({1, 3}, {0, 1}).nests());
  CHECK(shape({4, 5, 6}, {30, 6, 1}).nests());
  CHECK(shape({4, 5, 6}, {1, 4, 20}).nests());
  CHECK(shape({4, 5, 6}, {200, 7, 1}).nests());
  CHECK(shape({3, 2}, {2, 5}).nests());  // 0 2 4, 5 7 9
  CHECK(shape({3, 2, 0}, {1, 1, 5}).nests());
  CHECK(!shape({2}, {0}).nests());
  CHECK(!shape({2, 3}, {0, 1}).nests());
  CHECK(!shape({2, 2}, {1, 1}).nests());
  CHECK(!shape({4, 5, 6}, {30, 5, 1}).nests());
  CHECK(!shape({3, 2}, {2, 3}).nests());  // distinct, but interleaved: 0 2 4, 3 5 7
  CHECK_THROWS_WITH_AS(
      shape({2, 3}, {0, 1}).require_nested(),
      doctest::Contains("several results would be written to one element, or the dimensions "
                        "interleave: the output has extents of 2 x 3 and strides of 0, 1 elements"),
      wf::invalid_range);
  shape({3, 2, 0}, {1, 1, 5}).require_nested();
}

TEST_CASE("arrays in the order of the memory of one of them") {
  const auto all = test::shapes({2, 3, 4}, {{1, 2, 6}, {0, 4, 1}});
  const auto of_both = wf::detail::in_order_of<2>(all[0], all.data());
  CHECK(of_both.count == 3);
  CHECK(of_both.dims[2].extent == 4);
  CHECK(of_both.dims[2].stride[1] == 1);
  CHECK(wf::detail::in_order_of<1>(all[0], all.data()).count == 1);
  // Of equal strides the last index is first; dimensions of extent 1 are left out.
  const auto order = shape({2, 1, 3, 4}, {5, 1, 5, 1}).order();
  CHECK(order.count == 3);
  CHECK(order.of[0] == 3);
  CHECK(order.of[1] == 2);
  CHECK(order.of[2] == 0);
}

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
  static_assert(wf::detail::divided_down(7, 2) == 3);
  static_assert(wf::detail::divided_down(std::size_t{1} << 40, std::size_t{1} << 33) == 128);
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

TEST_CASE("places that do not fit 32 bits") {
  constexpr std::size_t much = (std::size_t{1} << 32) + 3;
  wf::axis_layout l;
  l.kept.count = 2;
  l.outputs = 5 * much;
  l.kept.dims[0] = {much, {1, 1}};
  l.kept.dims[1] = {5, {2 * much, much}};
  for (const std::size_t i :
       {std::size_t{0}, std::size_t{5}, much - 1, much, much + 5, 3 * much - 1, 4 * much}) {
    const auto at = l.kept.place(i);
    CHECK(at.of[l.in] == i % much + i / much * 2 * much);
    CHECK(at.of[l.out] == i);
  }
  // An index of 33 bits, and of 32, among few columns.
  l.kept.dims[0] = {10, {1, 1}};
  l.kept.dims[1] = {much, {16, 10}};
  for (const std::size_t i : {(std::size_t{1} << 32) + 7, (std::size_t{1} << 32) - 1}) {
    CHECK(l.kept.place(i).of[0] == i % 10 + i / 10 * 16);
    CHECK(l.kept.place(i).of[1] == i);
  }
  // From the second dimension on.
  CHECK(l.kept.place(3, 1).of[0] == 48);
  CHECK(l.kept.place(3, 1).of[1] == 30);
}

TEST_CASE("numbers are digits in the extents of the kept dimensions, the first one the fastest") {
  wf::axis_layout l;
  l.kept.count = 3;
  l.outputs = 2 * 3 * 4;
  l.kept.dims[0] = {2, {1, 100}};
  l.kept.dims[1] = {3, {10, 1000}};
  l.kept.dims[2] = {4, {50, 1}};
  std::size_t i = 0;
  for (std::size_t z = 0; z < 4; ++z) {
    for (std::size_t y = 0; y < 3; ++y) {
      for (std::size_t x = 0; x < 2; ++x, ++i) {
        INFO("result ", i);
        CHECK(l.kept.place(i).of[0] == x + 10 * y + 50 * z);
        CHECK(l.kept.place(i).of[1] == 100 * x + 1000 * y + z);
        CHECK(l.kept.place(i / 2, 1).of[0] == 10 * y + 50 * z);
        CHECK(l.kept.place(i / 6, 2).of[1] == z);
      }
    }
  }
  CHECK(l.kept.size(1) == 12);
}

TEST_CASE("four dimensions, and zero") {
  wf::axis_layout l;
  l.kept.count = 4;
  for (std::size_t d = 0, stride = 1; d < 4; ++d, stride *= 3) l.kept.dims[d] = {3, {stride, 0}};
  for (std::size_t i = 0; i < 81; ++i) CHECK(l.kept.place(i).of[0] == i);
  const wf::axis_layout single;
  CHECK(single.outputs == 1);
  CHECK(single.kept.size(1) == 1);
  CHECK(single.kept.place(0).of[0] + single.kept.place(0).of[1] == 0);
}

TEST_CASE("the index counts folded elements in the order of their indices") {
  // The first dimension is the fastest.
  const auto l = arranged<1>({4, 5, 6}, {{1, 4, 20}}, {0, 2});
  CHECK(l.outputs == 5);
  CHECK(l.length == 24);
  CHECK(l.by_rows);
  CHECK(l.folded.count == 2);
  for (std::size_t i = 0; i < 24; ++i) {
    const auto at = l.folded.place(i);
    const std::size_t first = at.of[0] % 4, last = at.of[0] / 20;
    CHECK(at.of[1] == first * 6 + last);
  }
}

TEST_CASE("dimensions are sorted by the largest array, and rows are those with neighbors") {
  // A row-major matrix beside a vector that repeats.
  CHECK(arranged<2>({8, 16}, {{16, 1}, {1, 0}}, {1}).by_rows);
  CHECK(!arranged<2>({8, 16}, {{16, 1}, {1, 0}}, {0}).by_rows);
  CHECK(!arranged<2>({8, 16}, {{0, 1}, {1, 8}}, {1}).by_rows);
  CHECK(arranged<2>({8, 16}, {{0, 1}, {1, 8}}, {0}).by_rows);
  // No neighbors at all: the smaller stride.
  CHECK(arranged<1>({8, 16}, {{40, 2}}, {1}).by_rows);
  CHECK(!arranged<1>({8, 16}, {{40, 2}}, {0}).by_rows);
}

TEST_CASE("axes that continue each other are one") {
  const auto rows = arranged<1>({4, 5, 6}, {{30, 6, 1}}, {1, 2});
  CHECK(rows.folded.count == 1);
  CHECK(rows.folded.dims[0].extent == 30);
  const auto all = arranged<1>({4, 5, 6}, {{30, 6, 1}}, {0, 1, 2});
  CHECK(all.outputs == 1);
  CHECK(all.folded.dims[0].extent == 120);
  CHECK(arranged<1>({0, 3}, {{3, 1}}, {0}).length == 0);
  CHECK(arranged<1>({0, 3}, {{3, 1}}, {1}).outputs == 0);
}
