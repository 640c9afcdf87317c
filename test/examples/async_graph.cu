// Calls reduce_async on a stream, into device memory, and in a graph that is replayed.
#include <iostream>
#include <vector>

#include <warpfold/reduce.hpp>
#include <warpfold/runtime/buffer.hpp>

namespace wf = warpfold;

int main() try {
  const wf::device_buffer<int> v(std::vector<int>(100000, 3));
  wf::device_buffer<long long> sum(1);

  cudaStream_t stream{};
  cudaGraph_t graph{};
  cudaGraphExec_t replay{};
  cudaStreamCreate(&stream);

  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  wf::reduce_async(wf::device.on(stream), v, wf::plus{}, sum.data());  // recorded, not run
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&replay, graph, 0);
  for (int i = 0; i < 3; ++i) cudaGraphLaunch(replay, stream);
  cudaStreamSynchronize(stream);

  const long long result = sum.to_host()[0];  // 64 bits, although the elements are int
  std::cout << result << '\n';

  cudaGraphExecDestroy(replay);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  return result == 300000 ? 0 : 1;
} catch (const wf::no_device& e) {
  std::cerr << e.what() << '\n';
  return 77;
}
