// axis_part: accumulators in row-major order, whatever the strides of the output, and their rows.
#include <warpfold/work/axis_part.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/op/plus.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce_axis.hpp>

namespace wf = warpfold;

namespace {

using shape = wf::detail::array_shape;
using folds = wf::axis_reduction<float, wf::plus, double>;
using to_accumulators = wf::axis_reduction<float, wf::plus, float>;
using rows = wf::detail::rows_to_targets<float, wf::plus, false, double>;
using part = wf::axis_part<folds, to_accumulators, float, wf::plus, rows>;

static_assert(wf::axis_part_work<part> && wf::axis_reduction_work<part>);
static_assert(!wf::axis_part_work<folds>);
static_assert(!wf::combines_parts<wf::seq_policy>);

// The sums of the columns of `in`, a 2 x 3 x 2 cube, to a column-major output.
part part_of(const std::vector<float>& in, std::vector<double>& out, std::size_t length) {
  const shape kept{2, {3, 2}, {2, 1}}, columns{2, {3, 2}, {1, 3}};
  return {
      {in.data(), out.data(), wf::detail::layout_of(length, 6, kept, columns), 12, 6, {}},
      {in.data(), nullptr, wf::detail::layout_of(length, 6, kept, kept), 12, 6, {}},
      kept,
      {},
      {kept, {}, wf::detail::tuple_of(wf::detail::axis_target<double>{out.data(), columns, 6})}};
}

}  // namespace

TEST_CASE("accumulators are in row-major order, and outputs have their strides") {
  const std::vector<float> in{1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60};
  std::vector<double> out(6);
  const part p = part_of(in, out, 2);
  std::vector<float> accumulators(6);
  wf::seq.run(p.partial_to(accumulators.data()));
  CHECK(accumulators == std::vector<float>{11, 22, 33, 44, 55, 66});
  wf::seq.run(p.rows(accumulators.data(), 1, {}));
  CHECK(out == std::vector<double>{11, 33, 55, 22, 44, 66});

  const auto added = wf::detail::accumulated(p);
  CHECK(added.accumulates);
  wf::seq.run(added.rows(accumulators.data(), 1, {}));
  CHECK(out == std::vector<double>{22, 66, 110, 44, 88, 132});
}

TEST_CASE("rows of several parts are combined in their order") {
  std::vector<double> out(6);
  const part p = part_of({}, out, 0);
  const std::vector<float> two{1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60};
  wf::seq.run(p.rows(two.data(), 2, {}));
  CHECK(out == std::vector<double>{11, 33, 55, 22, 44, 66});
}

TEST_CASE("a part without elements is valid: other ranks may have some") {
  std::vector<double> out(6);
  CHECK_NOTHROW(part_of({}, out, 0).require_valid());
}
