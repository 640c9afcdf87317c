// Code for Thrust or the standard library, with wf:: instead of thrust:: and std::.
#include <iostream>
#include <vector>

#include <thrust/device_vector.h>
#include <thrust/iterator/transform_iterator.h>
#include <warpfold/drop_in.hpp>

namespace wf = warpfold;

struct half_of {
  __host__ __device__ float operator()(float x) const { return x / 2; }
};

int main() try {
  const std::vector<int> w{1, 2, 3, 4};
  const int on_host = wf::reduce(std::execution::par_unseq, w.begin(), w.end(), 10);
  const int also = wf::reduce(thrust::host, w.begin(), w.end());

  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess) (void)cudaGetLastError();
  if (devices == 0) throw wf::no_device("no GPU here for the rest");

  thrust::device_vector<float> v(1000, 2.0f);
  const float sum = wf::reduce(thrust::device, v.begin(), v.end(), 0.0f, thrust::plus<float>());
  const auto halves = thrust::make_transform_iterator(v.begin(), half_of{});
  const float fancy = wf::reduce(thrust::cuda::par.on(cudaStreamPerThread), halves, halves + 1000);

  std::cout << on_host << ' ' << also << ' ' << sum << ' ' << fancy << '\n';
  return on_host == 20 && also == 10 && sum == 2000 && fancy == 1000 ? 0 : 1;
} catch (const wf::no_device& e) {
  std::cerr << e.what() << '\n';
  return 77;
}
