// C arrays as the ranges of functions of several ranges: two arrays of one type are two ranges, not
// the ends of one. An array with its end, or with a count, is one range.
#include <warpfold/copy.hpp>
#include <warpfold/dot.hpp>

#include <algorithm>
#include <iterator>

#include <doctest/doctest.h>

namespace wf = warpfold;

namespace {

const int a[] = {1, 2, 3, 4};
int b[] = {10, 20, 30, 40};
const int c[] = {100, 200, 300, 400};

int add(int x, int y) { return x + y; }
int negative(int x) { return -x; }

/// True if `out`, which starts as zeros, has these elements after `f(out)`.
template <class F>
bool gives(const int (&want)[4], const F& f) {
  int out[4] = {};
  f(out);
  return std::equal(std::begin(out), std::end(out), std::begin(want));
}

}  // namespace

TEST_CASE("transform pairs the elements of two arrays") {
  const int sums[] = {101, 202, 303, 404};
  CHECK(gives(sums, [](auto& out) { wf::transform(wf::seq, a, c, out, add); }));
  CHECK(gives(sums, [](auto& out) { wf::transform_async(wf::seq, a, c, out, add); }));
  CHECK(gives({11, 22, 33, 44}, [](auto& out) { wf::transform(wf::seq, a, b, out, add); }));
  int x[] = {7, 7, 7, 7};
  CHECK(gives({17, 27, 37, 47}, [&](auto& out) { wf::transform(wf::seq, b, x, &out[0], add); }));
}

TEST_CASE("transform pairs the elements of three and four arrays") {
  const auto add3 = [](int x, int y, int z) { return x + y + z; };
  const auto add4 = [](int x, int y, int z, int w) { return x + y + z + w; };
  CHECK(
      gives({102, 204, 306, 408}, [&](auto& out) { wf::transform(wf::seq, a, c, a, out, add3); }));
  CHECK(gives({202, 404, 606, 808},
              [&](auto& out) { wf::transform_async(wf::seq, a, c, a, c, out, add4); }));
}

TEST_CASE("dot and inner_product multiply the elements of two arrays") {
  int result[1] = {};
  CHECK(wf::dot(wf::seq, a, c) == 3000);
  wf::dot_async(wf::seq, a, c, result);
  CHECK(result[0] == 3000);
  CHECK(wf::inner_product(wf::seq, a, c, 5) == 3005);
  wf::inner_product_async(wf::seq, a, c, 5, &result[0]);
  CHECK(result[0] == 3005);
}

TEST_CASE("an array with its end or a count is one range") {
  CHECK(gives({-1, -2, -3, 0}, [](auto& out) {
    CHECK(wf::transform(wf::seq, a, a + 3, out, negative) == out + 3);
  }));
  CHECK(gives({-1, -2, 0, 0}, [](auto& out) { wf::transform(wf::seq, a, 2, out, negative); }));
  CHECK(gives({1, 2, 3, 0}, [](auto& out) { CHECK(wf::copy(wf::seq, a, a + 3, out) == out + 3); }));
  CHECK(gives({101, 202, 303, 0}, [](auto& out) {
    CHECK(wf::transform(wf::seq, a, a + 3, c, &out[0], add) == out + 3);
  }));
  CHECK(gives({101, 202, 0, 0}, [](auto& out) { wf::transform(wf::seq, a, c, 2, out, add); }));
  CHECK(wf::dot(wf::seq, a, 3, c) == 1400);
  CHECK(wf::dot(wf::seq, a, a + 3, c) == 1400);
}
