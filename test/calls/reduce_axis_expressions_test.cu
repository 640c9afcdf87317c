// Folds of expressions of several arrays on the GPU.
#include <cuda_fp16.h>

#include "contract/device_memory.hpp"
#include "contract/expression_contract.hpp"
#include "contract/resources.hpp"

namespace {

struct fixture : test::device_memory, test::target_in<test::device_memory> {
  static auto policy() { return wf::device; }
};

using matrix = test::cs::mdspan<const float, test::cs::dextents<std::size_t, 2>>;

}  // namespace

TEST_CASE_TEMPLATE_INVOKE(expression_products, fixture);
TEST_CASE_TEMPLATE_INVOKE(expression_broadcasts, fixture);
TEST_CASE_TEMPLATE_INVOKE(expression_functions, fixture);
TEST_CASE_TEMPLATE_INVOKE(expression_axes, fixture);
TEST_CASE_TEMPLATE_INVOKE(expression_outputs, fixture);
TEST_CASE_TEMPLATE_INVOKE(expression_accumulates, fixture);
TEST_CASE_TEMPLATE_INVOKE(expression_errors, fixture);

TEST_CASE("256 dot products of 4096 elements, captured into a graph") {
  constexpr std::size_t rows = 256, columns = 4096;
  const wf::device_buffer<float> a(std::vector<float>(rows * columns, 2));
  const wf::device_buffer<float> b(std::vector<float>(rows * columns, 3));
  wf::device_buffer<float> out(rows);
  const test::own_stream stream;
  const auto products =
      wf::project(wf::zip(matrix(a.data(), rows, columns), matrix(b.data(), rows, columns)),
                  [] __host__ __device__(float x, float y) { return x * y; });
  const auto check = [](cudaError_t e) { wf::runtime::check(e, "a call of the test's"); };
  cudaGraph_t graph{};
  cudaGraphExec_t exec{};
  wf::reduce_axis_async<1>(wf::device.on(stream.get()), products, wf::plus{}, out);
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  wf::reduce_axis_async<1>(wf::device.on(stream.get()), products, wf::plus{}, out);
  check(cudaStreamEndCapture(stream.get(), &graph));
  check(cudaGraphInstantiate(&exec, graph, 0));
  std::size_t nodes = 0;
  check(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(nodes == 1);
  check(cudaMemsetAsync(out.data(), 0, rows * sizeof(float), stream.get()));
  check(cudaGraphLaunch(exec, stream.get()));
  stream.wait();
  CHECK(out.to_host() == std::vector<float>(rows, 6 * columns));
  check(cudaGraphExecDestroy(exec));
  check(cudaGraphDestroy(graph));
}

TEST_CASE("halves beside floats, and a lambda of the GPU's") {
  constexpr std::size_t rows = 40, columns = 72;
  std::vector<__half> host(rows * columns);
  std::vector<float> weights(columns), expected(rows);
  for (std::size_t i = 0; i < columns; ++i) weights[i] = static_cast<float>(i % 3);
  for (std::size_t i = 0; i < host.size(); ++i) {
    host[i] = __float2half(static_cast<float>(i % 5));
    expected[i / columns] += static_cast<float>(i % 5) * weights[i % columns];
  }
  const wf::device_buffer<__half> halves(host);
  const wf::device_buffer<float> w(weights);
  wf::device_buffer<float> out(rows), greatest(columns);
  const test::cs::mdspan<const __half, test::cs::dextents<int, 2>> m(halves.data(), rows, columns);
  wf::reduce_axis<1>(
      wf::device,
      wf::project(wf::zip(m, wf::broadcast<1>(w)),
                  [] __host__ __device__(__half x, float y) { return __half2float(x) * y; }),
      wf::plus{}, out);
  CHECK(out.to_host() == expected);
  wf::reduce_axes<0>(
      wf::device, wf::project(m, [] __host__ __device__(__half x) { return -__half2float(x); }),
      [] __device__(float a, float b) { return a < b ? b : a; }, greatest);
  CHECK(greatest.to_host() == std::vector<float>(columns, 0));
}
