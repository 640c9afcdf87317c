// Extents and strides of axis reductions: the places of each result and its elements, which
// dimensions are merged, and which shapes are refused.
#include <warpfold/view/axis_shape.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "view/axis_shapes.hpp"

namespace wf = warpfold;

namespace {

using test::shape;
using wf::detail::axis_shape;

/// Every result lies where its indices say, in whatever order the layout counts them.
void check_places(const axis_shape& kept, const axis_shape& out) {
  const auto l = wf::detail::layout_of(7, 1, kept, out);
  REQUIRE(l.outputs == kept.count());
  std::vector<std::vector<std::size_t>> got, want;
  for (std::size_t i = 0; i < l.outputs; ++i) {
    const auto at = l.place(i);
    got.push_back({at.out, at.in});
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
  CHECK(whole.kept == 1);
  CHECK(whole.dims[0].extent == 30);
  CHECK(whole.dims[0].in == 7);
  CHECK(whole.dims[0].out == 1);
  CHECK(whole.outers() == 1);
  // The output does not go on.
  const auto apart = wf::detail::layout_of(7, 1, shape({2, 3}, {21, 7}), shape({2, 3}, {10, 1}));
  CHECK(apart.kept == 2);
  CHECK(apart.dims[0].extent == 3);
  CHECK(apart.dims[1].extent == 2);
  CHECK(apart.outers() == 2);
  // The same input for all: in the order of the output.
  const auto repeated = wf::detail::layout_of(7, 1, shape({2, 3}, {0, 0}), shape({2, 3}, {3, 1}));
  CHECK(repeated.kept == 1);
  CHECK(repeated.dims[0].extent == 6);
  CHECK(repeated.dims[0].in == 0);
  CHECK(repeated.dims[0].out == 1);
  const auto none = wf::detail::layout_of(7, 1, shape({0, 3}, {3, 1}), shape({0, 3}, {3, 1}));
  CHECK(none.outputs == 0);
  CHECK(none.outers() == 0);
  const auto one = wf::detail::layout_of(1, 5, shape({}, {}), shape({}, {}));
  CHECK(one.step == 0);
  CHECK(one.place(0).in == 0);
  CHECK(one.place(0).out == 0);
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
  const auto refused = [](const axis_shape& s, std::size_t bytes) {
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

TEST_CASE("outputs of other extents, or with one place for several results, are refused") {
  const auto kept = shape({2, 3}, {3, 1});
  wf::detail::require_same_extents(kept, shape({2, 3}, {3, 1}));
  CHECK_THROWS_AS(wf::detail::require_same_extents(kept, shape({2, 4}, {4, 1})), wf::invalid_range);
  CHECK_THROWS_AS(wf::detail::require_same_extents(kept, shape({2, 3}, {0, 1})), wf::invalid_range);
  CHECK_THROWS_AS(wf::detail::require_same_extents(kept, shape({2, 3}, {1, 0})), wf::invalid_range);
  wf::detail::require_same_extents(shape({1, 3}, {3, 1}), shape({1, 3}, {0, 1}));
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
  const auto strides = [](const axis_shape& kept, const axis_shape& out) {
    const auto l = wf::detail::layout_of(7, 1, kept, out);
    std::vector<std::size_t> all;
    for (int d = 0; d < l.kept; ++d) {
      all.push_back(l.dims[d].in);
      all.push_back(l.dims[d].out);
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

TEST_CASE(
    "an output without elements has no two at one place; of two at one, the message says which") {
  wf::detail::require_same_extents(shape({3, 2, 0}, {1, 1, 1}), shape({3, 2, 0}, {1, 1, 5}));
  CHECK_THROWS_WITH_AS(
      wf::detail::require_same_extents(shape({2, 3}, {3, 1}), shape({2, 3}, {0, 1})),
      doctest::Contains("the output's dimension 0 has a stride of 0"), wf::invalid_range);
}
