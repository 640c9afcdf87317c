// CUB and Thrust on the GPU under the contract of policies, with streams, graphs, and scratch
// memory of the caller.
#include <warpfold/norm.hpp>
#include <warpfold/op/with_finish.hpp>
#include <warpfold/policy/cub.hpp>
#include <warpfold/policy/thrust.hpp>
#include <warpfold/reduce_segments.hpp>

#include "contract/device_memory.hpp"
#include "contract/elements.hpp"
#include "contract/policy_contract.hpp"
#include "contract/resources.hpp"

namespace {

struct cub_fixture : test::device_memory {
  static auto policy() { return wf::baseline::cub; }
};
struct thrust_fixture : test::device_memory {
  static auto policy() { return wf::baseline::thrust; }
};

using some = std::tuple<int, float>;

const std::vector<int> one_two_three = {1, 2, 3};

struct halved {
  WARPFOLD_HD float operator()(float sum) const { return sum / 2; }
};
/// Its lift has the element's type.
struct sum_of_twice : wf::plus {
  template <class T>
  WARPFOLD_HD T lift(const T& x) const {
    return 2 * x;
  }
};

long long sum_of(const std::vector<int>& values) {
  long long sum = 0;
  for (const int x : values) sum += x;
  return sum;
}

}  // namespace

TEST_CASE_TEMPLATE_APPLY(sums, test::subjects<cub_fixture, some>);
TEST_CASE_TEMPLATE_APPLY(sums, test::subjects<thrust_fixture, some>);
TEST_CASE_TEMPLATE_INVOKE(extrema, test::subject<cub_fixture, float>,
                          test::subject<thrust_fixture, float>);
TEST_CASE_TEMPLATE_INVOKE(asynchronous, cub_fixture, thrust_fixture);
TEST_CASE_TEMPLATE_INVOKE(empty_ranges, cub_fixture, thrust_fixture);
TEST_CASE_TEMPLATE_INVOKE(bad_ranges, cub_fixture, thrust_fixture);

// Only a part of the suite of user's ops, which would compile a dozen kernels for each.
TEST_CASE_TEMPLATE("GPU baselines take an op without identity, at every size and offset", Fixture,
                   cub_fixture, thrust_fixture) {
  const auto policy = Fixture::policy();
  const auto values = test::whole_data<wf::plus, int>(test::sizes().back());
  const auto expected = test::expected_of_prefixes<wf::maximum, int>(values, test::sizes());
  const auto larger = [] __host__ __device__(int a, int b) { return a > b ? a : b; };
  test::for_each_range<Fixture>(values, [&](const auto& range, std::size_t k, std::size_t offset) {
    INFO(range.size(), " elements, ", offset, " bytes from alignment");
    CHECK(wf::reduce(policy, range, larger) == expected[k]);
  });

  // Writes to memory of a type that is neither the element nor the state.
  const typename Fixture::template array<int> placed(values, 4);
  typename Fixture::template slot<double> slot;
  wf::reduce_async(policy, test::range_of<Fixture, int>(placed, values.size()), larger,
                   slot.pointer());
  CHECK(slot.value() == expected.back());
}

