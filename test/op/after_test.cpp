// An op on the results of a function: lifting, identity, finish.
#include <warpfold/op/after.hpp>

#include <doctest/doctest.h>

#include <warpfold/op/arg.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/plus.hpp>

namespace wf = warpfold;

namespace {

struct half_of {
  float operator()(int x) const { return static_cast<float>(x) / 2; }
};
template <class Op>
using after = wf::detail::op_after<Op, half_of>;

static_assert(wf::lifts_element<after<wf::plus>, int> && !wf::lifts_indexed<after<wf::plus>, int>);
static_assert(wf::lifts_indexed<after<wf::arg_op<wf::minimum>>, int>);
static_assert(wf::op_traits<after<wf::plus>, float>::has_identity);
struct larger {
  int operator()(int a, int b) const { return a < b ? b : a; }
};
static_assert(!wf::op_traits<after<larger>, int>::has_identity);
static_assert(wf::never_compares<after<wf::plus>> && !wf::never_compares<after<wf::maximum>>);
static_assert(wf::finishes<after<wf::moments_op>, wf::moments> ==
              wf::finishes<wf::moments_op, wf::moments>);

// Its call operator is not const: each call gets a copy.
struct changing {
  int calls = 0;
  float operator()(float a, float b) { return a + b + static_cast<float>(calls++); }
};

}  // namespace

TEST_CASE("the function's results are folded") {
  const after<wf::plus> sum{};
  CHECK(sum.lift(5) == 2.5f);
  CHECK(sum(sum.lift(5), sum.lift(1)) == 3);
  CHECK(sum.identity<float>() == 0);
  const after<changing> changes{};
  CHECK(changes(changes(1.0f, 2.0f), 3.0f) == 6);
  const after<wf::arg_op<wf::minimum>> least{};
  const auto found = least(least.lift(5, 0), least.lift(-3, 1));
  CHECK(found.value == -1.5f);
  CHECK(found.index == 1);
}
