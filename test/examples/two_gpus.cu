// Reductions of an array in two parts, one on each of two GPUs of this process. With one GPU, that
// GPU has both parts, on two streams.
#include <iostream>
#include <span>
#include <vector>

#include <warpfold/extrema.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/policy/devices.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/sum.hpp>

namespace wf = warpfold;

int main() try {
  constexpr std::size_t half = 1 << 20;
  std::vector<float> host(2 * half, 0.5f);
  host[half + 7] = 2.5f;

  const int gpu[2] = {0, wf::devices::all().size() > 1 ? 1 : 0};
  cudaStream_t stream[2];
  wf::device_buffer<float> part[2];
  for (int i = 0; i < 2; ++i) {
    cudaSetDevice(gpu[i]);
    cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking);
    part[i] = wf::device_buffer<float>(host.data() + half * static_cast<std::size_t>(i), half);
  }
  cudaSetDevice(gpu[0]);

  const auto both = wf::across(wf::devices{gpu[0], gpu[1]}.on(stream[0], stream[1]));
  const auto all = wf::shards(part[0], part[1]);
  const float sum = wf::sum(both, all);         // waits
  const auto greatest = wf::argmax(both, all);  // the index counts the elements of both parts
  wf::device_buffer<double> norm(1);            // on the first GPU
  wf::norm_2_async(both, all, norm.data());     // does not wait
  cudaStreamSynchronize(stream[0]);             // the first GPU writes the result
  const double length = norm.to_host()[0];

  std::cout << "sum " << sum << ", greatest " << greatest.value << " at " << greatest.index
            << ", norm " << length << '\n';
  for (int i = 0; i < 2; ++i) {
    cudaSetDevice(gpu[i]);
    cudaStreamSynchronize(stream[i]);
    cudaStreamDestroy(stream[i]);
  }
  return sum == half + 2 && greatest.value == 2.5f && greatest.index == half + 7 &&
                 length > 724.08 && length < 724.09
             ? 0
             : 1;
} catch (const wf::no_device& e) {
  std::cerr << e.what() << '\n';
  return 77;
}
