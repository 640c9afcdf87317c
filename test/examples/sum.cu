// Runs one call with several policies.
#include <iostream>
#include <vector>

#include <warpfold/policy/cub.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/runtime/buffer.hpp>

namespace wf = warpfold;

struct square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};

int main() try {
  const std::vector<float> host(1 << 20, 0.5f);
  const wf::device_buffer<float> v(host);

  const float sum = wf::reduce(wf::device, v, wf::plus{});         // the library's kernel
  const float cub = wf::reduce(wf::baseline::cub, v, wf::plus{});  // CUB: only the policy changes
  const float one = wf::reduce(wf::seq, host, wf::plus{});         // one host thread

  const float squares = wf::reduce(wf::device, wf::project(v, square{}), wf::plus{});
  const float largest = wf::reduce(wf::device, v, wf::maximum{});

  std::cout << sum << ' ' << cub << ' ' << one << ' ' << squares << ' ' << largest << '\n';
  return sum == 524288 && cub == sum && one == sum && squares == 262144 && largest == 0.5f ? 0 : 1;
} catch (const wf::no_device& e) {
  std::cerr << e.what() << '\n';
  return 77;
}
