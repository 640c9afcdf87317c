// The arrangement of kept and folded dimensions.
#include <warpfold/view/array_layout.hpp>

#include <doctest/doctest.h>

namespace wf = warpfold;

namespace {

template <int Arrays>
wf::array_layout<Arrays, 1> arranged(const wf::detail::array_shape<Arrays>& shape,
                                     std::initializer_list<int> axes) {
  bool folds[wf::detail::max_array_rank] = {};
  for (const int a : axes) folds[a] = true;
  std::size_t bytes[Arrays];
  for (std::size_t& b : bytes) b = 4;
  wf::detail::axis_shape out;
  for (int d = 0; d < shape.rank; ++d) {
    if (!folds[d]) out.extent[out.rank++] = shape.extent[d];
  }
  out = out.row_major();
  return wf::detail::arranged<Arrays, 1>(shape, folds, bytes, &out);
}

}  // namespace

TEST_CASE("the index counts folded elements in the order of their indices") {
  wf::detail::array_shape<1> cube{
      3, {4, 5, 6}, {{1, 4, 20}}};  // the first dimension is the fastest
  const auto l = arranged<1>(cube, {0, 2});
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
  wf::detail::array_shape<2> m{2, {8, 16}, {{16, 1}, {1, 0}}};
  CHECK(arranged<2>(m, {1}).by_rows);
  CHECK(!arranged<2>(m, {0}).by_rows);
  wf::detail::array_shape<2> turned{2, {8, 16}, {{0, 1}, {1, 8}}};
  CHECK(!arranged<2>(turned, {1}).by_rows);
  CHECK(arranged<2>(turned, {0}).by_rows);
  // No neighbors at all: the smaller stride.
  wf::detail::array_shape<1> spread{2, {8, 16}, {{40, 2}}};
  CHECK(arranged<1>(spread, {1}).by_rows);
  CHECK(!arranged<1>(spread, {0}).by_rows);
}

TEST_CASE("axes that continue each other are one") {
  wf::detail::array_shape<1> cube{3, {4, 5, 6}, {{30, 6, 1}}};
  const auto rows = arranged<1>(cube, {1, 2});
  CHECK(rows.folded.count == 1);
  CHECK(rows.folded.dims[0].extent == 30);
  const auto all = arranged<1>(cube, {0, 1, 2});
  CHECK(all.outputs == 1);
  CHECK(all.folded.dims[0].extent == 120);
  wf::detail::array_shape<1> empty{2, {0, 3}, {{3, 1}}};
  CHECK(arranged<1>(empty, {0}).length == 0);
  CHECK(arranged<1>(empty, {1}).outputs == 0);
}
