// drop_in.hpp: Thrust's and the standard library's policies, iterators and function objects.
#include <algorithm>

#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/tuple.h>
#include <warpfold/drop_in.hpp>

#include "contract/device_memory.hpp"
#include "contract/policy_contract.hpp"

namespace {

template <class P>
using adopted_t = decltype(wf::as_policy(std::declval<const P&>()));
template <class Ours, class... Theirs>
inline constexpr bool adopted_as = (std::is_same_v<adopted_t<Theirs>, Ours> && ...);

template <class I>
using view_t = decltype(wf::as_view(std::declval<I>(), std::declval<I>()));

using host_threads = std::remove_const_t<decltype(wf::detail::host_threads())>;

static_assert(
    adopted_as<wf::device_policy<>, std::remove_cvref_t<decltype(thrust::device)>,
               std::remove_cvref_t<decltype(thrust::cuda::par)>,
               std::remove_cvref_t<decltype(thrust::cuda::par_nosync)>,
               std::remove_cvref_t<decltype(thrust::cuda::par.on(cudaStream_t{}))>,
               std::remove_cvref_t<decltype(thrust::cuda::par_nosync.on(cudaStream_t{}))>>);
static_assert(
    adopted_as<std::remove_cvref_t<decltype(wf::seq)>, std::remove_cvref_t<decltype(thrust::host)>,
               std::remove_cvref_t<decltype(thrust::seq)>, std::execution::sequenced_policy,
               std::execution::unsequenced_policy>);
static_assert(adopted_as<host_threads, std::execution::parallel_policy,
                         std::execution::parallel_unsequenced_policy>);

using vector = thrust::device_vector<int>;
static_assert(std::is_same_v<view_t<vector::iterator>, wf::contiguous_view<int>>);
static_assert(std::is_same_v<view_t<vector::const_iterator>, wf::contiguous_view<const int>>);
static_assert(std::is_same_v<view_t<thrust::device_ptr<int>>, wf::contiguous_view<int>>);
static_assert(std::is_same_v<view_t<thrust::host_vector<int>::iterator>, wf::contiguous_view<int>>);

struct half_of {
  WARPFOLD_HD double operator()(int x) const { return x * 0.5; }
};
struct sum_of_pair {
  template <class Pair>
  WARPFOLD_HD long long operator()(const Pair& p) const {
    return thrust::get<0>(p) * 31ll + thrust::get<1>(p);
  }
};

using halves = thrust::transform_iterator<half_of, vector::const_iterator>;
static_assert(view_t<halves>::chunk_size == 4);
static_assert(view_t<thrust::counting_iterator<int>>::chunk_size > 1);
static_assert(
    view_t<thrust::transform_iterator<half_of, thrust::counting_iterator<int>>>::chunk_size > 1);
static_assert(view_t<thrust::constant_iterator<int>>::chunk_size == 1);
static_assert(
    view_t<thrust::permutation_iterator<vector::iterator, vector::iterator>>::chunk_size == 1);
// An iterator that has base() but is not contiguous.
static_assert(view_t<thrust::reverse_iterator<vector::iterator>>::chunk_size == 1);

const std::vector<int>& data() {
  static const std::vector<int> values = [] {
    auto v = test::whole_data<wf::plus, int>(100003);
    for (int& x : v) x %= 10000;
    return v;
  }();
  return values;
}
long long sum_of_data() {
  long long sum = 0;
  for (const int x : data()) sum += x;
  return sum;
}

/// Equal, and of one type.
template <class A, class B>
void check_same(const A& ours, const B& theirs) {
  static_assert(std::is_same_v<A, B>);
  CHECK(ours == theirs);
}

}  // namespace

