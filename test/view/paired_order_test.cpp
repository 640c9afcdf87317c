// Calls that pair the elements of mdspans in memory order refuse mdspans of the same extents whose
// layouts differ in order; calls that pair them by index take them.
// needs: cccl
#include <warpfold/view/paired_order.hpp>

#include <warpfold/dot.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/transform.hpp>

#include <vector>

#include <cuda/std/array>
#include <cuda/std/mdspan>

#include <doctest/doctest.h>

namespace wf = warpfold;
namespace cs = cuda::std;

namespace {

using shape = cs::dextents<int, 2>;
using right = cs::mdspan<const int, shape, cs::layout_right>;
using left = cs::mdspan<const int, shape, cs::layout_left>;

// The same matrix of 2 rows and 3 columns in both layouts, and in rows of 4 with a gap.
const int rows[] = {1, 2, 3, 4, 5, 6};
const int columns[] = {1, 4, 2, 5, 3, 6};
const int with_gaps[] = {1, 2, 3, 0, 4, 5, 6, 0};
const right by_rows(rows, 2, 3);
const left by_columns(columns, 2, 3);

auto strided(const int* data, const shape& extents, int stride0, int stride1) {
  return cs::mdspan<const int, shape, cs::layout_stride>(
      data, cs::layout_stride::mapping<shape>(extents, cs::array<int, 2>{stride0, stride1}));
}

int negative(int x) { return -x; }
int add(int a, int b) { return a + b; }

const char* const message =
    "warpfold: elements are paired in memory order, but two mdspans of the same extents have "
    "different layouts, strides of 3, 1 and of 1, 2; pass mdspans of one layout, or pair by "
    "index: reduce_axes over all axes of zip(a, b), or transform to an mdspan";

}  // namespace

#define CHECK_REFUSES(...) CHECK_THROWS_WITH_AS((void)(__VA_ARGS__), message, wf::invalid_range)

TEST_CASE("dot and inner_product refuse another order") {
  int out = 7;
  CHECK_REFUSES(wf::dot(wf::seq, by_rows, by_columns));
  CHECK_REFUSES(wf::dot(wf::seq, wf::project(by_rows, negative), by_columns));
  CHECK_REFUSES(wf::inner_product(wf::seq, by_rows, wf::project(by_columns, negative), 0));
  CHECK_REFUSES(wf::dot_async(wf::seq, by_rows, by_columns, &out));
  CHECK_REFUSES(wf::inner_product_async(wf::seq, by_rows, by_columns, 0, &out));
  CHECK(out == 7);
}

TEST_CASE("zip as a range refuses another order, at any place and depth") {
  CHECK_REFUSES(wf::reduce(wf::seq, wf::project(wf::zip(by_rows, by_columns), add)));
  const std::vector<int> between(6);
  CHECK_REFUSES(wf::zip(by_rows, between, by_columns));
  CHECK_REFUSES(wf::zip(between, by_rows, wf::project(by_columns, negative)));
  CHECK_REFUSES(wf::zip(wf::zip(by_rows, by_rows), by_columns).view());
}

TEST_CASE("transform refuses another order, but not with an mdspan to write to") {
  std::vector<int> out(6, 7);
  CHECK_REFUSES(wf::transform(wf::seq, by_rows, by_columns, out, add));
  CHECK_REFUSES(wf::transform_async(wf::seq, by_rows, by_columns, out.data(), add));
  CHECK(out == std::vector<int>(6, 7));
  const cs::mdspan<int, shape, cs::layout_left> to(out.data(), 2, 3);
  wf::transform(wf::seq, by_rows, by_columns, to, add);
  CHECK(out == std::vector<int>{2, 8, 4, 10, 6, 12});
  wf::transform_async(wf::seq, by_rows, by_rows, to, [](int a, int b) { return a * b; });
  CHECK(out == std::vector<int>{1, 16, 4, 25, 9, 36});
}

TEST_CASE("transform of an mdspan and a vector that repeats") {
  const std::vector<int> of_rows = {10, 20};
  std::vector<int> out(6, 7);
  const cs::mdspan<int, shape, cs::layout_left> to(out.data(), 2, 3);
  wf::transform(wf::seq, by_rows, wf::broadcast<0>(of_rows), to, add);
  CHECK(out == std::vector<int>{11, 24, 12, 25, 13, 26});
  wf::transform(wf::seq, by_columns, wf::broadcast<0>(of_rows), out, add);  // row by row
  CHECK(out == std::vector<int>{11, 12, 13, 24, 25, 26});
}

TEST_CASE("reduce_axes pairs by index") {
  std::vector<int> out(1);
  wf::reduce_axes<0, 1>(wf::seq, wf::project(wf::zip(by_rows, by_columns), wf::multiplies{}),
                        wf::plus{}, out);
  CHECK(out[0] == 91);
}

TEST_CASE("the order matters, not the type of the layout and not gaps") {
  CHECK(wf::dot(wf::seq, by_rows, strided(with_gaps, shape(2, 3), 4, 1)) == 91);
  CHECK(wf::dot(wf::seq, by_columns, strided(columns, shape(2, 3), 1, 2)) == 91);
  CHECK_THROWS_WITH(wf::dot(wf::seq, by_columns, strided(with_gaps, shape(2, 3), 4, 1)),
                    doctest::Contains("layouts, strides of 1, 2 and of 4, 1; pass"));
  // A row or a column has one order, whatever its strides are.
  CHECK(wf::dot(wf::seq, right(rows, 1, 6), left(rows, 1, 6)) == 91);
  CHECK(wf::dot(wf::seq, right(rows, 6, 1), left(rows, 6, 1)) == 91);
  CHECK(wf::dot(wf::seq, right(rows, 0, 6), left(rows, 0, 6)) == 0);
  // Other extents, and ranges that are no mdspans, are paired in memory order.
  CHECK(wf::dot(wf::seq, by_rows, left(rows, 3, 2)) == 91);
  CHECK(wf::dot(wf::seq, by_columns, columns) == 91);
}

TEST_CASE("equal strides: the last index varies fastest, as in layout_right") {
  const int one[] = {2};
  CHECK(wf::dot(wf::seq, by_rows, strided(one, shape(2, 3), 0, 0)) == 42);
  CHECK_THROWS_AS((void)wf::dot(wf::seq, by_columns, strided(one, shape(2, 3), 0, 0)),
                  wf::invalid_range);
}

TEST_CASE("each two dimensions of three are compared") {
  using cube = cs::dextents<int, 3>;
  const int values[] = {1, 2, 3, 4, 5, 6, 7, 8};
  const cs::mdspan<const int, cube> a(values, 2, 2, 2);
  const auto of = [&](int x, int y, int z) {
    return cs::mdspan<const int, cube, cs::layout_stride>(
        values, cs::layout_stride::mapping<cube>(cube(2, 2, 2), cs::array<int, 3>{x, y, z}));
  };
  CHECK(wf::dot(wf::seq, a, of(4, 2, 1)) == 204);
  CHECK_THROWS_AS((void)wf::dot(wf::seq, a, of(2, 4, 1)), wf::invalid_range);
  CHECK_THROWS_AS((void)wf::dot(wf::seq, a, of(4, 1, 2)), wf::invalid_range);
  CHECK_THROWS_AS((void)wf::dot(wf::seq, of(1, 2, 4), a), wf::invalid_range);
  CHECK_THROWS_AS((void)wf::dot(wf::seq, of(4, 1, 2), of(2, 1, 4)), wf::invalid_range);
}
