// drop_in/cub.hpp: streams, host threads, graphs, stale temporary storage, memory resources, and
// errors after which the next call works.
#include "drop_in/cub_calls.hpp"

#include <atomic>
#include <string>
#include <thread>

#include <cuda/stream_ref>

#include "contract/policy_contract.hpp"
#include "contract/resources.hpp"
#include "drop_in/cub_status.hpp"

namespace {

using reduce = test::ours::reduce;

const std::vector<int> one_two_three = {1, 2, 3};

/// Fills `v` with the byte `x`, then sums it, on `stream`.
template <class Env>
cudaError_t fill_and_sum(wf::device_buffer<int>& v, int x, long long* out, cudaStream_t stream,
                         const Env& env) {
  const cudaError_t status = cudaMemsetAsync(v.data(), x, v.size() * sizeof(int), stream);
  return status != cudaSuccess ? status : reduce::Sum(v.data(), out, v.size(), env);
}

}  // namespace

TEST_CASE("calls run in the order of their stream, in whatever form it is passed") {
  const test::own_stream stream;
  wf::device_buffer<int> v(1000003);
  test::guarded_slot<long long> out;
  const auto check = [&](int x, const auto& env) {
    REQUIRE(fill_and_sum(v, x, out.pointer(), stream.get(), env) == cudaSuccess);
    stream.wait();
    CHECK(out.value() == 0x01010101ll * x * 1000003);
  };
  for (int x = 1; x < 20; ++x) {
    check(x, stream.get());
    check(x + 20, cuda::stream_ref(stream.get()));
  }
}

TEST_CASE("host threads with streams of their own, and all with one") {
  const test::own_stream shared;
  std::atomic<int> failed = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        const test::own_stream own;
        wf::device_buffer<int> v(70001);
        wf::device_buffer<long long> out(2);
        for (int i = 0; i < 200; ++i) {
          const int x = (t * 200 + i) % 100 + 1;
          const long long expected = 0x01010101ll * x * 70001;
          const bool ok =
              fill_and_sum(v, x, out.data(), own.get(), own.get()) == cudaSuccess &&
              cudaStreamSynchronize(own.get()) == cudaSuccess &&
              reduce::Sum(v.data(), out.data() + 1, v.size(), shared.get()) == cudaSuccess &&
              cudaStreamSynchronize(shared.get()) == cudaSuccess &&
              test::device_memory::values(out.data(), 2) ==
                  std::vector<long long>{expected, expected};
          if (!ok) ++failed;
        }
      });
    }
  }
  CHECK(failed == 0);
}