TEST_CASE("drop-in: policies of the GPU, with their streams") {
  const test::own_stream stream;
  const vector v(data().begin(), data().end());
  const int sum = static_cast<int>(sum_of_data());
  const auto check = [&](const auto& policy, cudaStream_t on) {
    CHECK(wf::as_policy(policy).stream() == on);
    check_same(wf::reduce(policy, v.begin(), v.end()), sum);
    check_same(wf::reduce(policy, v.begin(), v.end(), 7ll), sum_of_data() + 7);
    check_same(wf::reduce(policy, v, wf::plus{}), sum_of_data());
  };
  // Thrust's default stream.
  const cudaStream_t usual = thrust::cuda_cub::default_stream();
  check(thrust::device, usual);
  check(thrust::cuda::par, usual);
  check(thrust::cuda::par_nosync, usual);
  check(thrust::cuda::par.on(stream.get()), stream.get());
  check(thrust::cuda::par_nosync.on(stream.get()), stream.get());

  // In that stream's order.
  wf::device_buffer<int> changing(1000003);
  for (int i = 1; i <= 10; ++i) {
    REQUIRE(cudaMemsetAsync(changing.data(), i, changing.size() * sizeof(int), stream.get()) ==
            cudaSuccess);
    const auto first = thrust::device_pointer_cast(changing.data());
    CHECK(wf::reduce(thrust::cuda::par_nosync.on(stream.get()), first, first + 1000003, 0ll) ==
          0x01010101ll * i * 1000003);
  }
}

TEST_CASE("drop-in: policies of the host") {
  const thrust::host_vector<int> v(data().begin(), data().end());
  const auto check = [&](const auto& policy) {
    check_same(wf::reduce(policy, v.begin(), v.end(), 7ll), sum_of_data() + 7);
    check_same(wf::reduce(policy, data().begin(), data().end()), static_cast<int>(sum_of_data()));
    check_same(wf::reduce(policy, data().begin(), data().begin(), 1, std::multiplies<>{}), 1);
  };
  check(thrust::host);
  check(thrust::seq);
  check(std::execution::seq);
  check(std::execution::unseq);
  check(std::execution::par);
  check(std::execution::par_unseq);
}

TEST_CASE("drop-in: the wrong side's memory is invalid_range") {
  const vector v(data().begin(), data().end());
  test::check_throws<wf::invalid_range>([&] { (void)wf::reduce(thrust::host, v.begin(), v.end()); },
                                        "device memory");
  if (!wf::runtime::current_device_info().reads_pageable_memory) {
    test::check_throws<wf::invalid_range>(
        [&] { (void)wf::reduce(thrust::device, data().begin(), data().end()); },
        "pageable host memory");
  }
  CHECK(wf::reduce(thrust::device, v.begin(), v.end(), 0ll) == sum_of_data());
}

TEST_CASE("drop-in: iterators that stay wide") {
  const vector v(data().begin(), data().end());
  const std::size_t n = v.size();
  for (const std::ptrdiff_t from : {0, 1, 3}) {
    INFO("from element ", from);
    long long sum = sum_of_data();
    for (std::ptrdiff_t i = 0; i < from; ++i) sum -= data()[static_cast<std::size_t>(i)];
    CHECK(wf::reduce(thrust::device, v.begin() + from, v.end(), 0ll) == sum);
    CHECK(wf::reduce(thrust::device, v.data() + from, v.data() + n, 0ll) == sum);
    const halves first(v.begin() + from, half_of{});
    check_same(wf::reduce(thrust::device, first, halves(v.end(), half_of{})),
               static_cast<double>(sum) * 0.5);
  }
  const thrust::counting_iterator<int> one(1);
  CHECK(wf::reduce(thrust::device, one, one + 50001, 0ll) == 50001ll * 50002 / 2);
  const auto half_of_count = thrust::make_transform_iterator(one, half_of{});
  CHECK(wf::reduce(thrust::device, half_of_count, half_of_count + 50001) ==
        50001.0 * 50002.0 / 2 * 0.5);
}

