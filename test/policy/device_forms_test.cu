// wf::device: the forms of the call, ranges, views, and ops of the user.
#include <cuda_fp16.h>
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cuda/std/span>

#include "contract/device_memory.hpp"
#include "contract/elements.hpp"
#include "contract/policy_contract.hpp"

namespace {

struct fixture : test::device_memory {
  static auto policy() { return wf::device; }
};

struct half_of {
  __host__ __device__ double operator()(int x) const { return x * 0.5; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(forms, fixture);
TEST_CASE_TEMPLATE_INVOKE(asynchronous, fixture);
TEST_CASE_TEMPLATE_INVOKE(empty_ranges, fixture);
TEST_CASE_TEMPLATE_INVOKE(bad_ranges, fixture);
TEST_CASE_TEMPLATE_INVOKE(user_ops, fixture);
TEST_CASE_TEMPLATE_INVOKE(views, fixture);

TEST_CASE("device takes lambdas, for the GPU alone and for both sides") {
  const std::vector<int> host = {3, 9, 4, 1, 5};
  const wf::device_buffer<int> v(host);
  CHECK(wf::reduce(wf::device, v, [] __host__ __device__(int a, int b) { return a > b ? a : b; }) ==
        9);
  CHECK(wf::reduce(wf::device, v, [] __device__(int a, int b) { return a > b ? a : b; }) == 9);
  CHECK(wf::reduce(wf::device, v, 11, [] __device__(int a, int b) { return a > b ? a : b; }) == 11);
  const int bias = 100;  // the op holds a captured value
  CHECK(wf::reduce(wf::device, v, [bias] __host__ __device__(int a, int b) {
          return (a % bias) + (b % bias);
        }) == 22);
  CHECK(wf::reduce(wf::device, wf::project(v, [] __host__ __device__(int x) { return x * 0.5; }),
                   wf::plus{}) == 11.0);
}

TEST_CASE("device takes every kind of range") {
  const auto host = test::whole_data<wf::plus, int>(100003);
  long long sum = 0;
  for (const int x : host) sum += x;

  SUBCASE("device_buffer") {
    const wf::device_buffer<int> v(host);
    CHECK(wf::reduce(wf::device, v) == sum);
    CHECK(wf::reduce(wf::device, std::span<const int>(v.data(), v.size())) == sum);
    CHECK(wf::reduce(wf::device, cuda::std::span<const int>(v.data(), v.size())) == sum);
    CHECK(wf::reduce(wf::device, v.data(), v.data() + v.size(), 0ll) == sum);
  }
  SUBCASE("thrust::device_vector, its iterators and pointers") {
    const thrust::device_vector<int> v(host.begin(), host.end());
    CHECK(wf::reduce(wf::device, v) == sum);
    CHECK(wf::reduce(wf::device, v.begin(), v.end(), 0ll) == sum);
    CHECK(wf::reduce(wf::device, v.data(), v.data() + v.size(), 0ll) == sum);
    CHECK(wf::reduce(wf::device, v.begin() + 1, v.end(), 0ll) == sum - host[0]);
    // Unwrapped, so that the loads are as wide as those of a raw pointer.
    static_assert(
        std::is_same_v<wf::view_of_t<thrust::device_vector<int>>, wf::contiguous_view<const int>>);
  }
  SUBCASE("iterators of Thrust's that read no memory") {
    const auto first = thrust::make_counting_iterator(1);
    CHECK(wf::reduce(wf::device, first, first + 50000, 0ll) == 1250025000ll);
    const auto halves = thrust::make_transform_iterator(first, half_of{});
    CHECK(wf::reduce(wf::device, halves, halves + 50000, 0.0) == 625012500.0);
  }
  SUBCASE("managed and pinned host memory") {
    for (const bool managed : {true, false}) {
      int* p = nullptr;
      const std::size_t bytes = host.size() * sizeof(int);
      REQUIRE((managed ? cudaMallocManaged(&p, bytes) : cudaMallocHost(&p, bytes)) == cudaSuccess);
      std::copy(host.begin(), host.end(), p);
      INFO((managed ? "managed" : "pinned"));
      CHECK(wf::reduce(wf::device, std::span<const int>(p, host.size())) == sum);
      // The host reads both.
      CHECK(wf::reduce(wf::seq, std::span<const int>(p, host.size())) == sum);
      (void)(managed ? cudaFree(p) : cudaFreeHost(p));
    }
  }
  SUBCASE("bool") {
    std::vector<unsigned char> bits(5000, 0);
    bits[77] = bits[4999] = 1;
    const wf::device_buffer<bool> v(reinterpret_cast<const bool*>(bits.data()), bits.size());
    CHECK(wf::reduce(wf::device, v) == 2);
    CHECK(wf::reduce(wf::device, v, wf::logical_or{}));
    CHECK_FALSE(wf::reduce(wf::device, v, wf::logical_and{}));
  }
}

TEST_CASE("device sums halves in float, also from a float init") {
  const std::vector<__half> host(10000, __float2half(0.25f));
  const wf::device_buffer<__half> v(host);
  CHECK(wf::reduce(wf::device, v) == 2500.0f);  // a half counts by twos from 2048 on
  CHECK(wf::reduce(wf::device, v, 1.0f, wf::plus{}) == 2501.0f);
  CHECK(wf::reduce(wf::device, wf::project(v, test::square{}), wf::plus{}) == 625.0f);
}
