// Folds of runs of keys and of classes whose number of keys or labels the memory of the GPU holds.
#include <algorithm>

#include <cuda_runtime.h>

#include "contract/counted_keys_contract.hpp"
#include "contract/device_memory.hpp"

namespace {

struct fixture : test::device_memory, test::target_in<test::device_memory> {
  static auto policy() { return wf::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(counted_keys, fixture);
TEST_CASE_TEMPLATE_INVOKE(counted_long_keys, fixture);
TEST_CASE_TEMPLATE_INVOKE(counted_labels, fixture);

TEST_CASE("a graph folds other numbers of keys and labels at each replay") {
  constexpr std::size_t limit = 20000, classes = 5;
  std::vector<int> keys(limit), labels(limit);
  for (std::size_t i = 0; i < limit; ++i) {
    keys[i] = static_cast<int>(i / 7);
    labels[i] = static_cast<int>(i % classes);
  }
  const test::device_memory::array<int> keys_in(keys, 0), labels_in(labels, 0);
  test::device_memory::slot<int> count;
  test::device_memory::slot<std::size_t> runs;
  fixture::target<int> unique(std::vector<int>(limit, -1), 0), lengths(unique.values(), 0);
  fixture::target<int> counts(std::vector<int>(classes, -1), 0);
  const int* const number = count.pointer();
  cudaStream_t stream;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  const auto policy = wf::device.on(stream);
  wf::run_lengths_async(policy, wf::counted(test::range_of<fixture, int>(keys_in, limit), number),
                        unique.data(), lengths.data(), runs.pointer());
  wf::count_by_class_async(policy,
                           wf::counted(test::range_of<fixture, int>(labels_in, limit), number),
                           classes, std::span<int>(counts.data(), classes));
  cudaGraph_t graph;
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  cudaGraphExec_t replay;
  REQUIRE(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
  for (const int n : {5, 20000, -1, 4096, 0, 12345, 1 << 30}) {
    INFO(n, " keys");
    REQUIRE(cudaMemcpy(count.pointer(), &n, sizeof n, cudaMemcpyDefault) == cudaSuccess);
    REQUIRE(cudaGraphLaunch(replay, stream) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
    const std::size_t there = std::min(static_cast<std::size_t>(n < 0 ? 0 : n), limit);
    CHECK(runs.value() == (there + 6) / 7);
    const auto length = lengths.values();
    std::size_t wrong = 0;
    for (std::size_t r = 0; r < (there + 6) / 7; ++r) {
      wrong += length[r] != static_cast<int>(std::min(there - r * 7, std::size_t{7}));
    }
    CHECK(wrong == 0);
    const auto each = counts.values();
    for (std::size_t c = 0; c < classes; ++c) {
      CHECK(each[c] == static_cast<int>((there + classes - 1 - c) / classes));
    }
  }
  cudaGraphExecDestroy(replay);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}
