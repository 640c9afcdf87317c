/// @file
/// needs: cuda
/// What must be known of a stream that is being captured into a graph.
#pragma once

#include <warpfold/runtime/cuda_check.hpp>

namespace warpfold::runtime {

/// Whether `stream` is being captured into a graph.
inline bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

/// The graph that `stream` is being captured into, or null.
inline cudaGraph_t capturing_graph(cudaStream_t stream) {
  if (!is_capturing(stream)) return nullptr;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr;
#if CUDART_VERSION >= 13000
  check(cudaStreamGetCaptureInfo(stream, &status, &id, &graph, nullptr, nullptr, nullptr),
        "cudaStreamGetCaptureInfo");
#else
  check(cudaStreamGetCaptureInfo_v2(stream, &status, &id, &graph, nullptr, nullptr),
        "cudaStreamGetCaptureInfo");
#endif
  return graph;
}

/// Refuses a call that waits for its result on a stream that is being captured; the capture stays valid.
/// @param call  its name in the message; with `_async` after it, that of the one which does not wait
/// @throws cuda_error
inline void require_not_capturing(cudaStream_t stream, const char* call = "reduce") {
  if (!is_capturing(stream)) return;
  throw cuda_error(cudaErrorStreamCaptureUnsupported,
                   message("warpfold: ", call,
                           " waits for its result, which a stream that is being captured into a "
                           "graph cannot give; use ",
                           call, "_async"));
}

/// While it lives, CUDA calls of this thread that a stream capture elsewhere would forbid (an
/// allocation, say) are allowed. They concern memory that no capture knows of.
class relaxed_capture {
 public:
  relaxed_capture() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~relaxed_capture() { (void)cudaThreadExchangeStreamCaptureMode(&mode_); }
  relaxed_capture(const relaxed_capture&) = delete;             // it restores the mode once
  relaxed_capture& operator=(const relaxed_capture&) = delete;  // likewise

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace warpfold::runtime
