/// @file
/// needs: cccl
/// Queries about streams that are being captured into a graph.
#pragma once

#include <warpfold/runtime/cuda_check.hpp>

namespace warpfold::runtime {

/// True if `stream` is being captured into a graph.
inline bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

/// Identifies a capture: its graph, CUDA's unique number of the capture, and the stream. All
/// members are 0 if the stream is not being captured.
struct stream_capture {
  cudaGraph_t graph = nullptr;
  unsigned long long id = 0;
  cudaStream_t stream = nullptr;

  bool operator==(const stream_capture&) const = default;
};

/// The capture of a stream.
/// @throws cuda_error if the capture is invalid
inline stream_capture capture_of(cudaStream_t stream) {
  stream_capture c;
  if (!is_capturing(stream)) return c;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
#if CUDART_VERSION >= 13000
  check(cudaStreamGetCaptureInfo(stream, &status, &c.id, &c.graph, nullptr, nullptr, nullptr),
        "cudaStreamGetCaptureInfo");
#else
  check(cudaStreamGetCaptureInfo_v2(stream, &status, &c.id, &c.graph, nullptr, nullptr),
        "cudaStreamGetCaptureInfo");
#endif
  if (status == cudaStreamCaptureStatusInvalidated) {
    throw_cuda_error(cudaErrorStreamCaptureInvalidated, "the capture of the stream");
  }
  c.stream = stream;
  return c;
}

/// The graph that `stream` is being captured into, or null.
inline cudaGraph_t capturing_graph(cudaStream_t stream) { return capture_of(stream).graph; }

/// Refuses a call that waits for its result on a stream that is being captured. The capture stays
/// valid.
/// @param stream the stream of the call
/// @param call the name of the call in the message; the call that does not wait has this name with
///     `_async`
/// @throws cuda_error if the stream is being captured
inline void require_not_capturing(cudaStream_t stream, const char* call = "reduce") {
  if (!is_capturing(stream)) return;
  throw_error<cuda_error>(
      cudaErrorStreamCaptureUnsupported,
      message("warpfold: ", call,
              " waits for its result, which is not possible on a stream that is being "
              "captured into a graph; use ",
              call, "_async"));
}

/// Allows CUDA calls of this thread that a capture in progress would forbid, such as allocations,
/// while this object lives. They concern memory that no capture uses.
class relaxed_capture {
 public:
  relaxed_capture() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~relaxed_capture() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  relaxed_capture(const relaxed_capture&) = delete;  // it restores the mode once
  relaxed_capture& operator=(const relaxed_capture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace warpfold::runtime
