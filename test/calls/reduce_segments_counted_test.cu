// Folds of segments whose number or elements the memory of the GPU counts.
#include <cuda_runtime.h>

#include <warpfold/reduce_by_key.hpp>

#include "contract/counted_segments_contract.hpp"
#include "contract/device_memory.hpp"

namespace {

struct fixture : test::device_memory, test::target_in<test::device_memory> {
  static auto policy() { return wf::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(counted_segment_numbers, fixture);
TEST_CASE_TEMPLATE_INVOKE(counted_segment_elements, fixture);
TEST_CASE_TEMPLATE_INVOKE(counted_segment_both, fixture);
TEST_CASE_TEMPLATE_INVOKE(counted_segment_rows, fixture);

TEST_CASE("a count of segments above their number, or below 0") {
  const test::device_memory::array<int> v(std::vector<int>{1, 2, 3, 4}, 0);
  const test::device_memory::array<int> offsets(std::vector<int>{0, 1, 4}, 0);
  const auto range = test::range_of<fixture, int>(v, 4);
  const auto bounds = test::range_of<fixture, int>(offsets, 3);
  for (const int n : {-1, 2, 3, 1 << 30}) {
    const test::device_memory::array<int> count(std::vector<int>{n}, 0);
    fixture::target<int> out(std::vector<int>{7, 7}, 0);
    wf::reduce_segments(wf::device, range, wf::counted(bounds, count.data()), wf::plus{},
                        std::span<int>(out.data(), 2));
    CHECK(out.values() == (n < 0 ? std::vector<int>{7, 7} : std::vector<int>{1, 9}));
  }
}

TEST_CASE("a graph finds runs of keys and folds as many segments, without the host") {
  constexpr std::size_t limit = 20000;
  std::vector<int> keys(limit), offsets{0};
  for (std::size_t i = 0; i < limit; ++i) keys[i] = static_cast<int>(i / 7);
  while (offsets.size() <= limit) offsets.push_back(static_cast<int>(offsets.size()));
  const test::device_memory::array<int> keys_in(keys, 0), bounds(offsets, 0);
  test::device_memory::array<std::size_t> runs(std::vector<std::size_t>{0}, 0);
  fixture::target<int> unique(std::vector<int>(limit, -1), 0),
      lengths(std::vector<int>(limit, -1), 0);
  fixture::target<long long> sums(std::vector<long long>(limit, -1), 0);
  const auto all = test::range_of<fixture, int>(keys_in, limit);
  auto* const number = const_cast<std::size_t*>(runs.data());
  cudaStream_t stream;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  wf::run_lengths_async(wf::device.on(stream), all, unique.data(), lengths.data(), number);
  // Each run's length, as a segment of one element.
  wf::reduce_segments_async(wf::device.on(stream), std::span<const int>(lengths.data(), limit),
                            wf::counted(test::range_of<fixture, int>(bounds, limit + 1), number),
                            wf::plus{}, sums.data());
  cudaGraph_t graph;
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  cudaGraphExec_t replay;
  REQUIRE(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
  std::size_t most = 0;
  for (const int length : {7, 1000, 5}) {
    for (std::size_t i = 0; i < limit; ++i) keys[i] = static_cast<int>(i) / length;
    REQUIRE(cudaMemcpy(const_cast<int*>(keys_in.data()), keys.data(), limit * sizeof(int),
                       cudaMemcpyDefault) == cudaSuccess);
    REQUIRE(cudaGraphLaunch(replay, stream) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
    const std::size_t found = (limit - 1) / static_cast<std::size_t>(length) + 1;
    most = found > most ? found : most;
    const auto got = sums.values();
    std::size_t wrong = 0;
    for (std::size_t s = 0; s + 1 < found; ++s) wrong += got[s] != length;
    for (std::size_t s = most; s < limit; ++s) wrong += got[s] != -1;
    CHECK(wrong == 0);
  }
  cudaGraphExecDestroy(replay);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}
