// Folds of lists of ranges on the GPU.
#include <warpfold/reduce_many.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>
#include <vector>

#include "contract/device_memory.hpp"
#include "contract/many_contract.hpp"

namespace {

struct fixture : test::device_memory, test::target_in<test::device_memory> {
  static auto policy() { return wf::device; }
};

using span = std::span<const float>;

}  // namespace

TEST_CASE_TEMPLATE_APPLY(many_short, test::segment_folds<fixture>);
TEST_CASE_TEMPLATE_APPLY(many_mixed, test::segment_folds<fixture>);
TEST_CASE_TEMPLATE_APPLY(many_ranges, test::segment_folds<fixture>);
TEST_CASE_TEMPLATE_INVOKE(many_lists, fixture);
TEST_CASE_TEMPLATE_INVOKE(many_nan, fixture);
TEST_CASE_TEMPLATE_INVOKE(many_inits, fixture);
TEST_CASE_TEMPLATE_INVOKE(many_outputs, fixture);
TEST_CASE_TEMPLATE_INVOKE(many_order, fixture);
TEST_CASE_TEMPLATE_INVOKE(many_divided, fixture);
TEST_CASE_TEMPLATE_INVOKE(many_divided_large, fixture);
TEST_CASE_TEMPLATE_INVOKE(many_divided_results, fixture);
TEST_CASE_TEMPLATE_INVOKE(many_listed, fixture);
TEST_CASE_TEMPLATE_INVOKE(many_listed_errors, fixture);
TEST_CASE_TEMPLATE_INVOKE(many_errors, fixture);

