// Transformations of segments whose number or elements the memory of the GPU counts.
#include <algorithm>
#include <utility>

#include <cuda_runtime.h>

#include "contract/counted_segment_transforms_contract.hpp"
#include "contract/device_memory.hpp"

namespace {

struct fixture : test::device_memory, test::target_in<test::device_memory> {
  static auto policy() { return wf::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(counted_segments_transformed, fixture);
TEST_CASE_TEMPLATE_INVOKE(counted_segments_softmax, fixture);

TEST_CASE("a graph transforms other numbers of segments and elements at each replay") {
  constexpr std::size_t segments = 3000, each = 7, n = segments * each;
  std::vector<int> offsets(segments + 1);
  for (std::size_t s = 0; s <= segments; ++s) offsets[s] = static_cast<int>(s * each);
  const test::device_memory::array<int> bounds(offsets, 0);
  const test::device_memory::array<int> values(std::vector<int>(n, 2), 0);
  test::device_memory::array<int> counts(std::vector<int>{0, 0}, 0);
  int* const numbers = const_cast<int*>(counts.data());
  fixture::target<std::int64_t> out(std::vector<std::int64_t>(n, 7), 0);
  cudaStream_t stream;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  wf::transform_segments_async(
      wf::device.on(stream), wf::counted(std::span<const int>(values.data(), n), numbers + 1),
      wf::counted(std::span<const int>(bounds.data(), segments + 1), numbers), wf::plus{},
      std::span<std::int64_t>(out.data(), n), test::scaled_and_fold{});
  cudaGraph_t graph;
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  cudaGraphExec_t replay;
  REQUIRE(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
  for (const auto& [s, e] :
       {std::pair{5, 1 << 30}, {3000, 700}, {-1, 20}, {20, 70}, {4000, 21000}}) {
    INFO(s, " segments, ", e, " elements");
    const std::vector<std::int64_t> blank(n, 7);
    const int both[] = {s, e};
    REQUIRE(cudaMemcpy(out.data(), blank.data(), n * sizeof blank[0], cudaMemcpyDefault) ==
            cudaSuccess);
    REQUIRE(cudaMemcpy(numbers, both, sizeof both, cudaMemcpyDefault) == cudaSuccess);
    REQUIRE(cudaGraphLaunch(replay, stream) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
    const auto up_to = [](int most, std::size_t limit) {
      const std::size_t there = most < 0 ? 0 : static_cast<std::size_t>(most);
      return there < limit ? there : limit;
    };
    const std::size_t of_segments = up_to(s, segments) * each, of_range = up_to(e, n);
    const auto got = out.values();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t first = i / each * each, end = std::min(first + each, of_range);
      const bool is_there = i < of_range && i < of_segments;
      wrong += got[i] != (is_there ? 6 - 2 * static_cast<std::int64_t>(end - first) : 7);
    }
    CHECK(wrong == 0);
  }
  cudaGraphExecDestroy(replay);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}
