// Units and pieces of folds along axes on host threads, of one array and of expressions, and their
// order.
#include <warpfold/host/host_axis.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/view/layout.hpp>
#include <warpfold/work/axis_reduction.hpp>
#include <warpfold/work/expression_reduction.hpp>

#include "view/shapes.hpp"

namespace wf = warpfold;

namespace {

using test::shape;
using wf::detail::array_shape;

using axis_type = wf::axis_reduction<int, wf::plus, long long>;
using host_axis = wf::host::host_axis<axis_type>;

/// Computes `kept` sums of `length` elements at a stride of `step`, whole and in pieces.
void check(std::size_t length, std::size_t step, const array_shape& kept) {
  std::vector<int> in(kept.span() + (length - 1) * step);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * i % 1009);
  const array_shape to = kept.row_major();
  std::vector<long long> expected(kept.count());
  for (std::size_t o = 0; o < expected.size(); ++o) {
    std::size_t rest = o, from = 0;
    for (int d = kept.rank; d-- > 0; rest /= kept.extent[d]) {
      from += rest % kept.extent[d] * kept.stride[d];
    }
    for (std::size_t i = 0; i < length; ++i) expected[o] += in[from + i * step];
  }
  std::vector<long long> out(expected.size());
  const axis_type axis{in.data(), out.data(), wf::detail::layout_of(length, step, kept, to),
                       in.size(), out.size(), {}};
  const host_axis work(axis);
  for (std::size_t u = 0; u < work.units(); ++u) work.write(u);
  CHECK(out == expected);
  for (const std::size_t piece : {1u, 4u, 64u, 1024u}) {
    const std::size_t pieces = (length + piece - 1) / piece;
    INFO(pieces, " pieces");
    out.assign(out.size(), -1);
    const host_axis::partials partials(out.size(), pieces);
    for (std::size_t i = 0; i < work.units() * pieces; ++i) {
      const std::size_t first = i % pieces * piece;
      work.write_partials(i / pieces, i % pieces, first, std::min(first + piece, length), partials);
    }
    work.write_all(partials);
    CHECK(out == expected);
  }
}

}  // namespace

TEST_CASE("rows") {
  check(5, 1, shape({3}, {5}));
  check(200, 1, shape({3, 2}, {1000, 300}));
}

TEST_CASE("columns, of more than one unit, side by side and not") {
  check(9, 5000, shape({5000}, {1}));
  check(9, 10000, shape({5000}, {2}));
  check(6, 100, shape({3, 7}, {1000, 1}));
  check(7, 100, shape({3, 7}, {1000, 3}));
}

TEST_CASE("columns of the same elements") {
  check(7, 10, shape({3, 4}, {0, 1}));
  check(7, 10, shape({3, 4}, {1, 0}));
}

namespace {

template <class T, class Op>
struct one_axis {
  using axis_type = wf::axis_reduction<T, Op, typename wf::axis_reduction<T, Op, int>::accumulator>;
  using out_type = typename axis_type::out_type;

  std::vector<T> in;
  std::vector<out_type> out;
  axis_type axis;
  wf::host::host_axis<axis_type> work;

  one_axis(std::vector<T> values, std::size_t length, std::size_t step, const array_shape& kept)
      : in(std::move(values)),
        out(kept.count()),
        axis{in.data(), out.data(), wf::detail::layout_of(length, step, kept, kept.row_major()),
             in.size(), out.size(), {}},
        work(axis) {}
};

}  // namespace

TEST_CASE("units: a row each, or as many columns as fill 8 KB") {
  using sums = one_axis<int, wf::plus>;
  const auto units = [](std::size_t length, std::size_t step, const array_shape& kept) {
    const sums own(std::vector<int>(1), length, step, kept);
    return own.work.units();
  };
  CHECK(sums(std::vector<int>(1), 2, 1, shape({5}, {2})).work.by_rows());
  CHECK(!sums(std::vector<int>(1), 1, 1, shape({5}, {1})).work.by_rows());
  CHECK(units(2, 1, shape({5}, {2})) == 5);
  CHECK(units(9, 7, shape({7}, {1})) == 1);
  CHECK(units(9, 1024, shape({1024}, {1})) == 1);
  CHECK(units(9, 1025, shape({1025}, {1})) == 2);
  CHECK(units(9, 5000, shape({3, 5000}, {100000, 1})) == 15);
}

