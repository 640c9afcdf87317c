// state_reduction: policies return the state of a reduction, without its init.
// needs: tbb boost_context
#include <warpfold/work/state_reduction.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/policy/emulated.hpp>
#include <warpfold/policy/par.hpp>
#include <warpfold/reduce.hpp>

namespace wf = warpfold;

namespace {

template <class Op, class Init>
auto state_of(const std::vector<float>& v, const Op& op, const Init& init) {
  const auto view = wf::as_view(v);
  return wf::state_reduction(
      wf::reduction<std::remove_const_t<decltype(view)>, Op, Init>{view, op, init});
}
const auto add = [](auto a, auto b) { return a + b; };

static_assert(wf::returns_states<wf::seq_policy> && wf::returns_states<wf::par_policy>);
static_assert(wf::returns_states<wf::device_policy<>>);

}  // namespace

TEST_CASE_TEMPLATE("states leave out the init", Policy, wf::seq_policy, wf::par_policy,
                   wf::emulated_policy<>) {
  const std::vector<float> v{1, 2, 3};
  // The accumulator is that of the init.
  const double sum = Policy{}.run(state_of(v, wf::plus{}, 10.0));
  CHECK(sum == 6);
  const wf::detail::maybe<double> some = Policy{}.run(state_of(v, add, 10.0));
  CHECK(some.engaged());
  CHECK(some.value == 6);
}

TEST_CASE_TEMPLATE("the state of no element", Policy, wf::seq_policy, wf::par_policy) {
  CHECK(Policy{}.run(state_of({}, wf::plus{}, wf::no_init{})) == 0);
  CHECK(!Policy{}.run(state_of({}, add, wf::no_init{})).engaged());
  CHECK(!Policy{}.run(state_of({}, add, 5.0f)).engaged());
}

TEST_CASE("an init in memory is not visited") {
  const float* const nowhere = nullptr;
  const std::vector<float> v{1, 2, 3};
  CHECK(wf::seq.run(state_of(v, wf::plus{}, wf::stored_value<float>{nowhere})) == 6);
}