TEST_CASE("captured in a graph, which keeps the list, and replayed with other elements") {
  const test::own_stream stream;
  wf::device_buffer<float> values(std::vector<float>(100000, 1));
  wf::device_buffer<float> out(std::vector<float>(200, -1));
  std::vector<span> ranges;
  for (std::size_t r = 0; r < 200; ++r) ranges.push_back({values.data() + 3 * r, r});
  ranges[7] = {values.data(), 100000};  // in parts
  cudaGraph_t graph{};
  cudaGraphExec_t exec{};
  REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  wf::reduce_many_async(wf::device.on(stream.get()), ranges, wf::plus{}, out);
  ranges.assign(200, span());
  REQUIRE(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
  const auto replay = [&] {
    REQUIRE(cudaGraphLaunch(exec, stream.get()) == cudaSuccess);
    stream.wait();
    return out.to_host();
  };
  std::vector<float> want(200);
  for (std::size_t r = 0; r < 200; ++r) want[r] = static_cast<float>(r == 7 ? 100000 : r);
  CHECK(replay() == want);
  REQUIRE(cudaMemsetAsync(values.data(), 0, 100000 * sizeof(float), stream.get()) == cudaSuccess);
  CHECK(replay() == std::vector<float>(200, 0));
  CHECK(cudaGraphExecDestroy(exec) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
}

TEST_CASE("the call that waits is refused in a capture") {
  const test::own_stream stream;
  const wf::device_buffer<float> values(std::vector<float>(10, 1));
  wf::device_buffer<float> out(1);
  cudaGraph_t graph{};
  REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  CHECK_THROWS_AS(
      wf::reduce_many(wf::device.on(stream.get()), {span(values.data(), 10)}, wf::plus{}, out),
      wf::cuda_error);
  REQUIRE(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
}

TEST_CASE("ranges in allocations of their own, in pinned memory, and in memory that no GPU reads") {
  std::vector<wf::device_buffer<float>> buffers;
  for (std::size_t r = 0; r < 300; ++r) {
    buffers.push_back(wf::device_buffer<float>(std::vector<float>(r, 2)));
  }
  wf::device_buffer<float> out(300);
  wf::reduce_many(wf::device, buffers, wf::plus{}, out);
  const auto sums = out.to_host();
  std::size_t wrong = 0;
  for (std::size_t r = 0; r < 300; ++r) wrong += sums[r] != static_cast<float>(2 * r);
  CHECK(wrong == 0);

  float* pinned = nullptr;
  REQUIRE(cudaMallocHost(&pinned, 100 * sizeof(float)) == cudaSuccess);
  for (int i = 0; i < 100; ++i) pinned[i] = 3;
  wf::device_buffer<float> few(2);
  wf::reduce_many(wf::device, {span(pinned, 100), span(buffers[5].data(), 5)}, wf::plus{}, few);
  CHECK(few.to_host() == std::vector<float>{300, 10});
  REQUIRE(cudaFreeHost(pinned) == cudaSuccess);

  if (!wf::runtime::current_device_info().reads_pageable_memory) {
    const std::vector<float> host(10, 1);
    CHECK_THROWS_WITH_AS(
        wf::reduce_many(wf::device, {span(buffers[5].data(), 5), span(host)}, wf::plus{}, few),
        doctest::Contains("a range of the list at"), wf::invalid_range);
    CHECK(few.to_host() == std::vector<float>{300, 10});
  }
}

TEST_CASE("long ranges beside short ones") {
  std::vector<float> values(5'000'003);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 4);
  const wf::device_buffer<float> placed(values);
  std::vector<span> ranges;
  std::vector<long long> want;
  const auto add = [&](std::size_t n) {
    ranges.push_back({placed.data() + 3, n});
    long long sum = 0;
    for (std::size_t i = 3; i < n + 3; ++i) sum += static_cast<long long>(i % 4);
    want.push_back(sum);
  };
  for (const std::size_t n : {5'000'000, 10, 70'001, 1'000'000, 16'384}) add(n);
  for (std::size_t n = 0; n < 700; ++n) add(n % 50 == 0 ? 20'000 + 37 * n : n);
  wf::device_buffer<double> out(ranges.size());
  wf::reduce_many(wf::device, ranges, wf::plus{}, 0.0, out);
  CHECK(out.to_host() == std::vector<double>(want.begin(), want.end()));
}

TEST_CASE("parts of ranges have the bits of wf::seq in calls one after the other, in any stream") {
  std::vector<float> values(2'000'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1 / static_cast<float>(i % 999 + 1);
  const wf::device_buffer<float> placed(values);
  std::vector<span> ranges, on_host;
  for (std::size_t r = 0; r < 90; ++r) {
    const std::size_t n = r % 3 == 0 ? 100'000 + r : r % 3 == 1 ? 1'000 + r : 9'000 + r;
    ranges.push_back({placed.data() + 17 * r, n});
    on_host.push_back({values.data() + 17 * r, n});
  }
  std::vector<float> want(90);
  wf::reduce_many(wf::seq, on_host, wf::plus{}, want);
  constexpr std::size_t calls = 200;
  const auto are_right = [&] {
    const test::own_stream stream;
    wf::device_buffer<float> out(std::vector<float>(calls * 90, -1));
    for (std::size_t k = 0; k < calls; ++k) {
      wf::reduce_many_async(wf::device.on(stream.get()), ranges, wf::plus{},
                            std::span(out.data() + k * 90, 90));
    }
    stream.wait();
    const auto got = out.to_host();
    for (std::size_t k = 0; k < calls; ++k) {
      if (std::memcmp(&got[k * 90], want.data(), 90 * sizeof(float)) != 0) return false;
    }
    return true;
  };
  CHECK(are_right());
  std::array<bool, 4> right{};
  std::vector<std::thread> threads;
  for (bool& own : right) threads.emplace_back([&] { own = are_right(); });
  for (auto& t : threads) t.join();
  CHECK(right == std::array{true, true, true, true});
}

TEST_CASE("a range of more than 256 MB has a launch of its own, beside ranges in parts") {
  constexpr std::size_t n = (std::size_t{1} << 28) + 100;
  wf::device_buffer<signed char> values(n);
  REQUIRE(cudaMemset(values.data(), 1, n) == cudaSuccess);
  using bytes = std::span<const signed char>;
  const signed char* const p = values.data();
  wf::device_buffer<long long> out(5);
  wf::reduce_many(wf::device,
                  std::vector<bytes>{{p, 3}, {p, n}, {p + 1, n / 3}, {p, n - 100}, {p + 5, 70'000}},
                  wf::plus{}, out);
  CHECK(out.to_host() == std::vector<long long>{3, n, n / 3, n - 100, 70'000});
}

TEST_CASE("[large] ranges of more than 2^32 elements, in a list of the host and of the device") {
  constexpr std::size_t n = (std::size_t{1} << 32) + 12'345;
  wf::device_buffer<signed char> values(n);
  REQUIRE(cudaMemset(values.data(), 1, n) == cudaSuccess);
  REQUIRE(cudaMemset(values.data() + n - 1, 3, 1) == cudaSuccess);
  using bytes = std::span<const signed char>;
  const signed char* const p = values.data();
  const std::vector<bytes> ranges{{p + 3, 5}, {p, n}, {p + 1, n - 1}, {p + n - 9, 9}};
  const std::vector<long long> want{5, n + 2, n + 1, 11};
  wf::device_buffer<long long> out(std::vector<long long>(4, -1));
  wf::reduce_many(wf::device, ranges, wf::plus{}, out);
  CHECK(out.to_host() == want);

  const wf::device_buffer<const signed char*> pointers(
      std::vector<const signed char*>{p + 3, p, p + 1, p + n - 9});
  const wf::device_buffer<std::size_t> sizes(std::vector<std::size_t>{5, n, n - 1, 9});
  out = wf::device_buffer<long long>(std::vector<long long>(4, -1));
  wf::reduce_many(wf::device, wf::ranges_at(pointers, sizes), wf::plus{}, out);
  CHECK(out.to_host() == want);
}

TEST_CASE("a list in device memory: a graph reads it again in each replay") {
  const test::own_stream stream;
  std::vector<float> values(1'000'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1 / static_cast<float>(i % 999 + 1);
  const wf::device_buffer<float> placed(values);
  const auto lists = [&](std::size_t seed) {
    std::vector<std::size_t> lengths;
    for (std::size_t r = 0; r < 400; ++r) {
      const std::size_t x = (r + 1) * 2654435761u + seed * 40503u;
      lengths.push_back(x % 41 == 0 ? x % 300'000 : x % 7 == 0 ? x % 9'000 : x % 700);
    }
    return lengths;
  };
  wf::device_buffer<const float*> pointers(400);
  wf::device_buffer<unsigned> sizes(400);
  wf::device_buffer<float> out(std::vector<float>(400, -1));
  cudaGraph_t graph{};
  cudaGraphExec_t exec{};
  REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  wf::reduce_many_async(wf::device.on(stream.get()), wf::ranges_at(pointers, sizes), wf::plus{},
                        out);
  REQUIRE(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
  for (std::size_t seed = 0; seed < 20; ++seed) {
    std::vector<const float*> first;
    std::vector<unsigned> count;
    std::vector<span> on_host;
    for (const std::size_t n : lists(seed)) {
      const std::size_t from = (n * 31 + seed) % (values.size() - n);
      first.push_back(placed.data() + from);
      count.push_back(static_cast<unsigned>(n));
      on_host.push_back({values.data() + from, n});
    }
    // On the stream, which does not wait for copies on the default one.
    REQUIRE(cudaMemcpyAsync(pointers.data(), first.data(), 400 * sizeof(const float*),
                            cudaMemcpyDefault, stream.get()) == cudaSuccess);
    REQUIRE(cudaMemcpyAsync(sizes.data(), count.data(), 400 * sizeof(unsigned), cudaMemcpyDefault,
                            stream.get()) == cudaSuccess);
    REQUIRE(cudaGraphLaunch(exec, stream.get()) == cudaSuccess);
    stream.wait();
    std::vector<float> want(400);
    wf::reduce_many(wf::seq, on_host, wf::plus{}, want);
    CHECK(out.to_host() == want);
  }
  CHECK(cudaGraphExecDestroy(exec) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
}

TEST_CASE("lists in device memory: many more ranges than room, calls in a row, and many streams") {
  std::vector<int> values(200'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i % 13);
  const wf::device_buffer<int> placed(values);
  std::vector<const int*> first;
  std::vector<int> count;
  std::vector<std::span<const int>> on_host;
  for (std::size_t r = 0; r < 5'000; ++r) {
    // 1667 ranges are longer than a block folds if the list has room.
    const std::size_t n = r % 3 == 0 ? 17'000 + r : r % 3 == 1 ? 2'500 : r % 100;
    const std::size_t from = r * 37 % (values.size() - n);
    first.push_back(placed.data() + from);
    count.push_back(static_cast<int>(n));
    on_host.push_back({values.data() + from, n});
  }
  const wf::device_buffer<const int*> pointers(first);
  const wf::device_buffer<int> sizes(count);
  std::vector<long long> want(5'000);
  wf::reduce_many(wf::seq, on_host, wf::plus{}, want);
  const auto are_right = [&] {
    const test::own_stream stream;
    wf::device_buffer<long long> out(std::vector<long long>(20 * 5'000, -1));
    for (std::size_t k = 0; k < 20; ++k) {
      wf::reduce_many_async(wf::device.on(stream.get()), wf::ranges_at(pointers, sizes), wf::plus{},
                            std::span(out.data() + k * 5'000, 5'000));
    }
    stream.wait();
    const auto got = out.to_host();
    for (std::size_t k = 0; k < 20; ++k) {
      if (!std::equal(want.begin(), want.end(), got.begin() + static_cast<long>(k * 5'000))) {
        return false;
      }
    }
    return true;
  };
  CHECK(are_right());
  std::array<bool, 4> right{};
  std::vector<std::thread> threads;
  for (bool& own : right) threads.emplace_back([&] { own = are_right(); });
  for (auto& t : threads) t.join();
  CHECK(right == std::array{true, true, true, true});
}
