// Named reductions of wf::where, and those to which no element is an error; on host threads and in
// the emulation.
// needs: boost_context tbb
#include <warpfold/view/where.hpp>

#include <warpfold/count.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>

#include "contract/masked_data.hpp"
#include "contract/policy_contract.hpp"

TEST_CASE_TEMPLATE("sums, extrema and their indices", T, signed char, float) {
  for (const std::size_t n : {std::size_t{40}, std::size_t{20011}}) {
    const test::masked_data<T> of(n);
    REQUIRE(!of.set.empty());
    test::each_policy([&](const auto& policy) {
      INFO(n, " elements");
      CHECK(wf::sum(policy, of.view()) == wf::sum(wf::seq, of.set));
      CHECK(wf::max(policy, of.view()) == wf::max(wf::seq, of.set));
      const auto least = wf::argmin(policy, of.view()), want = wf::argmin(wf::seq, of.set);
      CHECK(least.value == want.value);
      CHECK(least.index == of.places[want.index]);
    });
  }
}

TEST_CASE("calls to which no element is an error") {
  test::masked_data<float> of(100);
  of.unset_all();
  test::each_policy([&](const auto& policy) {
    CHECK_THROWS_AS((void)wf::min(policy, of.view()), wf::empty_range);
    CHECK_THROWS_AS((void)wf::argmax(policy, of.view()), wf::empty_range);
    CHECK_THROWS_AS((void)wf::minmax(policy, of.view()), wf::empty_range);
  });
  test::check_throws<wf::empty_range>([&] { (void)wf::mean(wf::par, of.view()); },
                                      "mean needs at least 1 element, but the range has 0");
  of.bits[0] = 4;
  of.values[2] = 6;
  CHECK(wf::mean(wf::par, of.view()) == 6);
  CHECK_THROWS_AS((void)wf::variance(wf::seq, of.view(), wf::variance_of::sample), wf::empty_range);
}

TEST_CASE("named reductions, projections and several ops at once") {
  const test::masked_data<float> of(20011);
  const auto negative = [](float x) { return x < 0; };
  const auto check = [&](const auto& policy) {
    CHECK(wf::mean(policy, of.view()) == doctest::Approx(wf::mean(wf::seq, of.set)));
    CHECK(wf::stddev(policy, of.view()) == doctest::Approx(wf::stddev(wf::seq, of.set)));
    CHECK(wf::norm_1(policy, of.view()) == wf::norm_1(wf::seq, of.set));
    CHECK(wf::norm_2(policy, of.view()) == doctest::Approx(wf::norm_2(wf::seq, of.set)));
    CHECK(wf::norm_infinity(policy, of.view()) == wf::norm_infinity(wf::seq, of.set));
    CHECK(wf::count_if(policy, of.view(), negative) == wf::count_if(wf::seq, of.set, negative));
    CHECK(wf::any_of(policy, of.view(), [](float x) { return x > 1e6f; }) == false);
    CHECK(wf::reduce(policy, of.view(), wf::plus{}.compensated()) == wf::sum(wf::seq, of.set));
    const auto all = wf::all(wf::plus{}, wf::maximum{}, wf::arg(wf::minimum{}));
    const auto got = wf::reduce(policy, of.view(), all), want = wf::reduce(wf::seq, of.set, all);
    CHECK(wf::get<0>(got) == wf::get<0>(want));
    CHECK(wf::get<1>(got) == wf::get<1>(want));
    CHECK(wf::get<2>(got).index == of.places[wf::get<2>(want).index]);
  };
  check(wf::seq);
  check(wf::par);
}
