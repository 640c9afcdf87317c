// rank_state and states_in_order: the states of several ranks fold in rank order; ranks without
// elements are skipped, and indices move.
// needs: boost_context
#include <warpfold/collective/rank_state.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/policy/emulated.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/work/state_reduction.hpp>

namespace wf = warpfold;

namespace {

// The reduction that reduce would make.
template <class Op, class Then>
auto with(const std::vector<float>& v, const Op& op, const Then& then) {
  return wf::detail::with_reduction(wf::as_view(v), op, wf::no_init{}, then);
}

}  // namespace

TEST_CASE("the state of a rank comes with the number of its elements, without the init") {
  const std::vector<float> v(1000, 1.5f);
  wf::detail::with_reduction(wf::as_view(v), wf::plus{}, 7.0f, [](const auto& r) {
    using work = wf::collective::rank_state_reduction<std::remove_cvref_t<decltype(r)>>;
    const auto s = wf::emulated.run(work(r));
    CHECK(s.count() == 1000);
    CHECK(s.of == 1500);
    return 0;
  });
}

TEST_CASE("counts have 64 bits") {
  const wf::collective::rank_state<int> s{5, 3, 0};
  CHECK(s.count() == 3ull * 4294967296ull + 5);
}

TEST_CASE("states fold in rank order, empty ranks are skipped, indices move") {
  const std::vector<float> parts[] = {{3, 1}, {}, {4, 1, 5}, {-9}};
  const auto op = wf::all(wf::arg(wf::minimum{}), wf::maximum{}, wf::plus{});
  with({3, 1, 4, 1, 5, -9}, op, [&](const auto& whole) {
    using work = std::remove_cvref_t<decltype(whole)>;
    const auto state_of = [&](const std::vector<float>& v) {
      return with(v, op, [](const auto& r) { return wf::seq.run(wf::state_reduction(r)); });
    };
    wf::collective::states_in_order<work> all(whole, state_of(parts[1]));
    for (const auto& part : parts) all.add_at_zero(state_of(part), part.size());
    CHECK(all.elements() == 6);
    CHECK(all.result() == wf::seq.run(whole));
    CHECK(wf::get<0>(all.result()).index == 5);
    return 0;
  });
}

TEST_CASE("without elements the result is the identity, or the init") {
  const std::vector<float> none;
  wf::detail::with_reduction(wf::as_view(none), wf::plus{}, 7.0f, [](const auto& r) {
    using work = std::remove_cvref_t<decltype(r)>;
    wf::collective::states_in_order<work> all(r, 99.0f);
    all.add(5.0f, 0);
    CHECK(all.result() == 7);
    all.add(5.0f, 1);
    CHECK(all.result() == 12);
    return 0;
  });
}
