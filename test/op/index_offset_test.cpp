// Indices of a part of a range: moved in the accumulator, or lifted from another start.
// needs: tbb
#include <warpfold/op/index_offset.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/arg_by.hpp>
#include <warpfold/op/magnitude.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/reduce.hpp>

namespace wf = warpfold;

namespace {

using floats = wf::contiguous_view<float>;

struct index_sum {
  std::size_t lift(float, std::size_t i) const { return i; }
  std::size_t operator()(std::size_t a, std::size_t b) const { return a + b; }
};

template <class Op>
auto lifted_floats(const std::vector<float>& v, const Op& op) {
  return wf::lifted(wf::as_view(v), op);
}
template <class Op>
using view_for = decltype(lifted_floats({}, std::declval<const Op&>()));
// The accumulator is a lifted element.
template <class Op>
constexpr bool moves = wf::moves_indices<Op, view_for<Op>, typename view_for<Op>::value_type>;

const auto least = wf::arg(wf::minimum{});
const auto sizes = wf::projected(wf::arg(wf::maximum{}), wf::magnitude{});
using least_op = std::remove_const_t<decltype(least)>;

static_assert(wf::lifts_with_indices<view_for<least_op>>);
static_assert(!wf::lifts_with_indices<view_for<wf::plus>> && !wf::lifts_with_indices<floats>);
static_assert(moves<least_op> && moves<decltype(least.last())>);
static_assert(moves<decltype(wf::all(least, wf::plus{}, sizes))>);
static_assert(!moves<index_sum> && !moves<decltype(wf::all(least, index_sum{}))>);
static_assert(moves<decltype(wf::all(wf::all(least), wf::plus{}))>);
static_assert(!moves<decltype(wf::all(wf::all(least, index_sum{})))>);

}  // namespace

TEST_CASE("indices are moved, but not that of nothing") {
  const wf::indexed<float> found{2, 5}, nothing{2, wf::indexed<float>::nowhere};
  CHECK(wf::moved_indices(least, found, 10) == wf::indexed<float>{2, 15});
  CHECK(wf::moved_indices(least.last(), found, 10) == wf::indexed<float>{2, 15});
  CHECK(wf::moved_indices(least, nothing, 10) == nothing);
  const auto op = wf::all(least, wf::plus{}, sizes);
  const wf::tuple<wf::indexed<float>, float, wf::indexed<float>> a{found, {3, {found}}};
  const auto b = wf::moved_indices(op, a, 100);
  CHECK(wf::get<0>(b).index == 105);
  CHECK(wf::get<1>(b) == 3);
  CHECK(wf::get<2>(b).index == 105);
  const auto nested = wf::all(wf::plus{}, wf::all(least));
  const auto c =
      wf::moved_indices(nested, wf::tuple<float, wf::tuple<wf::indexed<float>>>{1, {{found}}}, 100);
  CHECK(wf::get<0>(wf::get<1>(c)).index == 105);
}

TEST_CASE("elements are lifted as if they were elsewhere") {
  const std::vector<float> v{3, 1, 2};
  const auto view = wf::with_indices_from(lifted_floats(v, index_sum{}), 1000);
  CHECK(wf::seq.run(wf::reduction<std::remove_const_t<decltype(view)>, index_sum>{view, {}, {}}) ==
        3003);
  const auto placed = wf::with_indices_from(lifted_floats(v, least), 7);
  const wf::reduction<std::remove_const_t<decltype(placed)>, least_op> r{placed, least, {}};
  CHECK(wf::seq.run(r) == wf::indexed<float>{1, 8});
  CHECK(wf::par.run(r) == wf::indexed<float>{1, 8});
}

TEST_CASE("an all within an all has indices, too") {
  std::vector<float> v(100000, 2.0f);
  v[70001] = 1;
  v[70002] = 3;
  const auto op = wf::all(wf::arg(wf::maximum{}), wf::all(least));
  const auto seq = wf::reduce(wf::seq, v, op), par = wf::reduce(wf::par, v, op);
  CHECK(wf::get<0>(par) == wf::indexed<float>{3, 70002});
  CHECK(wf::get<0>(wf::get<1>(par)) == wf::indexed<float>{1, 70001});
  CHECK(par == seq);
}
