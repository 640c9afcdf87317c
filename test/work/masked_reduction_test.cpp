// Reductions of wf::where by any op: with and without an identity, with an init, and without a
// wait; on host threads and in the emulation.
// needs: boost_context tbb
#include <warpfold/work/masked_reduction.hpp>

#include <warpfold/extrema.hpp>
#include <warpfold/sum.hpp>

#include "contract/add_only.hpp"
#include "contract/masked_data.hpp"
#include "contract/policy_contract.hpp"

TEST_CASE("result types are those of a range without a mask") {
  const test::masked_data<signed char> of(100);
  static_assert(std::is_same_v<decltype(wf::sum(wf::seq, of.view())), long long>);
  static_assert(std::is_same_v<decltype(wf::min(wf::seq, of.view())), signed char>);
  static_assert(std::is_same_v<decltype(wf::reduce(wf::seq, of.view(), 5, wf::plus{})), int>);
  const auto shorts = [](int a, int b) { return static_cast<short>(a + b); };
  static_assert(std::is_same_v<decltype(wf::reduce(wf::seq, of.view(), 5, shorts)), short>);
  CHECK(wf::reduce(wf::seq, of.view(), 5, wf::plus{}) ==
        wf::reduce(wf::seq, of.set, 5, wf::plus{}));
}

TEST_CASE("an init beyond the element's type: of no element the init itself") {
  test::masked_data<signed char> of(1000);
  test::each_policy([&](const auto& policy) {
    CHECK(wf::reduce(policy, of.view(), 1000, wf::minimum{}) ==
          wf::reduce(wf::seq, of.set, 1000, wf::minimum{}));
  });
  of.unset_all();
  test::each_policy([&](const auto& policy) {
    CHECK(wf::reduce(policy, of.view(), 1000, wf::minimum{}) == 1000);
  });
}

TEST_CASE("ops without an identity") {
  test::masked_data<double> of(20011, 50);
  const auto greater = [](double a, double b) { return a < b ? b : a; };
  const double sum = wf::sum(wf::seq, of.set), most = wf::max(wf::seq, of.set);
  test::each_policy([&](const auto& policy) {
    CHECK(wf::reduce(policy, of.view(), test::add_only{}) == sum);
    CHECK(wf::reduce(policy, of.view(), 7.0, test::add_only{}) == sum + 7);
    // Below 0, the bytes of a missing value would be the greatest.
    const auto below = wf::project(of.view(), [](double x) { return x - 200; });
    CHECK(wf::reduce(policy, below, greater) == most - 200);
    CHECK(wf::reduce(policy, of.view(), wf::with_identity(greater, -1e9)) == most);
  });
  of.unset_all();
  test::each_policy([&](const auto& policy) {
    test::check_throws<wf::empty_range>([&] { (void)wf::reduce(policy, of.view(), greater); },
                                        "no bit of the mask of where is set");
    CHECK(wf::reduce(policy, of.view(), 7.0, greater) == 7);
    CHECK(wf::reduce(policy, of.view(), wf::with_identity(greater, -1e9)) == -1e9);
    CHECK(wf::sum(policy, of.view()) == 0);
  });
}

TEST_CASE("an init in memory, which is read when the work runs") {
  test::masked_data<signed char> of(3000);
  const long long sum = wf::sum(wf::seq, of.set);
  long long total = 5;
  wf::reduce_async(wf::emulated, of.view(), wf::value_at(&total), wf::plus{}, &total);
  CHECK(total == sum + 5);
  wf::reduce_async(wf::seq, of.view(), wf::plus{}, wf::accumulate(&total));
  CHECK(total == 2 * sum + 5);
  const int least = 200;
  CHECK(wf::reduce(wf::par, of.view(), wf::value_at(&least), wf::minimum{}) ==
        wf::min(wf::seq, of.set));
  const auto add = [](long long a, long long b) { return a + b; };
  CHECK(wf::reduce(wf::par, of.view(), wf::value_at(&total), add) == 3 * sum + 5);
  of.unset_all();
  CHECK(wf::reduce(wf::seq, of.view(), wf::value_at(&least), wf::minimum{}) == 200);
  CHECK(wf::reduce(wf::seq, of.view(), wf::value_at(&total), add) == total);
}

TEST_CASE("without a wait: the accumulator, and an optional one of ops without an identity") {
  test::masked_data<float> of(3000);
  float sum = 0;
  wf::reduce_async(wf::emulated, of.view(), wf::plus{}, &sum);
  CHECK(sum == wf::sum(wf::seq, of.set));
  wf::detail::maybe<float> found;
  wf::reduce_async(wf::emulated, of.view(), test::add_only{}, &found);
  REQUIRE(found.engaged());
  CHECK(found.value == sum);
  of.unset_all();
  wf::reduce_async(wf::seq, of.view(), test::add_only{}, &found);
  CHECK(!found.engaged());
}
