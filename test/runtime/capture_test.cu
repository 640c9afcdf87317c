// Streams that are being captured: recognized, refused without an end of the capture, and relaxed
// for allocations.
#include <warpfold/runtime/capture.hpp>

#include <doctest/doctest.h>

#include "contract/device_memory.hpp"

namespace wf = warpfold;

namespace {

namespace runtime = wf::runtime;

/// The mode in which this thread's calls are checked against captures.
cudaStreamCaptureMode mode_of_thread() {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  REQUIRE(cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess);
  const cudaStreamCaptureMode was = mode;
  REQUIRE(cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess);
  return was;
}

}  // namespace

TEST_CASE("a stream is captured from the begin of a capture to its end") {
  const test::own_stream stream, other;
  CHECK_FALSE(runtime::is_capturing(stream.get()));
  CHECK(runtime::capturing_graph(stream.get()) == nullptr);
  runtime::require_not_capturing(stream.get());

  REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
  CHECK(runtime::is_capturing(stream.get()));
  CHECK_FALSE(runtime::is_capturing(other.get()));
  CHECK(runtime::capturing_graph(stream.get()) != nullptr);
  CHECK_THROWS_WITH_AS(runtime::require_not_capturing(stream.get(), "sum"),
                       doctest::Contains("use sum_async"), wf::cuda_error);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);  // nothing spoiled it
  CHECK_FALSE(runtime::is_capturing(stream.get()));
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
}

TEST_CASE("relaxed_capture allows an allocation during a capture, and restores the mode") {
  const test::own_stream stream;
  const cudaStreamCaptureMode before = mode_of_thread();
  REQUIRE(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeGlobal) == cudaSuccess);
  void* p = nullptr;
  {
    const runtime::relaxed_capture relaxed;
    CHECK(mode_of_thread() == cudaStreamCaptureModeRelaxed);
    CHECK(cudaMalloc(&p, 256) == cudaSuccess);
  }
  CHECK(mode_of_thread() == before);
  cudaGraph_t graph = nullptr;
  CHECK(cudaStreamEndCapture(stream.get(), &graph) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaFree(p) == cudaSuccess);
}