TEST_CASE("a captured call is recorded, not run, and every replay computes anew") {
  const test::own_stream stream;
  wf::device_buffer<int> v(1000003);
  wf::device_buffer<float> squares(1000);
  test::guarded_slot<long long> sum;
  test::guarded_slot<int> least, at;
  cudaGraph_t graph{};
  cudaGraphExec_t replay{};
  REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  std::size_t bytes = 0;
  CHECK(reduce::Sum(nullptr, bytes, v.data(), sum.pointer(), v.size(), stream.get()) ==
        cudaSuccess);
  CHECK(reduce::Sum(v.data(), sum.pointer(), v.size(), stream.get()) == cudaSuccess);
  CHECK(reduce::ArgMin(v.data(), least.pointer(), at.pointer(), 1000003, stream.get()) ==
        cudaSuccess);
  CHECK(test::ours::transform::Transform(
            v.data(), squares.data(), 1000,
            [] __host__ __device__(int x) { return static_cast<float>(x) * x; },
            stream.get()) == cudaSuccess);
  REQUIRE(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);
  CHECK_FALSE(sum.is_written());
  REQUIRE(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
  for (int x = 1; x < 4; ++x) {
    REQUIRE(cudaMemsetAsync(v.data(), x, v.size() * sizeof(int), stream.get()) == cudaSuccess);
    REQUIRE(cudaGraphLaunch(replay, stream.get()) == cudaSuccess);
    stream.wait();
    CHECK(sum.value() == 0x01010101ll * x * 1000003);
    CHECK(least.value() == 0x01010101 * x);
    CHECK(at.value() == 0);
    CHECK(test::device_memory::values(squares.data() + 999, 1)[0] ==
          static_cast<float>(0x01010101 * x) * static_cast<float>(0x01010101 * x));
  }
  (void)cudaGraphExecDestroy(replay);
  (void)cudaGraphDestroy(graph);
}

TEST_CASE("temporary storage is not read, written or freed: stale storage works") {
  const wf::device_buffer<int> v(one_two_three);
  test::guarded_slot<int> out;
  std::size_t bytes = 1;
  // Nothing is at this address.
  REQUIRE(reduce::Sum(reinterpret_cast<void*>(16), bytes, v.data(), out.pointer(), 3) ==
          cudaSuccess);
  CHECK(out.value() == 6);
  CHECK(bytes == 1);
  bytes = 1 << 20;  // of a larger call before
  wf::device_buffer<unsigned char> storage(std::vector<unsigned char>(16, 7));
  REQUIRE(reduce::Max(storage.data(), bytes, v.data(), out.pointer(), 3) == cudaSuccess);
  CHECK(out.value() == 3);
  CHECK(bytes == 1 << 20);
  CHECK(test::device_memory::values(storage.data(), 16) == std::vector<unsigned char>(16, 7));
}

TEST_CASE("bad arguments are named, nothing is written, and the next call works") {
  const wf::device_buffer<int> v(one_two_three);
  test::guarded_slot<int> out;
  int on_host = 0;
  const auto check = [&](cudaError_t status, const char* part) {
    test::check_refused(status, part);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK_FALSE(out.is_written());
    test::guarded_slot<int> good;
    REQUIRE(reduce::Sum(v.data(), good.pointer(), 3) == cudaSuccess);
    CHECK(good.value() == 6);
  };
  std::size_t none = 0;
  unsigned char* const some = reinterpret_cast<unsigned char*>(out.pointer());
  check(reduce::Sum(some, none, v.data(), out.pointer(), 3), "temp_storage_bytes is 0");
  check(reduce::Sum(v.data(), out.pointer(), -1), "num_items is -1");
  check(reduce::Sum(static_cast<const int*>(nullptr), out.pointer(), 3), "null pointer");
  check(reduce::Sum(v.data(), static_cast<int*>(nullptr), 3), "the output is a null pointer");
  check(reduce::ArgMin(v.data(), static_cast<int*>(nullptr), out.pointer(), 3),
        "the output is a null pointer");
  check(reduce::ArgMin(v.data(), out.pointer(), static_cast<int*>(nullptr), 3),
        "the output is a null pointer");
  if (wf::runtime::current_device_info().reads_pageable_memory) {
    MESSAGE("this GPU reads the host's memory");
    return;
  }
  check(reduce::Sum(one_two_three.data(), out.pointer(), 3), "pageable host memory");
  check(reduce::Sum(v.data(), &on_host, 3), "pageable host memory");
  check(reduce::ArgMin(v.data(), out.pointer(), &on_host, 3), "pageable host memory");
}

#if defined(WARPFOLD_HAS_ENVIRONMENTS)

namespace {

/// A resource that refers to `counts`; copies are the same resource.
template <class Pool>
struct shared_pool {
  Pool* counts;

  void* allocate(cuda::stream_ref stream, std::size_t n, std::size_t alignment) {
    return counts->allocate_async(n, alignment, stream);
  }
  void deallocate(cuda::stream_ref stream, void* p, std::size_t n, std::size_t alignment) noexcept {
    counts->deallocate_async(p, n, alignment, stream);
  }
  void* allocate_sync(std::size_t, std::size_t) { return nullptr; }
  void deallocate_sync(void*, std::size_t, std::size_t) noexcept {}
  friend bool operator==(const shared_pool& a, const shared_pool& b) {
    return a.counts == b.counts;
  }
  friend bool operator!=(const shared_pool& a, const shared_pool& b) { return !(a == b); }
  friend void get_property(const shared_pool&, cuda::mr::device_accessible) {}
};

using pool = shared_pool<test::pool>;

// With template arguments: nvcc 13.0 does not deduce those of prop and env here.
template <class Query, class Value>
auto asks(const Query& query, const Value& value) {
  return cuda::std::execution::prop<Query, Value>{query, value};
}
template <class... Part>
auto together(const Part&... part) {
  return cuda::std::execution::env<Part...>{part...};
}

}  // namespace

TEST_CASE("an environment's stream, memory resource and determinism") {
  const test::own_stream stream;
  test::pool counts;
  const auto env = together(asks(cuda::get_stream_t{}, cuda::stream_ref(stream.get())),
                            asks(cuda::mr::get_memory_resource_t{}, pool{&counts}),
                            cuda::execution::require(cuda::execution::determinism::gpu_to_gpu));
  wf::device_buffer<int> v(1000003);
  test::guarded_slot<long long> out;
  REQUIRE(fill_and_sum(v, 3, out.pointer(), stream.get(), env) == cudaSuccess);
  stream.wait();
  CHECK(out.value() == 0x01010101ll * 3 * 1000003);
  CHECK(counts.given > 0);
  CHECK(counts.taken == counts.given);

  test::empty_pool none;
  const auto without_memory =
      asks(cuda::mr::get_memory_resource_t{}, shared_pool<test::empty_pool>{&none});
  test::guarded_slot<long long> unwritten;
  CHECK(reduce::Sum(v.data(), unwritten.pointer(), v.size(), without_memory) ==
        cudaErrorMemoryAllocation);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  CHECK_FALSE(unwritten.is_written());
}

#endif
