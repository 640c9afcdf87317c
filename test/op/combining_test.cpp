// combining_op and combining_states: ops whose elements are the folds of parts.
#include <warpfold/op/combining.hpp>

#include <doctest/doctest.h>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/plus.hpp>

namespace wf = warpfold;

TEST_CASE("accumulators are combined by the op, and finished by it") {
  const wf::detail::combining_op<wf::plus, long long, false> op{wf::plus{}, {}};
  CHECK(op(40LL, 2LL) == 42);
  CHECK(op.identity() == 0);
  static_assert(std::is_same_v<decltype(op)::accumulator<int>, long long>);
}

TEST_CASE("indices of a part become those of the whole") {
  using argmax = decltype(wf::arg(wf::maximum{}));
  using found = wf::indexed<int>;
  wf::detail::part_offsets begin;
  begin.of[1] = 100;
  const wf::detail::combining_op<argmax, found, true> op{wf::arg(wf::maximum{}), begin};
  const found first = op.lift(found{7, 3}, 0), second = op.lift(found{9, 3}, 1);
  CHECK(first.index == 3);
  CHECK(second.index == 103);
  CHECK(op(first, second).index == 103);
  CHECK(op.lift(found{0, found::nowhere}, 1).index == found::nowhere);
}

TEST_CASE("the state of no element changes nothing") {
  const auto least = [](int a, int b) { return a < b ? a : b; };
  using fold = wf::fold<decltype(least), int>;
  const wf::detail::combining_states<fold> op{{least}};
  const auto none = op.identity();
  CHECK(!none.engaged());
  CHECK(!op(none, none).engaged());
  const typename fold::state some{5};
  CHECK(op(none, some).value == 5);
  CHECK(op(some, none).value == 5);
  CHECK(op(some, typename fold::state{3}).value == 3);
}
