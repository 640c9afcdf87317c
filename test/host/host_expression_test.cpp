// Units and pieces of folds of expressions on host threads, and their order.
#include <warpfold/host/host_expression.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/op/plus.hpp>

namespace wf = warpfold;

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
using work = wf::expression_reduction<numbers, Op, double>;

// A cube, by default of 2 x 3 x 2, whose first dimension is the fastest.
template <class Op>
work<Op> cube(const int* in, double* out, std::initializer_list<int> axes,
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

TEST_CASE("strict folds follow the indices, others the memory") {
  double out[3] = {};
  const auto w = cube<digits_of_ints>(values.data(), out, {0, 2});
  const wf::host::host_axis<work<digits_of_ints>, true> strict(w);
  for (std::size_t u = 0; u < strict.units(); ++u) strict.write(u);
  CHECK(out[0] == 1728);  // (0, 0), (0, 1), (1, 0), (1, 1)
  CHECK(out[1] == 3941);
  const wf::host::host_axis<work<digits_of_ints>, false> other(w);
  for (std::size_t u = 0; u < other.units(); ++u) other.write(u);
  CHECK(out[0] == 1278);
}

TEST_CASE("pieces that start within a line") {
  const std::vector<int> in{1, 2, 3, 0, 0, 0, 40, 50, 60, 0, 0, 0, 700, 800, 900, 0, 0, 0};
  double out[2] = {};
  const auto w = cube<wf::plus>(in.data(), out, {0, 2}, {3, {3, 2, 3}, {1, 3, 6}});
  const wf::host::host_axis<work<wf::plus>, false> whole(w);
  const wf::host::host_axis<work<wf::plus>, false>::partials partials(2, 2);
  for (std::size_t i = 0; i < 2 * whole.units(); ++i) whole.write_partials(i / 2, i % 2, partials);
  CHECK(*partials.at(0, 0) == 46);
  CHECK(*partials.at(0, 1) == 2510);
  whole.write_all(partials);
  CHECK(out[0] == 2556);
}

TEST_CASE("pieces of an axis, and results that walk together") {
  double out[6] = {};
  for (const auto& axes : {std::initializer_list<int>{2}, {0}}) {
    const auto w = cube<wf::plus>(values.data(), out, axes);
    const wf::host::host_axis<work<wf::plus>, false> whole(w);
    CHECK(whole.by_rows() == (*axes.begin() == 0));
    CHECK(whole.units() == (*axes.begin() == 0 ? 6 : 3));
    for (std::size_t u = 0; u < whole.units(); ++u) whole.write(u);
    const std::vector<double> expected(out, out + 6);
    CHECK(expected[0] == (*axes.begin() == 0 ? 3 : 8));
    const wf::host::host_axis<work<wf::plus>, false>::partials partials(6, 2);
    for (std::size_t i = 0; i < 2 * whole.units(); ++i) {
      whole.write_partials(i / 2, i % 2, partials);
    }
    for (double& x : out) x = -1;
    whole.write_all(partials);
    CHECK(std::vector<double>(out, out + 6) == expected);
  }
}
