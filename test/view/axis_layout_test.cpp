// axis_layout: the places of results and of their first elements, by the number of the result.
#include <warpfold/view/axis_layout.hpp>

#include <doctest/doctest.h>

#include <initializer_list>

namespace wf = warpfold;

TEST_CASE("places that do not fit 32 bits") {
  constexpr std::size_t much = (std::size_t{1} << 32) + 3;
  wf::axis_layout l;
  l.kept = 2;
  l.outputs = 5 * much;
  l.dims[0] = {much, 1, 1};
  l.dims[1] = {5, 2 * much, much};
  for (const std::size_t i :
       {std::size_t{0}, std::size_t{5}, much - 1, much, much + 5, 3 * much - 1, 4 * much}) {
    const auto at = l.place(i);
    CHECK(at.in == i % much + i / much * 2 * much);
    CHECK(at.out == i);
  }
  // An index of 33 bits, and of 32, among few columns.
  l.dims[0] = {10, 1, 1};
  l.dims[1] = {much, 16, 10};
  for (const std::size_t i : {(std::size_t{1} << 32) + 7, (std::size_t{1} << 32) - 1}) {
    CHECK(l.place(i).in == i % 10 + i / 10 * 16);
    CHECK(l.place(i).out == i);
  }
  // From the second dimension on.
  CHECK(l.place(3, 1).in == 48);
  CHECK(l.place(3, 1).out == 30);
}

TEST_CASE("numbers are digits in the extents of the kept dimensions, the first one the fastest") {
  wf::axis_layout l;
  l.kept = 3;
  l.outputs = 2 * 3 * 4;
  l.dims[0] = {2, 1, 100};
  l.dims[1] = {3, 10, 1000};
  l.dims[2] = {4, 50, 1};
  std::size_t i = 0;
  for (std::size_t z = 0; z < 4; ++z) {
    for (std::size_t y = 0; y < 3; ++y) {
      for (std::size_t x = 0; x < 2; ++x, ++i) {
        INFO("result ", i);
        CHECK(l.place(i).in == x + 10 * y + 50 * z);
        CHECK(l.place(i).out == 100 * x + 1000 * y + z);
        CHECK(l.place(i / 2, 1).in == 10 * y + 50 * z);
        CHECK(l.place(i / 6, 2).out == z);
      }
    }
  }
  CHECK(l.outers() == 12);
}

TEST_CASE("four dimensions, and zero") {
  wf::axis_layout l;
  l.kept = 4;
  for (std::size_t d = 0, stride = 1; d < 4; ++d, stride *= 3) l.dims[d] = {3, stride, 0};
  for (std::size_t i = 0; i < 81; ++i) CHECK(l.place(i).in == i);
  const wf::axis_layout single;
  CHECK(single.outputs == 1);
  CHECK(single.outers() == 1);
  CHECK(single.place(0).in + single.place(0).out == 0);
  l.dims[0].extent = 0;
  CHECK(l.outers() == 0);  // no division by it
}
