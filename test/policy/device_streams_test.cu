// wf::device with streams, host threads, graphs, and scratch memory of the caller.
#define LIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE
#include <atomic>
#include <thread>

#include <cuda/memory_resource>
#include <cuda/stream_ref>

#include <warpfold/copy.hpp>
#include <warpfold/kernel/ladder/sequential_addressing.hpp>
#include <warpfold/kernel/ladder/thread_unrolled.hpp>
#include <warpfold/kernel/ladder/two_pass.hpp>

#include "contract/device_memory.hpp"
#include "contract/policy_contract.hpp"
#include "contract/resources.hpp"

namespace {

long long sum_of(const std::vector<int>& values) {
  long long sum = 0;
  for (const int x : values) sum += x;
  return sum;
}

/// Runs `body(thread)` on `threads` host threads; false if any of them threw.
template <class Body>
bool on_threads(int threads, const Body& body) {
  std::atomic<int> failed = 0;
  {
    std::vector<std::jthread> running;
    for (int t = 0; t < threads; ++t) {
      running.emplace_back([&, t] {
        try {
          body(t);
        } catch (const std::exception& e) {
          ++failed;
          std::fprintf(stderr, "thread %d: %s\n", t, e.what());
        }
      });
    }
  }
  return failed == 0;
}

constexpr std::size_t lengths[] = {3, 1000, 70001, 1000003};

}  // namespace

TEST_CASE("on(stream) runs in that stream's order") {
  const test::own_stream stream;
  const auto values = test::whole_data<wf::plus, int>(1000003);
  wf::device_buffer<int> v(values.size());
  // The copy from pageable memory is the first work on the stream; the reduction must come after
  // it.
  for (int i = 0; i < 20; ++i) {
    REQUIRE(cudaMemsetAsync(v.data(), i + 1, v.size() * sizeof(int), stream.get()) == cudaSuccess);
    const long long one = 0x01010101ll * (i + 1);
    CHECK(wf::reduce(wf::device.on(stream.get()), v) == one * 1000003);
    CHECK(wf::reduce(wf::device.on(cuda::stream_ref(stream.get())), v, wf::maximum{}) == one);
  }
}

TEST_CASE("blocking() gives what the policy gives, on its stream and with its kernel") {
  const test::own_stream stream;
  const auto policy = wf::device.on(stream.get()).blocking();
  for (const std::size_t n : lengths) {
    INFO(n, " elements");
    const auto values = test::whole_data<wf::plus, int>(n);
    const wf::device_buffer<int> v(values);
    CHECK(wf::reduce(policy, v) == sum_of(values));
    CHECK(wf::reduce(policy.with_kernel(wf::kernel::two_pass<>{}), v) == sum_of(values));
    wf::device_buffer<int> copied(n);
    wf::copy(policy, v, copied);
    CHECK(wf::reduce(wf::device, copied) == sum_of(values));  // another stream: it has ended
  }
}

TEST_CASE("many threads, each with streams of its own") {
  const auto policy = wf::device;
  CHECK(on_threads(8, [&](int t) {
    const test::own_stream streams[2];
    const std::size_t n = lengths[t % 4] + static_cast<std::size_t>(t);
    const auto values = test::whole_data<wf::plus, int>(n);
    const long long sum = sum_of(values);
    const wf::device_buffer<int> v(values);
    wf::device_buffer<long long> out(100);  // initcheck requires that every element is written
    int wrong = 0;
    for (int i = 0; i < 200; ++i) {
      const auto on = policy.on(streams[i % 2].get());
      if (i % 4 < 2) {
        wf::reduce_async(on, v, static_cast<long long>(i), wf::plus{},
                         out.data() + i / 4 * 2 + i % 4);
      } else {
        wrong += wf::reduce(on, v) != sum;
      }
    }
    streams[0].wait();
    streams[1].wait();
    const std::vector<long long> results = out.to_host();
    for (int i = 0; i < 200; ++i) {
      if (i % 4 < 2) wrong += results[static_cast<std::size_t>(i / 4 * 2 + i % 4)] != sum + i;
    }
    if (wrong != 0) throw std::runtime_error(std::to_string(wrong) + " results are wrong");
  }));
}