TEST_CASE("columns count their rows") {
  using least = wf::arg_op<wf::minimum>;
  for (std::size_t at = 0; at < 11; ++at) {
    std::vector<float> values(11 * 5, 1.0f);
    for (std::size_t c = 0; c < 5; ++c) values[at * 5 + c] = 0;
    one_axis<float, least> all(values, 11, 5, shape({5}, {1}));
    all.work.write(0);
    for (const auto& found : all.out) CHECK(found.index == at);
  }
}

namespace {

using numbers = wf::array_source<wf::detail::array_value, int>;
// Folds to the list of elements in their order, as digits.
struct digits {
  double operator()(double a, double b) const { return a * 10 + b; }
};
struct digits_of_ints : digits {
  double lift(int x) const { return x; }
};
template <class Op>
using expression = wf::expression_reduction<numbers, Op, double>;

// A cube, by default of 2 x 3 x 2, whose first dimension is the fastest.
template <class Op>
expression<Op> cube(const int* in, double* out, std::initializer_list<int> axes,
                    const wf::detail::array_shape& shape = {3, {2, 3, 2}, {1, 2, 6}}) {
  bool folds[wf::detail::max_array_rank] = {};
  for (const int a : axes) folds[a] = true;
  wf::detail::array_shape to;
  for (int d = 0; d < 3; ++d) {
    if (!folds[d]) to.extent[to.rank++] = shape.extent[d];
  }
  to = to.row_major();
  const std::size_t bytes[] = {4};
  return {{{in}, {}},
          {out},
          wf::detail::layout_of<1, 1>(&shape, folds, bytes, &to),
          {shape.span(), to.count()},
          {}};
}
const std::vector<int> values{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3};

}  // namespace

TEST_CASE("folds follow the indices, not the memory") {
  double out[3] = {};
  const auto w = cube<digits_of_ints>(values.data(), out, {0, 2});
  const wf::host::host_axis<expression<digits_of_ints>> folds(w);
  for (std::size_t u = 0; u < folds.units(); ++u) folds.write(u);
  CHECK(out[0] == 17 * 10 + 28);  // (0, 0), (0, 1); (1, 0), (1, 1)
  CHECK(out[1] == 39 * 10 + 41);
}

TEST_CASE("pieces that start within a line") {
  const std::vector<int> in{1, 2, 3, 0, 0, 0, 40, 50, 60, 0, 0, 0, 700, 800, 900, 0, 0, 0};
  double out[2] = {};
  const auto w = cube<wf::plus>(in.data(), out, {0, 2}, {3, {3, 2, 3}, {1, 3, 6}});
  const wf::host::host_axis<expression<wf::plus>> whole(w);
  const wf::host::host_axis<expression<wf::plus>>::partials partials(2, 2);
  for (std::size_t i = 0; i < 2 * whole.units(); ++i) {
    whole.write_partials(i / 2, i % 2, i % 2 * 4, i % 2 == 0 ? 4 : 9, partials);
  }
  CHECK(*partials.at(0, 0) == 743);
  CHECK(*partials.at(0, 1) == 1813);
  whole.write_all(partials);
  CHECK(out[0] == 2556);
}

TEST_CASE("pieces of an axis, and results that walk together") {
  double out[6] = {};
  for (const auto& axes : {std::initializer_list<int>{2}, {0}}) {
    const auto w = cube<wf::plus>(values.data(), out, axes);
    const wf::host::host_axis<expression<wf::plus>> whole(w);
    CHECK(whole.by_rows() == (*axes.begin() == 0));
    CHECK(whole.units() == (*axes.begin() == 0 ? 6 : 3));
    for (std::size_t u = 0; u < whole.units(); ++u) whole.write(u);
    const std::vector<double> expected(out, out + 6);
    CHECK(expected[0] == (*axes.begin() == 0 ? 3 : 8));
    const wf::host::host_axis<expression<wf::plus>>::partials partials(6, 2);
    for (std::size_t i = 0; i < 2 * whole.units(); ++i) {
      whole.write_partials(i / 2, i % 2, i % 2, i % 2 + 1, partials);
    }
    for (double& x : out) x = -1;
    whole.write_all(partials);
    CHECK(std::vector<double>(out, out + 6) == expected);
  }
}
