// argmin_async and argmax_async with a comparison and a key write what argmin and argmax return.
#include <warpfold/extrema.hpp>

#include <span>
#include <vector>

#include <doctest/doctest.h>

namespace wf = warpfold;

namespace {

struct point {
  int x;
  int y;

  friend bool operator==(const point&, const point&) = default;
};

// The least and the greatest y and x + y are at different indices, and the least y occurs twice.
const std::vector<point> points = {{5, 3}, {9, 1}, {0, 1}, {1, 8}, {4, 2}, {2, 8}};
bool is_greater(int a, int b) { return a > b; }
bool is_farther(const point& a, const point& b) { return a.x + a.y > b.x + b.y; }

/// The result of an asynchronous function, whose other arguments `f` passes.
template <class F>
wf::indexed<point> written(const F& f) {
  wf::indexed<point> out{{-1, -1}, 77};
  f(&out);
  return out;
}
template <class T>
bool is(const wf::indexed<T>& m, const T& value, std::size_t index) {
  return m.value == value && m.index == index;
}

}  // namespace

TEST_CASE("a key in the order of minimum and of maximum") {
  CHECK(is(written([](auto out) { wf::argmin_async(wf::seq, points, {}, &point::y, out); }),
           points[1], 1));
  CHECK(is(written([](auto out) { wf::argmax_async(wf::seq, points, {}, &point::y, out); }),
           points[3], 3));
}

TEST_CASE("a comparison, with a key and without") {
  CHECK(is(written([](auto out) { wf::argmin_async(wf::seq, points, is_greater, &point::x, out); }),
           points[1], 1));
  CHECK(is(written([](auto out) { wf::argmax_async(wf::seq, points, is_greater, &point::x, out); }),
           points[2], 2));
  CHECK(is(written([](auto out) { wf::argmin_async(wf::seq, points, is_farther, out); }), points[1],
           1));
  CHECK(is(written([](auto out) { wf::argmax_async(wf::seq, points, is_farther, out); }), points[2],
           2));
}

TEST_CASE("each form of the range, and a container as the output") {
  const int values[] = {4, -7, 6, 2};
  std::vector<wf::indexed<int>> out(1);
  wf::argmin_async(wf::seq, values, is_greater, out);
  CHECK(is(out[0], 6, 2));
  wf::argmin_async(wf::seq, values, 2, is_greater, out);
  CHECK(is(out[0], 4, 0));
  wf::argmax_async(wf::seq, values + 1, values + 4, is_greater, out);
  CHECK(is(out[0], -7, 0));
  wf::argmin_async(wf::seq, values, 2, out);  // an array and a count
  CHECK(is(out[0], -7, 1));
  CHECK(is(wf::argmin(wf::seq, values, 1), 4, 0));
  CHECK(is(wf::argmax(wf::seq, values, values + 2), 4, 0));
}

TEST_CASE("an empty range has no extremum, and nothing is written") {
  wf::indexed<point> out{{-1, -1}, 77};
  const std::span<const point> none;
  CHECK_THROWS_WITH_AS(wf::argmin_async(wf::seq, none, is_farther, &out),
                       "warpfold: an empty range has no least element; test the size first",
                       wf::empty_range);
  CHECK_THROWS_WITH_AS(wf::argmax_async(wf::seq, none, {}, &point::x, &out),
                       "warpfold: an empty range has no greatest element; test the size first",
                       wf::empty_range);
  CHECK(out.index == 77);
}