TEST_CASE("many threads on one stream, with one policy") {
  const test::own_stream stream;
  const auto policy = wf::device.on(stream.get());
  const auto values = test::whole_data<wf::plus, int>(70001);
  const long long sum = sum_of(values);
  const wf::device_buffer<int> v(values);
  wf::device_buffer<long long> out(8 * 100);
  CHECK(on_threads(8, [&](int t) {
    int wrong = 0;
    for (int i = 0; i < 200; ++i) {
      if (i % 2 == 0) {
        wf::reduce_async(policy, v, static_cast<long long>(i), wf::plus{},
                         out.data() + t * 100 + i / 2);
      } else {
        wrong += wf::reduce(policy, v) != sum;
      }
    }
    if (wrong != 0) throw std::runtime_error(std::to_string(wrong) + " results are wrong");
  }));
  stream.wait();
  const auto results = out.to_host();
  int wrong = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    wrong += results[i] != sum + static_cast<long long>(i % 100 * 2);
  }
  CHECK(wrong == 0);
}

TEST_CASE("many threads on one stream, with kernels of several launches") {
  // racecheck keeps some MB of host memory for every launch: 200 calls of these kernels filled 125
  // GB.
  constexpr int calls = 40;
  const test::own_stream stream;
  const auto values = test::whole_data<wf::plus, int>(70001);
  const long long sum = sum_of(values);
  const wf::device_buffer<int> v(values);
  wf::device_buffer<long long> out(8 * calls);
  const auto each_kernel = [&](const auto& kernel) {
    const auto policy = wf::device.on(stream.get()).with_kernel(kernel);
    CHECK(on_threads(8, [&](int t) {
      for (int i = 0; i < calls; ++i) {
        wf::reduce_async(policy, v, static_cast<long long>(t * calls + i), wf::plus{},
                         out.data() + t * calls + i);
      }
    }));
    stream.wait();
    const auto results = out.to_host();
    int wrong = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
      wrong += results[i] != sum + static_cast<long long>(i);
    }
    CHECK(wrong == 0);
  };
  each_kernel(wf::kernel::two_pass<>{});
  each_kernel(wf::kernel::sequential_addressing<32>{});
  each_kernel(wf::kernel::thread_unrolled<2>{});
}

TEST_CASE("streams that come and go") {
  const auto values = test::whole_data<wf::plus, int>(5000);
  const long long sum = sum_of(values);
  const wf::device_buffer<int> v(values);
  wf::device_buffer<long long> out(600);
  for (std::size_t i = 0; i < 600; ++i) {
    const test::own_stream stream;
    wf::reduce_async(wf::device.on(stream.get()), v, wf::plus{}, out.data() + i);
    // Destroyed with work in flight; CUDA completes the work.
  }
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  int wrong = 0;
  for (const long long x : out.to_host()) wrong += x != sum;
  CHECK(wrong == 0);
}

TEST_CASE("a captured reduce_async is replayed with changed input") {
  const test::own_stream stream;
  constexpr std::size_t n = 300001;
  wf::device_buffer<int> v(n);
  wf::device_buffer<long long> out(2);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t instance = nullptr;
  REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
  wf::reduce_async(wf::device.on(stream.get()), v, wf::plus{}, out.data());
  wf::reduce_async(wf::device.on(stream.get()), v, 5ll, wf::plus{}, out.data() + 1);
  REQUIRE(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&instance, graph, 0) == cudaSuccess);
  REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);  // the instance owns its resources

  const auto values = test::whole_data<wf::plus, int>(n);
  const long long sum = sum_of(values);
  int wrong = 0;
  for (int i = 0; i < 100; ++i) {
    auto changed = values;
    changed[static_cast<std::size_t>(i) * 2999] = i;
    REQUIRE(cudaMemcpyAsync(v.data(), changed.data(), n * sizeof(int), cudaMemcpyHostToDevice,
                            stream.get()) == cudaSuccess);
    REQUIRE(cudaGraphLaunch(instance, stream.get()) == cudaSuccess);
    stream.wait();
    const long long want = sum - values[static_cast<std::size_t>(i) * 2999] + i;
    const auto got = out.to_host();
    wrong += got[0] != want || got[1] != want + 5;
    // A call outside the graph does not affect it.
    wrong += wf::reduce(wf::device.on(stream.get()), v) != want;
  }
  CHECK(wrong == 0);
  REQUIRE(cudaGraphExecDestroy(instance) == cudaSuccess);
}