TEST_CASE("drop-in: iterators that are read one by one, and zips") {
  const vector v(data().begin(), data().end());
  const auto n = static_cast<std::ptrdiff_t>(v.size());

  const thrust::constant_iterator<int> three(3);
  CHECK(wf::reduce(thrust::device, three, three + 70001, 0ll) == 210003);

  const auto backwards = thrust::make_reverse_iterator(v.end());
  CHECK(wf::reduce(thrust::device, backwards, backwards + n, 0ll) == sum_of_data());
  CHECK(wf::reduce(thrust::device, backwards, backwards + 1, 0ll) == data().back());

  std::vector<int> every_third;
  long long sum_of_thirds = 0;
  for (int i = 0; i < n; i += 3) {
    every_third.push_back(i);
    sum_of_thirds += data()[static_cast<std::size_t>(i)];
  }
  std::reverse(every_third.begin(), every_third.end());
  const vector places(every_third);
  const auto permuted = thrust::make_permutation_iterator(v.begin(), places.begin());
  const auto thirds = static_cast<std::ptrdiff_t>(places.size());
  CHECK(wf::reduce(thrust::device, permuted, permuted + thirds, 0ll) == sum_of_thirds);

  const thrust::counting_iterator<int> index(0);
  const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(v.begin(), index));
  const auto sums = thrust::make_transform_iterator(pairs, sum_of_pair{});
  static_assert(view_t<std::remove_const_t<decltype(sums)>>::chunk_size > 1);
  CHECK(wf::reduce(thrust::device, sums, sums + n) ==
        sum_of_data() * 31 + static_cast<long long>(n) * (n - 1) / 2);
}

TEST_CASE("drop-in: Thrust's and the standard library's ops know their identities") {
  const vector nothing;
  const std::vector<int> nothing_here;
  CHECK(wf::reduce(thrust::device, nothing, thrust::plus<>{}) == 0);
  CHECK(wf::reduce(thrust::device, nothing, thrust::plus<int>{}) == 0);
  CHECK(wf::reduce(thrust::device, nothing, thrust::multiplies<>{}) == 1);
  CHECK(wf::reduce(thrust::device, nothing.begin(), nothing.end()) == 0);
  CHECK(wf::reduce(thrust::device, nothing.begin(), nothing.end(), 5, thrust::plus<int>{}) == 5);
  CHECK(wf::reduce(thrust::device, nothing.begin(), nothing.end(), 5, thrust::maximum<int>{}) == 5);
  test::check_throws<wf::empty_range>(
      [&] { (void)wf::reduce(thrust::device, nothing, thrust::maximum<int>{}); }, "no identity");
  CHECK(wf::reduce(thrust::host, nothing_here, thrust::plus<>{}) == 0);
  CHECK(wf::reduce(std::execution::par, nothing_here, std::plus<>{}) == 0);
  CHECK(wf::reduce(std::execution::seq, nothing_here, std::plus<int>{}) == 0);
  CHECK(wf::reduce(std::execution::seq, nothing_here, std::multiplies<>{}) == 1);

  const vector v(data().begin(), data().end());
  check_same(wf::reduce(thrust::device, v, thrust::plus<>{}), static_cast<int>(sum_of_data()));
  CHECK(wf::reduce(thrust::device, v, thrust::maximum<int>{}) ==
        *std::max_element(data().begin(), data().end()));
}

TEST_CASE("drop-in: results and their types are those of thrust::reduce") {
  const auto bytes = test::whole_data<wf::plus, unsigned char>(70001);
  const thrust::device_vector<unsigned char> b(bytes.begin(), bytes.end());
  const vector v(data().begin(), data().end());
  const auto check = [](const auto&... arguments) {
    check_same(wf::reduce(arguments...), thrust::reduce(arguments...));
  };
  check(thrust::device, b.begin(), b.end());
  check(thrust::device, b.begin(), b.end(), 7);
  check(thrust::device, v.begin(), v.end());
  check(thrust::device, v.begin(), v.end(), 0.5);
  check(thrust::device, v.begin(), v.end(), 7ll, thrust::plus<>{});
  check(thrust::device, v.begin(), v.end(), -20000, thrust::maximum<>{});
  check(thrust::device, halves(v.begin(), half_of{}), halves(v.end(), half_of{}));
  check(thrust::host, bytes.begin(), bytes.end());
  check(thrust::host, data().begin(), data().end(), 7ll);
}
