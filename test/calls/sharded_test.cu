// wf::sharded on GPUs: elements go to the shards and come back in order; reductions give what one
// GPU gives for the whole range; streams, capture, errors. With one GPU, that GPU has two shards.
#include <warpfold/sharded.hpp>

#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <warpfold/dot.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/policy/devices.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/sum.hpp>

#include "contract/two_gpus.hpp"

namespace wf = warpfold;

namespace {

using test::check_cuda;
using test::two_gpus;

template <class T>
std::vector<T> some(std::size_t n) {
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = static_cast<T>(static_cast<int>(i * 7919 % 2001) - 1000);
  return v;
}

/// Pinned memory of the host.
struct pinned {
  float* data = nullptr;
  explicit pinned(std::size_t n) { check_cuda(cudaMallocHost(&data, n * sizeof(float))); }
  ~pinned() { (void)cudaFreeHost(data); }
};

}  // namespace

TEST_CASE("elements come back as they went") {
  const two_gpus t;
  for (const std::size_t n : {0, 1, 32, 33, 1000, 1 << 20, (1 << 22) + 5}) {
    CAPTURE(n);
    const auto v = some<float>(n);
    const wf::sharded<float> parts(t.gpus(), v);
    CHECK(parts.to_host() == v);
    for (int r = 0; r < 2; ++r) {
      if (parts.shard(r).empty()) continue;
      cudaPointerAttributes attributes{};
      check_cuda(cudaPointerGetAttributes(&attributes, parts.shard(r).data()));
      CHECK(attributes.type == cudaMemoryTypeDevice);
      CHECK(attributes.device == t.id[r]);
    }
    for (const std::size_t block : {1000, 4096}) {
      const wf::sharded<float> blocks(t.gpus(), v, wf::block_cyclic(block));
      CHECK(blocks.to_host() == v);
    }
  }
  int current = -1;
  check_cuda(cudaGetDevice(&current));
  CHECK(current == 0);
}

TEST_CASE("pinned memory") {
  const two_gpus t;
  constexpr std::size_t n = 300001;
  const auto v = some<float>(n);
  const pinned from(n), to(n);
  std::copy(v.begin(), v.end(), from.data);
  for (const bool in_blocks : {false, true}) {
    wf::sharded<float> x = in_blocks ? wf::sharded<float>(t.gpus(), n, wf::block_cyclic(77))
                                     : wf::sharded<float>(t.gpus(), n);
    x.copy_from({from.data, n});
    std::fill(to.data, to.data + n, 0.0f);
    x.copy_to({to.data, n});
    CHECK(std::equal(v.begin(), v.end(), to.data));
  }
}

TEST_CASE("reductions give what one GPU gives") {
  const two_gpus t;
  const auto policy = wf::across(t.gpus());
  for (const std::size_t n : {1, 100, 5000, 3000000}) {
    CAPTURE(n);
    const auto v = some<float>(n);
    const wf::device_buffer<float> one(v);
    const wf::sharded<float> parts(t.gpus(), v);
    const wf::sharded<float> blocks(t.gpus(), v, wf::block_cyclic(1024));
    CHECK(wf::sum(policy, parts) == wf::sum(wf::device, one));
    CHECK(wf::argmax(policy, parts).index == wf::argmax(wf::device, one).index);
    CHECK(wf::max(policy, blocks) == wf::max(wf::device, one));
    CHECK(wf::reduce(policy, blocks, wf::plus{}.exact()) ==
          wf::reduce(wf::device, one, wf::plus{}.exact()));
    const wf::sharded<double> twos(t.gpus(), std::vector<double>(n, 2));
    CHECK(wf::dot(policy, parts, twos) == 2 * wf::sum(wf::device, one));
    CHECK_THROWS_AS((void)wf::argmax(policy, blocks), wf::invalid_range);
  }
}

TEST_CASE("copies are refused in a capture, which stays valid") {
  const two_gpus t;
  const auto v = some<float>(1000);
  wf::sharded<float> x(t.gpus(), v);
  const wf::runtime::device_guard on(t.id[1]);
  check_cuda(cudaStreamBeginCapture(t.stream[1], cudaStreamCaptureModeGlobal));
  CHECK_THROWS_AS((void)x.to_host(), wf::cuda_error);
  CHECK_THROWS_AS(x.copy_from(v), wf::cuda_error);
  { const wf::sharded<float> another(t.gpus(), 100); }
  cudaGraph_t graph;
  check_cuda(cudaStreamEndCapture(t.stream[1], &graph));
  check_cuda(cudaGraphDestroy(graph));
  CHECK(x.to_host() == v);
}

TEST_CASE("moving, and errors") {
  const two_gpus t;
  const auto v = some<int>(500);
  wf::sharded<int> x(t.gpus(), v);
  const int* const memory = x.shard(1).data();
  const wf::sharded<int> y = std::move(x);
  CHECK(y.shard(1).data() == memory);
  CHECK(y.to_host() == v);
  CHECK(x.size() == 0);
  CHECK_THROWS_AS(wf::sharded<int>(wf::devices{0, 63}, v), wf::error);
  try {
    const wf::sharded<char> huge(t.gpus(), std::size_t{1} << 44);
    FAIL("nothing was thrown");
  } catch (const wf::out_of_memory& e) {
    CHECK(std::string(e.what()).find("for a shard of 8796093022208 bytes on GPU 0") !=
          std::string::npos);
  }
  CHECK(wf::sum(wf::across(t.gpus()), y) == wf::sum(wf::seq, v));
}
