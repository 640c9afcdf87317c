// transform, copy and transform_reduce on the GPU with wf::device, CUB and Thrust.
#include <cuda_fp16.h>
#include <thrust/device_vector.h>

#include <warpfold/policy/cub.hpp>
#include <warpfold/policy/thrust.hpp>

#include "contract/device_memory.hpp"
#include "contract/transform_contract.hpp"

namespace {

template <class Policy>
struct fixture : test::device_memory, test::target_in<test::device_memory> {
  static auto policy() { return Policy{}; }
};
using device_fixture = fixture<wf::device_policy<>>;
using cub_fixture = fixture<wf::baseline::cub_policy>;
using thrust_fixture = fixture<wf::baseline::thrust_policy>;

struct half_plus_one {
  __device__ __half operator()(__half x) const { return __hadd(x, __float2half(1.0f)); }
};

}  // namespace

TEST_CASE_TEMPLATE_APPLY(transformed, test::conversions<device_fixture>);
TEST_CASE_TEMPLATE_INVOKE(transformed, test::conversion<cub_fixture, float, float>,
                          test::conversion<thrust_fixture, float, float>);
TEST_CASE_TEMPLATE_INVOKE(transformed_views, device_fixture, cub_fixture, thrust_fixture);
TEST_CASE_TEMPLATE_INVOKE(transformed_in_place, device_fixture);
TEST_CASE_TEMPLATE_INVOKE(transformed_forms, device_fixture, cub_fixture, thrust_fixture);
TEST_CASE_TEMPLATE_INVOKE(transform_reduced, device_fixture);
TEST_CASE_TEMPLATE_INVOKE(bad_transformations, device_fixture, cub_fixture, thrust_fixture);

TEST_CASE("device transforms with lambdas, on halves, into vectors of Thrust's") {
  const std::vector<int> host = {3, 9, 4};
  const wf::device_buffer<int> v(host);
  thrust::device_vector<double> out(3, 0.0);
  // A __device__ lambda may return any type here, because the GPU converts the result.
  wf::transform(wf::device, v, out, [] __device__(int x) { return x * 0.5; });
  CHECK(out == std::vector<double>{1.5, 4.5, 2});
  const int bias = 10;
  // Into a part of the output, which is a separate range: three elements do not fit after the
  // second.
  wf::transform(wf::device, std::span<const int>(v.data(), 2), out.begin() + 1,
                [bias] __host__ __device__(int x) { return x + bias; });
  CHECK(out == std::vector<double>{1.5, 13, 19});
  std::vector<__half> halves;
  for (int i = 0; i < 1003; ++i) halves.push_back(__float2half(static_cast<float>(i)));
  wf::device_buffer<__half> h(halves);
  wf::transform(wf::device, h, h, half_plus_one{});
  const auto got = h.to_host();
  int wrong = 0;
  for (int i = 0; i < 1003; ++i) wrong += __half2float(got[static_cast<std::size_t>(i)]) != i + 1;
  CHECK(wrong == 0);
}

TEST_CASE("device transforms in its stream's order") {
  const test::own_stream stream;
  const auto policy = wf::device.on(stream.get());
  wf::device_buffer<int> v(1000003), doubled(v.size());
  for (int i = 0; i < 20; ++i) {
    REQUIRE(cudaMemsetAsync(v.data(), i + 1, v.size() * sizeof(int), stream.get()) == cudaSuccess);
    wf::transform_async(policy, v, doubled, test::changed<int>{});
    CHECK(wf::reduce(policy, doubled) == (0x01010101ll * (i + 1) + 1) * 1000003);
  }
  // The call has waited: another stream without an order sees its output.
  wf::transform(policy, wf::counting(0, v.size()), v, test::plus_one{});
  const test::own_stream other;
  CHECK(wf::reduce(wf::device.on(other.get()), v) == 1000003ll * 1000004 / 2);
}

TEST_CASE("transform_async is captured into a graph, and transform refuses to be") {
  const test::own_stream stream;
  const auto policy = wf::device.on(stream.get());
  wf::device_buffer<int> v(std::vector<int>(5003, 1)), out(std::vector<int>(5003, 0));
  REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
  wf::transform_async(policy, v, out, test::plus_one{});
  wf::transform_async(policy, out, v, test::plus_one{});
  test::check_throws<wf::cuda_error>([&] { wf::transform(policy, v, out, test::plus_one{}); },
                                     "use transform_async");
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);
  cudaGraphExec_t instance = nullptr;
  REQUIRE(cudaGraphInstantiate(&instance, graph, 0) == cudaSuccess);
  for (int i = 0; i < 3; ++i) REQUIRE(cudaGraphLaunch(instance, stream.get()) == cudaSuccess);
  stream.wait();
  CHECK(v.to_host() == std::vector<int>(5003, 7));
  CHECK(out.to_host() == std::vector<int>(5003, 6));
  (void)cudaGraphExecDestroy(instance);
  (void)cudaGraphDestroy(graph);
}

TEST_CASE("a GPU policy refuses host memory on both sides, and a host policy the GPU's") {
  const std::vector<int> values = {1, 2, 3};
  std::vector<int> host = values;
  wf::device_buffer<int> v(values);
  if (!wf::runtime::current_device_info().reads_pageable_memory) {
    test::check_throws<wf::invalid_range>(
        [&] { wf::transform(wf::device, host, v, test::plus_one{}); }, "the range at");
    test::check_throws<wf::invalid_range>(
        [&] { wf::transform(wf::device, v, host, test::plus_one{}); }, "the output at");
  }
  test::check_throws<wf::invalid_range>([&] { wf::transform(wf::seq, v, host, test::plus_one{}); },
                                        "the range at");
  test::check_throws<wf::invalid_range>([&] { wf::transform(wf::seq, host, v, test::plus_one{}); },
                                        "the output at");
  CHECK(host == values);
  CHECK(v.to_host() == values);
}

TEST_CASE("[large] 2^32 + 3 elements, written from no memory and in place") {
  constexpr std::size_t n = (std::size_t{1} << 32) + 3;
  wf::device_buffer<unsigned char> v(n);
  wf::copy(wf::device, wf::counting(std::uint64_t{0}, n), v);
  const auto sum_below = [](std::uint64_t m) {  // of i % 256
    return m / 256 * (255 * 128) + (m % 256) * (m % 256 - 1) / 2;
  };
  CHECK(wf::reduce(wf::device, v) == sum_below(n));
  wf::transform(wf::device, v, v, [] __host__ __device__(unsigned char x) {
    return static_cast<unsigned char>(255 - x);
  });
  CHECK(wf::reduce(wf::device, v) == 255 * n - sum_below(n));
}