TEST_CASE_TEMPLATE("GPU baselines refuse host memory, as range and as output", Fixture, cub_fixture,
                   thrust_fixture) {
  const auto policy = Fixture::policy();
  const wf::device_buffer<int> good(one_two_three);
  if (wf::runtime::current_device_info().reads_pageable_memory) {
    MESSAGE("this GPU reads the host's memory");
    return;
  }
  test::check_throws<wf::invalid_range>([&] { (void)wf::reduce(policy, one_two_three); },
                                        "pageable host memory");
  long long out = 0;
  test::check_throws<wf::invalid_range>([&] { wf::reduce_async(policy, good, wf::plus{}, &out); },
                                        "output");
  test::check_throws<wf::invalid_range>(
      [&] { wf::reduce_async(policy, good, wf::plus{}, static_cast<long long*>(nullptr)); },
      "null");
  CHECK(wf::reduce(policy, good) == 6);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE_TEMPLATE("GPU baselines fold segments", Fixture, cub_fixture, thrust_fixture) {
  const auto policy = Fixture::policy();
  const std::vector<int> bounds{0, 0, 5, 6, 6, 1000, 30000, 30000};
  const std::vector<float> values = test::whole_data<wf::plus, float>(30000);
  const wf::device_buffer<int> offsets(bounds);
  const wf::device_buffer<float> v(values);
  const std::span<const float> range(v.data(), v.size());
  const std::span<const int> at(offsets.data(), bounds.size());
  const auto check = [&](auto type, const auto& op, const auto&... init) {
    using out_type = decltype(type);
    std::vector<out_type> expected(bounds.size() - 1);
    wf::reduce_segments(wf::seq, values, bounds, op, init..., expected);
    wf::device_buffer<out_type> out(std::vector<out_type>(expected.size(), 77));
    wf::reduce_segments(policy, range, at, op, init...,
                        std::span<out_type>(out.data(), out.size()));
    const std::vector<out_type> found = out.to_host();
    for (std::size_t s = 0; s < found.size(); ++s) {
      CHECK(static_cast<double>(found[s]) == doctest::Approx(static_cast<double>(expected[s])));
    }
  };
  check(float{}, wf::plus{});
  check(double{}, wf::maximum{}, 2.5f);
  check(float{}, wf::norm_2_op{});
  check(double{}, wf::norm_2_op{});
  check(float{}, wf::with_finish(wf::plus{}, halved{}));
  check(float{}, sum_of_twice{});
  const wf::device_buffer<float> two(2);
  wf::reduce_segments_async(policy, range, wf::segments_of_size(15000), wf::plus{},
                            std::span<float>(const_cast<float*>(two.data()), 2));
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(two.to_host()[1] == wf::reduce(wf::seq, std::span(values).subspan(15000)));
  // Bounds in any order, and projected elements.
  const wf::device_buffer<int> begins(std::vector<int>{20000, 3}),
      ends(std::vector<int>{20010, 13});
  const auto minus = [] __host__ __device__(float x) { return -x; };
  wf::reduce_segments(policy, wf::project(range, minus),
                      wf::segments_between(std::span<const int>(begins.data(), 2),
                                           std::span<const int>(ends.data(), 2)),
                      wf::plus{}, std::span<float>(const_cast<float*>(two.data()), 2));
  CHECK(two.to_host()[0] == -wf::reduce(wf::seq, std::span(values).subspan(20000, 10)));
  CHECK(two.to_host()[1] == -wf::reduce(wf::seq, std::span(values).subspan(3, 10)));
  test::check_throws<wf::invalid_range>(
      [&] { wf::reduce_segments(policy, values, at, wf::plus{}, std::span<float>()); }, "output");
}

TEST_CASE_TEMPLATE("GPU baselines on(stream) run in that stream's order", Fixture, cub_fixture,
                   thrust_fixture) {
  const test::own_stream stream;
  const auto on = Fixture::policy().on(stream.get());
  wf::device_buffer<int> v(1000003);
  wf::device_buffer<long long> out(1);
  for (int i = 1; i <= 10; ++i) {
    const long long sum = 0x01010101ll * i * 1000003;
    REQUIRE(cudaMemsetAsync(v.data(), i, v.size() * sizeof(int), stream.get()) == cudaSuccess);
    CHECK(wf::reduce(on, v) == sum);
    REQUIRE(cudaMemsetAsync(v.data(), i + 1, v.size() * sizeof(int), stream.get()) == cudaSuccess);
    wf::reduce_async(on, v, wf::plus{}, out.data());
    stream.wait();
    CHECK(out.to_host()[0] == sum / i * (i + 1));
  }
}

// --- graphs --------------------------------------------------------------------------------------

TEST_CASE("cub: reduce on a stream in capture throws cuda_error, and the capture stays valid") {
  const test::own_stream stream;
  const auto on = wf::baseline::cub.on(stream.get());
  const wf::device_buffer<int> v(one_two_three);
  wf::device_buffer<long long> out(1);
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
  test::check_throws<wf::cuda_error>([&] { (void)wf::reduce(on, v); }, "captur");
  wf::reduce_async(on, v, wf::plus{}, out.data());  // the capture goes on
  REQUIRE(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);
  std::size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess);
  CHECK(nodes > 0);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(wf::reduce(on, v) == 6);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("thrust: neither call can be captured: a cuda_error, and the capture goes on") {
  const test::own_stream stream;
  const auto on = wf::baseline::thrust.on(stream.get());
  const wf::device_buffer<int> v(one_two_three);
  wf::device_buffer<long long> out(1);
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
  test::check_throws<wf::cuda_error>([&] { (void)wf::reduce(on, v); }, "captur");
  test::check_throws<wf::cuda_error>([&] { wf::reduce_async(on, v, wf::plus{}, out.data()); },
                                     "captur");
  wf::reduce_async(wf::device.on(stream.get()), v, wf::plus{}, out.data());
  REQUIRE(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);
  std::size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess);
  CHECK(nodes == 1);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(wf::reduce(on, v) == 6);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("cub: a captured reduce_async is replayed with changed input") {
  const test::own_stream stream;
  const auto on = wf::baseline::cub.on(stream.get());
  const auto values = test::whole_data<wf::plus, int>(300001);
  const long long sum = sum_of(values);
  wf::device_buffer<int> v(values);
  wf::device_buffer<long long> out(2);
  test::pool memory;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t instance = nullptr;
  REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
  wf::reduce_async(on, v, wf::plus{}, out.data());
  wf::reduce_async(on.with(memory), v, wf::plus{}, out.data() + 1);
  REQUIRE(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&instance, graph, 0) == cudaSuccess);
  REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);  // the instance owns its resources

  int wrong = 0;
  for (int i = 0; i < 50; ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * 5999;
    REQUIRE(cudaMemcpyAsync(v.data(), values.data(), v.size() * sizeof(int), cudaMemcpyHostToDevice,
                            stream.get()) == cudaSuccess);
    REQUIRE(cudaMemcpyAsync(v.data() + at, &i, sizeof(int), cudaMemcpyHostToDevice, stream.get()) ==
            cudaSuccess);
    REQUIRE(cudaGraphLaunch(instance, stream.get()) == cudaSuccess);
    stream.wait();
    const long long want = sum - values[at] + i;
    const auto got = out.to_host();
    wrong += got[0] != want || got[1] != want;
    // A call outside the graph does not affect it.
    wrong += wf::reduce(on, v) != want;
  }
  CHECK(wrong == 0);
  REQUIRE(cudaGraphExecDestroy(instance) == cudaSuccess);
}

