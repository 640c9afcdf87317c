// drop_in/thrust_policies.hpp alone: Thrust's policies, iterators and function objects, without
// oneTBB. A header of a call may come after it.
#include <warpfold/drop_in/thrust_policies.hpp>
#include <warpfold/reduce.hpp>

#if defined(TBB_VERSION_MAJOR)
#error "drop_in/thrust_policies.hpp includes oneTBB"
#endif

#include <memory>

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
               std::remove_cvref_t<decltype(thrust::cpp::par)>, thrust::host_system_tag,
               decltype(thrust::host(std::allocator<char>{})),
               decltype(thrust::seq(std::allocator<char>{}))>);
// A system of the program's own has overloads of its own, which wf::reduce cannot call.
template <template <class> class Base>
struct own_system : Base<own_system<Base>> {};
static_assert(!is_adopted<own_system<thrust::device_execution_policy>>);
static_assert(!is_adopted<own_system<thrust::host_execution_policy>>);
static_assert(!is_adopted<own_system<thrust::cpp::execution_policy>>);
// drop_in.hpp adopts these.
static_assert(!is_adopted<std::remove_cvref_t<decltype(thrust::omp::par)>>);

struct half_of {
  WARPFOLD_HD double operator()(int x) const { return x * 0.5; }
};
struct first_less_second {
  WARPFOLD_HD int operator()(const thrust::tuple<int, unsigned char>& pair) const {
    return thrust::get<0>(pair) - thrust::get<1>(pair);
  }
};

template <class I>
using view_t = decltype(wf::as_view(std::declval<I>(), std::declval<I>()));

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

TEST_CASE("drop-in: a zip_iterator keeps the loads of its columns and gives tuples of Thrust") {
  thrust::host_vector<int> a(1003);
  thrust::host_vector<unsigned char> b(1001);
  int expected = 0;
  for (std::size_t i = 0; i < 1001; ++i) {
    a[i + 2] = static_cast<int>(i) * 3;
    b[i] = static_cast<unsigned char>(i % 251);
    expected += a[i + 2] - b[i];
  }
  const auto zipped = thrust::make_zip_iterator(a.begin() + 2, b.begin());
  using view = view_t<std::remove_const_t<decltype(zipped)>>;
  static_assert(view::chunk_size == 16);
  static_assert(std::is_same_v<view::value_type, thrust::tuple<int, unsigned char>>);
  const auto differences = thrust::make_transform_iterator(zipped, first_less_second{});
  CHECK(wf::reduce(thrust::host, differences, differences + 1001) == expected);
  CHECK(wf::as_view(zipped, zipped + 1001)[1000] == thrust::make_tuple(3000, (unsigned char)247));

  // A zip in a zip, and one of computed elements.
  const thrust::counting_iterator<int> index(0);
  const auto nested =
      thrust::make_zip_iterator(zipped, thrust::make_transform_iterator(index, half_of{}));
  const auto element = wf::as_view(nested, nested + 10)[5];
  CHECK(thrust::get<0>(thrust::get<0>(element)) == 15);
  CHECK(thrust::get<1>(element) == 2.5);
}

TEST_CASE("drop-in: a transform_iterator converts to its own value type") {
  const thrust::host_vector<int> v(5, 3);
  const thrust::transform_iterator<half_of, thrust::host_vector<int>::const_iterator, int> whole(
      v.begin(), half_of{});
  static_assert(std::is_same_v<view_t<std::remove_const_t<decltype(whole)>>::value_type, int>);
  CHECK(wf::reduce(thrust::host, whole, whole + 5, 0.0) == 5);  // 1.5 becomes 1
}
