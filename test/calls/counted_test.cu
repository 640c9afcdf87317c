// Ranges whose size lies in the memory of the GPU; a graph that is replayed with another size.
#include <cuda_runtime.h>

#include <limits>

#include "contract/counted_contract.hpp"
#include "contract/device_memory.hpp"

namespace {

struct fixture : test::device_memory {
  static auto policy() { return wf::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(counted_ranges, fixture);
TEST_CASE_TEMPLATE_INVOKE(counted_rounds, fixture);

TEST_CASE("a count above the size of the range, or below 0, reads nothing else") {
  const test::device_memory::array<int> v(std::vector<int>{1, 2, 3}, 0);
  const auto range = test::range_of<fixture, int>(v, 3);
  for (const int n : {-1, 3, 4, 1 << 30}) {
    const test::device_memory::array<int> count(std::vector<int>{n}, 0);
    CHECK(wf::sum(wf::device, wf::counted(range, count.data())) == (n < 0 ? 0 : 6));
  }
}

TEST_CASE("a count of 0 has no index, and its least element is the identity") {
  const test::device_memory::array<int> v(std::vector<int>{1, 2, 3}, 0);
  const test::device_memory::array<int> count(std::vector<int>{0}, 0);
  const auto some = wf::counted(test::range_of<fixture, int>(v, 3), count.data());
  CHECK_THROWS_AS((void)wf::argmin(wf::device, some), wf::empty_range);
  CHECK_THROWS_AS((void)wf::argminmax(wf::device, some), wf::empty_range);
  CHECK(wf::min(wf::device, some) == std::numeric_limits<int>::max());
}

TEST_CASE("a graph is replayed with another size") {
  constexpr std::size_t limit = 1 << 20;
  const test::device_memory::array<float> v(std::vector<float>(limit, 1.0f), 0);
  const test::device_memory::array<unsigned> count(std::vector<unsigned>{7}, 0);
  test::device_memory::slot<float> slot;
  cudaStream_t stream;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  wf::sum_async(wf::device.on(stream),
                wf::counted(test::range_of<fixture, float>(v, limit), count.data()),
                slot.pointer());
  cudaGraph_t graph;
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  cudaGraphExec_t replay;
  REQUIRE(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
  for (const unsigned n : {7u, 0u, 1000u, 1u << 20, 65537u}) {
    REQUIRE(cudaMemcpy(const_cast<unsigned*>(count.data()), &n, sizeof n, cudaMemcpyDefault) ==
            cudaSuccess);
    REQUIRE(cudaGraphLaunch(replay, stream) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(slot.value() == static_cast<float>(n));
  }
  cudaGraphExecDestroy(replay);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}