// --- scratch memory of the caller
// ----------------------------------------------------------------------

TEST_CASE_TEMPLATE("GPU baselines with(resource) take their scratch there, and give it back",
                   Fixture, cub_fixture, thrust_fixture) {
  const test::own_stream stream;
  const auto values = test::whole_data<wf::plus, int>(1000003);
  const long long sum = sum_of(values);
  const wf::device_buffer<int> v(values);
  wf::device_buffer<long long> out(1);
  const auto check = [&](const auto& policy, const test::pool& counts) {
    for (int i = 1; i <= 10; ++i) {
      CHECK(wf::reduce(policy, v) == sum);
      CHECK(counts.given >= 2 * i - 1);
      REQUIRE(cudaMemsetAsync(out.data(), 0, sizeof(long long), stream.get()) == cudaSuccess);
      wf::reduce_async(policy, v, wf::plus{}, out.data());
      CHECK(counts.given >= 2 * i);
      stream.wait();
      CHECK(out.to_host()[0] == sum);
    }
    CHECK(counts.taken == counts.given);
    CHECK(counts.bytes == 0);
  };

  SUBCASE("a resource") {
    test::pool memory;
    check(Fixture::policy().on(stream.get()).with(memory), memory);
  }
  SUBCASE("a resource of later CCCL") {
    test::later_pool memory;
    check(Fixture::policy().with(memory).on(stream.get()), memory.counts);
  }
  SUBCASE("a resource that has nothing") {
    test::empty_pool nothing;
    const auto policy = Fixture::policy().on(stream.get()).with(nothing);
    test::check_throws<wf::out_of_memory>([&] { (void)wf::reduce(policy, v); }, "bytes");
    test::check_throws<std::bad_alloc>([&] { wf::reduce_async(policy, v, wf::plus{}, out.data()); },
                                       "bytes");
    CHECK(wf::reduce(Fixture::policy().on(stream.get()), v) == sum);
    CHECK(cudaGetLastError() == cudaSuccess);
  }
}

TEST_CASE("cub with(workspace)") {
  const test::own_stream stream;
  const auto values = test::whole_data<wf::plus, int>(1000003);
  const wf::device_buffer<int> v(values);
  wf::device_buffer<long long> out(1);
  wf::workspace scratch;
  const auto policy = wf::baseline::cub.on(stream.get()).with(scratch);
  CHECK(wf::reduce(policy, v) == sum_of(values));
  wf::reduce_async(policy, v, wf::plus{}, out.data());
  stream.wait();
  CHECK(out.to_host()[0] == sum_of(values));
}
