// On the GPU: a matrix times a vector, and the normalization of each column, without temporary
// arrays.
#include <cmath>
#include <iostream>
#include <vector>

#include <cuda/std/mdspan>

#include <warpfold/reduce_axis.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/transform.hpp>

namespace wf = warpfold;

struct times {
  __host__ __device__ float operator()(float x, float y) const { return x * y; }
};
struct normalized {
  __host__ __device__ float operator()(float x, const wf::moments& of_column) const {
    return static_cast<float>((x - of_column.mean) / std::sqrt(of_column.variance()));
  }
};

int main() try {
  constexpr int rows = 1000, columns = 64;
  std::vector<float> host(rows * columns);
  for (int i = 0; i < rows * columns; ++i) host[i] = static_cast<float>(i % 7 + i % columns);
  const wf::device_buffer<float> values(host), weights(std::vector<float>(columns, 2));
  const cuda::std::mdspan<const float, cuda::std::dextents<int, 2>> m(values.data(), rows, columns);

  // Element (i, j) beside weights[j].
  wf::device_buffer<float> product(rows);
  wf::reduce_axis<1>(wf::device, wf::project(wf::zip(m, wf::broadcast<1>(weights)), times{}),
                     wf::plus{}, product);

  // The mean and variance of each column in one read, then each element in units of them.
  wf::device_buffer<wf::moments> of_columns(columns);
  wf::device_buffer<float> out(rows * columns);
  wf::reduce_axis<0>(wf::device, m, wf::moments_op{}, of_columns);
  wf::transform(wf::device, wf::zip(m, wf::broadcast<1>(of_columns)), out, normalized{});

  float first = 0;
  for (int j = 0; j < columns; ++j) first += 2 * host[j];
  double sum = 0, squares = 0;
  for (const float x : out.to_host()) {
    sum += x;
    squares += x * x;
  }
  std::cout << product.to_host()[0] << ' ' << sum << ' ' << squares << '\n';
  // The variance is that of a population, so the squares of each column add up to its elements.
  return product.to_host()[0] == first && std::abs(sum) < 1 &&
                 std::abs(squares / (rows * columns) - 1) < 1e-3
             ? 0
             : 1;
} catch (const wf::no_device&) {
  return 77;
}
