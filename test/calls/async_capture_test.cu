// Captures in every mode, also if they contain the first calls of the process: nothing that the
// library does besides its launches ends a capture, whichever thread captures.
#include <cmath>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <cuda/std/mdspan>

#include <doctest/doctest.h>

#include <warpfold/norm.hpp>
#include <warpfold/reduce_axis.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>
#include <warpfold/transform.hpp>

#include "contract/device_memory.hpp"

namespace wf = warpfold;

namespace {

struct times {
  const double* factor;
  WARPFOLD_HD double operator()(double x) const { return x * *factor; }
};

/// Runs the test case `name`, without a comma, of this program in a process of its own, with the
/// capture mode `mode`.
int run_alone(const char* name, cudaStreamCaptureMode mode) {
  setenv("WARPFOLD_TEST_CAPTURE_MODE", std::to_string(mode).c_str(), 1);
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "/proc/self/exe", "--no-skip",
          (std::string("--test-case=") + name).c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

cudaStreamCaptureMode mode_of_test() {
  const char* const mode = std::getenv("WARPFOLD_TEST_CAPTURE_MODE");
  return static_cast<cudaStreamCaptureMode>(mode == nullptr ? 0 : std::atoi(mode));
}

}  // namespace

TEST_CASE("first calls of a captured process" * doctest::skip()) {
  constexpr std::size_t rows = 2000, columns = 512, n = rows * columns;
  const test::own_stream stream;
  const auto on = wf::device.on(stream.get());
  wf::device_buffer<double> v(std::vector<double>(n, 2.0)), sums(columns), results(5);
  using matrix = cuda::std::mdspan<const double, cuda::std::dextents<std::size_t, 2>>;
  double* const out = results.data();
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamBeginCapture(stream.get(), mode_of_test()) == cudaSuccess);
  wf::sum_async(on, v.data(), 3, out);        // 6 in one block
  wf::norm_2_async(on, v, out + 1);           // in a grid
  wf::transform_async(on, v, v, times{out});  // now 12
  wf::mean_async(on, v, out + 2);
  wf::sum_async(on, v.data(), 10, wf::accumulate(out));  // 126
  wf::reduce_async(on, v, wf::value_at(out), wf::maximum{}, out + 3);
  wf::reduce_axis_async<0>(on, matrix(v.data(), rows, columns), wf::plus{}, sums);
  wf::reduce_async(on, sums, wf::minimum{}, out + 4);
  REQUIRE(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);
  CHECK(cudaGetLastError() == cudaSuccess);
  cudaGraphExec_t instance = nullptr;
  REQUIRE(cudaGraphInstantiate(&instance, graph, 0) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(instance, stream.get()) == cudaSuccess);
  stream.wait();
  const std::vector<double> got = results.to_host();
  CHECK(got[0] == 126);
  CHECK(got[1] == doctest::Approx(2 * std::sqrt(static_cast<double>(n))));
  CHECK(got[2] == 12);
  CHECK(got[3] == 126);
  CHECK(got[4] == 12.0 * rows);
  (void)cudaGraphExecDestroy(instance);
  (void)cudaGraphDestroy(graph);
}

TEST_CASE("first calls of a process while another thread captures" * doctest::skip()) {
  const test::own_stream captured, other;
  const wf::device_buffer<double> v(std::vector<double>(100'000, 2.0));
  wf::device_buffer<double> results(std::vector<double>(2, -1.0));
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamBeginCapture(captured.get(), mode_of_test()) == cudaSuccess);
  std::string error;
  std::thread([&] {
    try {
      wf::mean_async(wf::device.on(other.get()), v, results.data());
    } catch (const std::exception& e) {
      error = e.what();
    }
  }).join();
  CHECK(error == "");
  wf::sum_async(wf::device.on(captured.get()), v, results.data() + 1);
  REQUIRE(cudaStreamEndCapture(captured.get(), &graph) == cudaSuccess);
  other.wait();
  CHECK(results.to_host()[0] == 2);
  (void)cudaGraphDestroy(graph);
}

TEST_CASE("every capture mode") {
  for (const auto mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                          cudaStreamCaptureModeRelaxed}) {
    INFO("mode ", static_cast<int>(mode));
    CHECK(run_alone("first calls of a captured process", mode) == 0);
    CHECK(run_alone("first calls of a process while another thread captures", mode) == 0);
  }
}
