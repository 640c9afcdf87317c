// Folds of classes on the GPU.
#include <limits>

#include <warpfold/reduce_by_class.hpp>

#include "contract/classes_contract.hpp"
#include "contract/device_memory.hpp"

namespace {

struct fixture : test::device_memory, test::target_in<test::device_memory> {
  static auto policy() { return wf::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(class_folds, fixture);
TEST_CASE_TEMPLATE_INVOKE(class_states, fixture);
TEST_CASE_TEMPLATE_INVOKE(class_depths, fixture);
TEST_CASE_TEMPLATE_INVOKE(class_labels, fixture);

TEST_CASE("many values, and more classes than one block has room for") {
  test::check_classes<fixture>(test::labeling::uniform, 3'000'001, 64);
  test::check_classes<fixture>(test::labeling::equal, 3'000'001, 64);
  test::check_classes<fixture>(test::labeling::skewed, 1'000'000, 65536);
}

TEST_CASE("values with wrong labels are left out, and empty classes may stay as they are") {
  const std::vector<int> labels{0, 3, -1, 2, 1000, 2, std::numeric_limits<int>::min()};
  const std::vector<int> values{1, 2, 4, 8, 16, 32, 64};
  const wf::device_buffer<int> l(labels), v(values);
  wf::device_buffer<int> out(std::vector<int>(3, 7));
  wf::reduce_by_class(wf::device, l, v, 3, wf::plus{}, out);
  CHECK(out.to_host() == std::vector<int>{1, 0, 40});
  wf::count_by_class(wf::device, l, 3, out);
  CHECK(out.to_host() == std::vector<int>{1, 0, 2});
  out = wf::device_buffer<int>(std::vector<int>(3, 7));
  wf::reduce_by_class(wf::device, l, v, 3, test::larger_of_two{}, out);
  CHECK(out.to_host() == std::vector<int>{1, 7, 32});
}

TEST_CASE("captured in a graph and replayed with other labels") {
  cudaStream_t stream{};
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  wf::device_buffer<int> labels(std::vector<int>{0, 1, 1, 1});
  wf::device_buffer<int> out(std::vector<int>(2, -1));
  cudaGraph_t graph{};
  cudaGraphExec_t exec{};
  REQUIRE(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  wf::count_by_class_async(wf::device.on(stream), labels, 2, out);
  REQUIRE(cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(exec, stream) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(out.to_host() == std::vector<int>{1, 3});
  REQUIRE(cudaMemset(labels.data(), 0, 4 * sizeof(int)) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(exec, stream) == cudaSuccess);
  REQUIRE(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(out.to_host() == std::vector<int>{4, 0});
  CHECK(cudaGraphExecDestroy(exec) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}