TEST_CASE("reduce on a stream in capture throws cuda_error, and the capture stays valid") {
  const test::own_stream stream;
  const auto on = wf::device.on(stream.get());
  const std::vector<int> values = {1, 2, 3};
  const wf::device_buffer<int> v(values);
  wf::device_buffer<long long> out(1);
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
  test::check_throws<wf::cuda_error>([&] { (void)wf::reduce(on, v); }, "reduce_async");
  wf::reduce_async(on, v, wf::plus{}, out.data());  // the capture goes on
  REQUIRE(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);
  std::size_t nodes = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess);
  CHECK(nodes == 1);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(wf::reduce(on, v) == 6);
  CHECK(cudaGetLastError() == cudaSuccess);
}

// --- scratch memory of the caller
// ----------------------------------------------------------------------

#if CCCL_VERSION < 3001000
static_assert(cuda::mr::async_resource<test::pool>);
#endif

TEST_CASE(
    "with(workspace) and with(resource) give the same results, and give back what they took") {
  const test::own_stream stream;
  const auto values = test::whole_data<wf::plus, int>(1000003);
  const long long sum = sum_of(values);
  const wf::device_buffer<int> v(values);
  wf::device_buffer<long long> out(1);
  const auto check = [&](const auto& policy) {
    for (int i = 0; i < 10; ++i) {
      CHECK(wf::reduce(policy, v) == sum);
      wf::reduce_async(policy, v, static_cast<long long>(i), wf::plus{}, out.data());
      stream.wait();
      CHECK(out.to_host()[0] == sum + i);
    }
  };

  SUBCASE("a workspace") {
    wf::workspace scratch;
    check(wf::device.on(stream.get()).with(scratch));
    wf::workspace moved = std::move(scratch);
    check(wf::device.on(stream.get()).with(moved));
  }
  SUBCASE("a resource") {
    test::pool memory;
    check(wf::device.on(stream.get()).with(memory));
    CHECK(memory.given == 20);
    CHECK(memory.taken == 20);
    CHECK(memory.bytes == 0);
  }
  SUBCASE("a resource of later CCCL") {
    test::later_pool memory;
    check(wf::device.with(memory).on(stream.get()));
    CHECK(memory.counts.given == 20);
    CHECK(memory.counts.taken == 20);
    CHECK(memory.counts.bytes == 0);
  }
  SUBCASE("a resource that has nothing") {
    test::empty_pool nothing;
    const auto policy = wf::device.on(stream.get()).with(nothing);
    test::check_throws<wf::out_of_memory>([&] { (void)wf::reduce(policy, v); }, "bytes");
    test::check_throws<std::bad_alloc>([&] { wf::reduce_async(policy, v, wf::plus{}, out.data()); },
                                       "bytes");
    CHECK(wf::reduce(wf::device.on(stream.get()), v) == sum);
  }
}

TEST_CASE("a resource's memory is captured with the reduction") {
  const test::own_stream stream;
  test::pool memory;
  const auto values = test::whole_data<wf::plus, int>(300001);
  const long long sum = sum_of(values);
  const wf::device_buffer<int> v(values);
  wf::device_buffer<long long> out(1);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t instance = nullptr;
  REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
  wf::reduce_async(wf::device.on(stream.get()).with(memory), v, wf::plus{}, out.data());
  REQUIRE(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&instance, graph, 0) == cudaSuccess);
  for (int i = 0; i < 3; ++i) {
    REQUIRE(cudaMemsetAsync(out.data(), 0, sizeof(long long), stream.get()) == cudaSuccess);
    REQUIRE(cudaGraphLaunch(instance, stream.get()) == cudaSuccess);
    stream.wait();
    CHECK(out.to_host()[0] == sum);
  }
  REQUIRE(cudaGraphExecDestroy(instance) == cudaSuccess);
  REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
}
