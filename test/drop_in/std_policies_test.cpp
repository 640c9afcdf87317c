// drop_in/std_policies.hpp alone: the standard library's policies and function objects, without
// CCCL.
#include <warpfold/drop_in/std_policies.hpp>
#include <warpfold/reduce.hpp>

#include "contract/policy_contract.hpp"

#if defined(CCCL_VERSION) || defined(THRUST_VERSION)
#error "drop_in/std_policies.hpp includes CCCL"
#endif

namespace {

template <class P>
using adopted_t = decltype(wf::as_policy(std::declval<const P&>()));
template <class Ours, class... Theirs>
inline constexpr bool adopted_as = (std::is_same_v<adopted_t<Theirs>, Ours> && ...);

static_assert(adopted_as<std::remove_cvref_t<decltype(wf::seq)>, std::execution::sequenced_policy,
                         std::execution::unsequenced_policy>);
#if __has_include(<oneapi/tbb/parallel_for.h>)
static_assert(adopted_as<std::remove_cvref_t<decltype(wf::par)>, std::execution::parallel_policy,
                         std::execution::parallel_unsequenced_policy>);
#else
static_assert(adopted_as<std::remove_cvref_t<decltype(wf::seq)>, std::execution::parallel_policy,
                         std::execution::parallel_unsequenced_policy>);
#endif

template <class Policy>
void check_sums(const Policy& policy) {
  const auto v = test::whole_data<wf::plus, short>(70001);
  long long sum = 0;
  for (const short x : v) sum += x;
  CHECK(wf::reduce(policy, v.begin(), v.end(), 7ll) == sum + 7);
  CHECK(wf::reduce(policy, v, wf::plus{}) == sum);
  CHECK(wf::reduce(policy, v.begin(), v.end(), 1ll, std::plus<>{}) == sum + 1);

  const std::vector<int> nothing;
  CHECK(wf::reduce(policy, nothing, std::plus<>{}) == 0);
  CHECK(wf::reduce(policy, nothing, std::multiplies<int>{}) == 1);
  CHECK(wf::reduce(policy, nothing.begin(), nothing.begin(), 3, std::multiplies<>{}) == 3);
  test::check_throws<wf::empty_range>(
      [&] { (void)wf::reduce(policy, nothing, [](int a, int b) { return a < b ? a : b; }); },
      "no identity");
}

}  // namespace

TEST_CASE("drop-in: std's policies and function objects, without Thrust") {
  check_sums(std::execution::seq);
  check_sums(std::execution::unseq);
  check_sums(std::execution::par);
  check_sums(std::execution::par_unseq);
}
