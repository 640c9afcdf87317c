// Folds along an axis on the GPU.
#include <cuda_fp16.h>

#include "contract/axis_contract.hpp"
#include "contract/device_memory.hpp"
#include "contract/resources.hpp"

namespace {

struct fixture : test::device_memory, test::target_in<test::device_memory> {
  static constexpr std::size_t many_rows = 2400;
  static auto policy() { return wf::device; }
};

}  // namespace

TEST_CASE_TEMPLATE_APPLY(axis_matrices, test::axis_folds<fixture>);
TEST_CASE_TEMPLATE_APPLY(axis_long, test::axis_folds<fixture>);
TEST_CASE_TEMPLATE_APPLY(axis_many_rows, test::axis_folds<fixture>);
TEST_CASE_TEMPLATE_INVOKE(axis_ranks, fixture);
TEST_CASE_TEMPLATE_INVOKE(axis_outputs, fixture);
TEST_CASE_TEMPLATE_INVOKE(axis_empty, fixture);
TEST_CASE_TEMPLATE_INVOKE(axis_errors, fixture);
TEST_CASE_TEMPLATE_INVOKE(axis_repeats, fixture);

TEST_CASE("folds along an axis of halves, and with a lambda of the GPU's") {
  constexpr std::size_t rows = 1003, columns = 24;
  std::vector<__half> host(rows * columns);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = __float2half(static_cast<float>(i % 5));
  const wf::device_buffer<__half> halves(host);
  const test::cs::mdspan<const __half, test::cs::dextents<int, 2>> m(halves.data(), rows, columns);
  wf::device_buffer<float> sums(columns), greatest(rows);
  wf::reduce_axis<0>(wf::device, m, wf::plus{}, sums);
  wf::reduce_axis<1>(
      wf::device, m, [] __device__(__half a, __half b) { return __hgt(a, b) ? a : b; }, greatest);
  std::vector<float> expected(columns);
  for (std::size_t i = 0; i < host.size(); ++i) {
    expected[i % columns] += static_cast<float>(i % 5);
  }
  CHECK(sums.to_host() == expected);
  CHECK(greatest.to_host() == std::vector<float>(rows, 4));
}

TEST_CASE("few rows of halves that do not start at words") {
  constexpr std::size_t columns = 1501;
  for (std::size_t rows = 1; rows <= 8; ++rows) {
    INFO(rows, " rows");
    std::vector<__half> host(rows * columns + 1);
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = __float2half(static_cast<float>(i % 7));
    const wf::device_buffer<__half> halves(host);
    const test::cs::mdspan<const __half, test::cs::dextents<int, 2>> m(halves.data() + 1, rows,
                                                                       columns);
    wf::device_buffer<float> sums(columns);
    wf::reduce_axis<0>(wf::device, m, wf::plus{}, sums);
    std::vector<float> expected(columns);
    for (std::size_t i = 0; i + 1 < host.size(); ++i) {
      expected[i % columns] += static_cast<float>((i + 1) % 7);
    }
    CHECK(sums.to_host() == expected);
  }
}

TEST_CASE("folds along an axis in their stream's order, in graphs, with scratch from elsewhere") {
  // Few results of many elements: the kernels split the axis and keep states in scratch memory.
  constexpr std::size_t n = 1 << 21;
  const std::vector<int> ones(n, 1), twos(n, 2);
  wf::device_buffer<int> v(ones);
  const wf::device_buffer<int> other(twos);
  wf::device_buffer<long long> columns(16), rows(4);
  const test::cs::mdspan<const int, test::cs::dextents<std::size_t, 2>> tall(v.data(), n / 16, 16);
  const test::cs::mdspan<const int, test::cs::dextents<std::size_t, 2>> wide(v.data(), 4, n / 4);
  const auto fold = [&](const auto& policy) {
    wf::reduce_axis_async<0>(policy, tall, wf::plus{}, columns);
    wf::reduce_axis_async<1>(policy, wide, wf::plus{}, rows);
  };
  const auto sums = [&](long long of_ones) {
    return columns.to_host() == std::vector<long long>(16, of_ones * (n / 16)) &&
           rows.to_host() == std::vector<long long>(4, of_ones * (n / 4));
  };
  const test::own_stream stream;
  const auto policy = wf::device.on(stream.get());

  fold(policy);
  stream.wait();
  CHECK(sums(1));

  cudaGraph_t graph{};
  cudaGraphExec_t exec{};
  const auto check = [](cudaError_t e) { wf::runtime::check(e, "a call of the test's"); };
  check(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
  fold(policy);
  CHECK_THROWS_AS(wf::reduce_axis<0>(policy, tall, wf::plus{}, columns), wf::cuda_error);
  check(cudaStreamEndCapture(stream.get(), &graph));
  check(cudaGraphInstantiate(&exec, graph, 0));
  check(cudaMemcpyAsync(v.data(), other.data(), n * sizeof(int), cudaMemcpyDeviceToDevice,
                        stream.get()));
  check(cudaGraphLaunch(exec, stream.get()));
  stream.wait();
  CHECK(sums(2));
  check(cudaGraphExecDestroy(exec));
  check(cudaGraphDestroy(graph));

  check(cudaMemsetAsync(columns.data(), 0, columns.size() * sizeof(long long), stream.get()));
  wf::workspace scratch;
  fold(policy.with(scratch));
  stream.wait();
  CHECK(sums(2));

  check(cudaMemsetAsync(rows.data(), 0, rows.size() * sizeof(long long), stream.get()));
  test::pool pool;
  fold(policy.with(pool));
  stream.wait();
  CHECK(sums(2));
  CHECK(pool.given > 0);
  CHECK(pool.given == pool.taken);
}
