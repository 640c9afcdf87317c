// Exact sums on the GPU: the same bits as on the host, by kernels that post their states and by
// those that write and count them.
#include <warpfold/op/exact.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include <cuda/std/mdspan>

#include <doctest/doctest.h>

#include <warpfold/reduce_axis.hpp>

#include "contract/device_memory.hpp"

namespace wf = warpfold;

namespace {

/// Numbers of both signs whose exponents differ by up to `binades`.
template <class T>
std::vector<T> scattered(std::size_t n, int binades) {
  std::vector<T> v(n);
  std::uint64_t bits = 88172645463325252ull;
  for (T& x : v) {
    bits ^= bits << 13;
    bits ^= bits >> 7;
    bits ^= bits << 17;
    const T fraction = static_cast<T>(bits >> 40) / static_cast<T>(1 << 24) + T{1};
    const T size = std::ldexp(fraction, static_cast<int>(bits % static_cast<unsigned>(binades)));
    x = (bits >> 32 & 1) != 0 ? size : -size;
  }
  return v;
}

}  // namespace

TEST_CASE_TEMPLATE("exact sums have the bits of the host", T, float, double) {
  for (const std::size_t n : {0, 1, 33, 5000, 1'000'003}) {
    for (const int binades : {1, 20, 100}) {
      CAPTURE(n);
      CAPTURE(binades);
      const std::vector<T> host = scattered<T>(n, binades);
      const wf::device_buffer<T> v(host);
      const T want = wf::reduce(wf::seq, host, wf::plus{}.exact());
      CHECK(wf::reduce(wf::device, v, wf::plus{}.exact()) == want);
    }
  }
}

TEST_CASE("exact column sums have the bits of the host") {
  constexpr std::size_t rows = 3000, columns = 5;
  using matrix = cuda::std::mdspan<const float, cuda::std::dextents<std::size_t, 2>>;
  const std::vector<float> host = scattered<float>(rows * columns, 60);
  const wf::device_buffer<float> v(host);
  std::vector<float> want(columns);
  wf::device_buffer<float> sums(columns);
  wf::reduce_axis<0>(wf::seq, matrix(host.data(), rows, columns), wf::plus{}.exact(), want);
  wf::reduce_axis<0>(wf::device, matrix(v.data(), rows, columns), wf::plus{}.exact(), sums);
  CHECK(sums.to_host() == want);
}

TEST_CASE("exact sums in a graph") {
  const std::vector<double> host = scattered<double>(200'000, 500);
  const wf::device_buffer<double> v(host);
  wf::device_buffer<double> sum(1);
  const test::own_stream stream;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t replay = nullptr;
  REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
  wf::reduce_async(wf::device.on(stream.get()), v, wf::plus{}.exact(), sum.data());
  REQUIRE(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);
  REQUIRE(cudaGraphInstantiate(&replay, graph, 0) == cudaSuccess);
  for (int i = 0; i < 3; ++i) {
    REQUIRE(cudaGraphLaunch(replay, stream.get()) == cudaSuccess);
    stream.wait();
    CHECK(sum.to_host()[0] == wf::reduce(wf::seq, host, wf::plus{}.exact()));
  }
  (void)cudaGraphExecDestroy(replay);
  (void)cudaGraphDestroy(graph);
}
