// Calls along axes of arrays whose rows the memory of the GPU counts.
#include <cuda_runtime.h>

#include "contract/counted_rows_contract.hpp"
#include "contract/device_memory.hpp"

namespace {

struct fixture : test::device_memory, test::target_in<test::device_memory> {
  static auto policy() { return wf::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(counted_rows_summed, fixture);
TEST_CASE_TEMPLATE_INVOKE(counted_rows_softmax, fixture);

TEST_CASE("a graph is replayed with other numbers of rows, also above the limit and below 0") {
  for (const std::size_t columns : {3u, 64u, 1000u, 20000u, 60000u}) {
    const std::size_t rows = columns > 10000 ? 9 : 300, all = rows * columns;
    INFO(rows, " x ", columns);
    const auto b = test::right<2>({rows, columns});
    const auto values = test::elements_of_rows<float>(all);
    const test::device_memory::array<float> in(values, 0);
    test::device_memory::slot<int> count;
    fixture::target<float> sums(std::vector<float>(rows, 7), 0);
    fixture::target<float> shares(std::vector<float>(all, 7), 0);
    const auto m = test::span_of<const float>(in.data(), b);
    const std::span<float> sums_to(sums.data(), rows), shares_to(shares.data(), all);

    wf::reduce_axis<1>(wf::device, m, wf::plus{}, sums_to);
    wf::transform_axis<1>(wf::device, m, wf::softmax_op{}, shares_to);
    const auto all_sums = sums.values(), all_shares = shares.values();

    cudaStream_t stream;
    REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
    REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
    const auto some = wf::counted(m, static_cast<const int*>(count.pointer()));
    wf::reduce_axis_async<1>(wf::device.on(stream), some, wf::plus{}, sums_to);
    wf::transform_axis_async<1>(wf::device.on(stream), some, wf::softmax_op{}, shares_to);
    cudaGraph_t graph;
    REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
    cudaGraphExec_t replay;
    REQUIRE(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
    const int most = static_cast<int>(rows);
    for (const int n : {1, most / 2, -3, most - 1, 0, most, most + 1000}) {
      INFO(n, " rows");
      const std::size_t there = static_cast<std::size_t>(n < 0 ? 0 : n > most ? most : n);
      const std::vector<float> blank(all, 7);
      for (const auto to : {sums_to, shares_to}) {
        REQUIRE(cudaMemcpy(to.data(), blank.data(), to.size_bytes(), cudaMemcpyDefault) ==
                cudaSuccess);
      }
      REQUIRE(cudaMemcpy(count.pointer(), &n, sizeof n, cudaMemcpyDefault) == cudaSuccess);
      REQUIRE(cudaGraphLaunch(replay, stream) == cudaSuccess);
      REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
      test::check_results(sums.values(), all_sums, there, 7.0f);
      test::check_results(shares.values(), all_shares, there * columns, 7.0f);
    }
    cudaGraphExecDestroy(replay);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
  }
}
