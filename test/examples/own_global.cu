// block_all_reduce in a kernel of a user's own: a softmax of each row, without hand-written
// shuffles.
#include <cmath>
#include <iostream>
#include <vector>

#include <warpfold/collectives.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/runtime/buffer.hpp>

namespace wf = warpfold;

__global__ void softmax(const float* rows, float* out, int columns) {
  const std::size_t first = std::size_t{blockIdx.x} * static_cast<unsigned>(columns);
  float greatest = -INFINITY;
  for (int i = threadIdx.x; i < columns; i += blockDim.x)
    greatest = fmaxf(greatest, rows[first + i]);
  greatest = wf::block_all_reduce(greatest, wf::maximum{});
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(rows[first + i] - greatest);
  sum = wf::block_all_reduce(sum);
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    out[first + i] = expf(rows[first + i] - greatest) / sum;
  }
}

int main() try {
  constexpr int rows = 4, columns = 1000;
  std::vector<float> values;
  for (int i = 0; i < rows * columns; ++i) values.push_back(static_cast<float>(i % 17));
  const wf::device_buffer<float> in(values), out(std::vector<float>(values.size()));
  softmax<<<rows, 256>>>(in.data(), const_cast<float*>(out.data()), columns);
  cudaMemcpy(values.data(), out.data(), values.size() * sizeof(float), cudaMemcpyDefault);
  float worst = 0;
  for (int r = 0; r < rows; ++r) {
    float sum = 0;
    for (int i = 0; i < columns; ++i) sum += values[static_cast<std::size_t>(r * columns + i)];
    worst = std::fmax(worst, std::fabs(sum - 1));
  }
  std::cout << "each row sums to 1 within " << worst << '\n';
  return worst < 1e-5f ? 0 : 1;
} catch (const wf::no_device& e) {
  std::cerr << e.what() << '\n';
  return 77;
}
