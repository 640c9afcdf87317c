// drop_in/thrust.hpp alone: Thrust's policies, iterators and function objects, without oneTBB.
#include <warpfold/drop_in/thrust.hpp>

#if defined(TBB_VERSION_MAJOR)
#error "drop_in/thrust.hpp includes oneTBB"
#endif

#include <thrust/host_vector.h>
#include <thrust/system/omp/execution_policy.h>

#include "contract/policy_contract.hpp"

namespace {

template <class P>
using adopted_t = decltype(wf::as_policy(std::declval<const P&>()));
template <class Ours, class... Theirs>
inline constexpr bool adopted_as = (std::is_same_v<adopted_t<Theirs>, Ours> && ...);
template <class P>
concept is_adopted = requires(const P& p) { wf::adopted_policy<P>::convert(p); };

static_assert(
    adopted_as<wf::device_policy<>, std::remove_cvref_t<decltype(thrust::device)>,
               std::remove_cvref_t<decltype(thrust::cuda::par)>,
               std::remove_cvref_t<decltype(thrust::cuda::par_nosync.on(cudaStream_t{}))>>);
static_assert(
    adopted_as<std::remove_cvref_t<decltype(wf::seq)>, std::remove_cvref_t<decltype(thrust::host)>,
               std::remove_cvref_t<decltype(thrust::seq)>,
               std::remove_cvref_t<decltype(thrust::cpp::par)>>);
// drop_in.hpp adopts these.
static_assert(!is_adopted<std::remove_cvref_t<decltype(thrust::omp::par)>>);

struct half_of {
  WARPFOLD_HD double operator()(int x) const { return x * 0.5; }
};

}  // namespace

TEST_CASE(
    "drop-in: Thrust's host policies, iterators and function objects, without std's policies") {
  const thrust::host_vector<int> v(1001, 3);
  const thrust::host_vector<int> nothing;
  const thrust::counting_iterator<int> one(1);
  const auto halves = thrust::make_transform_iterator(v.begin(), half_of{});
  const auto check = [&](const auto& policy) {
    CHECK(wf::reduce(policy, v.begin(), v.end(), 7ll) == 3010);
    CHECK(wf::reduce(policy, v.begin(), v.end(), 1, thrust::maximum<int>{}) == 3);
    CHECK(wf::reduce(policy, one, one + 100, 0) == 5050);
    CHECK(wf::reduce(policy, halves, halves + 1001) == 1501.5);
    CHECK(wf::reduce(policy, nothing.begin(), nothing.end(), 1, thrust::multiplies<>{}) == 1);
    CHECK(wf::reduce(policy, nothing, thrust::plus<>{}) == 0);
    CHECK(wf::reduce(policy, nothing, thrust::multiplies<int>{}) == 1);
    test::check_throws<wf::empty_range>(
        [&] { (void)wf::reduce(policy, nothing, thrust::maximum<int>{}); }, "no identity");
  };
  check(thrust::host);
  check(thrust::seq);
  check(thrust::cpp::par);
}
