// Sums a matrix of 20000 x 20000 floats: with one call, and with two-dimensional blocks and a
// two-dimensional grid.
#include <cmath>
#include <iostream>

#include <cuda/std/mdspan>

#include <warpfold/kernel/ladder/grid_2d.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/transform.hpp>

namespace wf = warpfold;

// 0, 1, 2, ... divided by their sum, so that the sum of the results is 1.
struct share {
  double of;
  __host__ __device__ float operator()(std::size_t i) const {
    return static_cast<float>(static_cast<double>(i) / of);
  }
};

int main() try {
  // 1.6 GB; fewer rows if the memory is smaller.
  constexpr std::size_t columns = 20000;
  std::size_t rows = 20000;
  wf::device_buffer<float> memory;
  while (memory.size() == 0) {
    try {
      memory = wf::device_buffer<float>(rows * columns);
    } catch (const wf::out_of_memory&) {
      if (rows == 1) throw;
      rows /= 2;
    }
  }
  const auto n = static_cast<double>(memory.size());
  wf::transform(wf::device, wf::counting(std::size_t{0}, memory.size()), memory,
                share{n * (n - 1) / 2});
  const cuda::std::mdspan matrix(memory.data(), rows, columns);

  const float sum = wf::reduce(wf::device, matrix, wf::plus{});
  const double in_double = wf::reduce(wf::device, matrix, 0.0, wf::plus{});
  // 16 x 16 threads, and 64 x 64 blocks of them.
  const auto two_dimensions = wf::device.with_kernel(wf::kernel::grid_2d<16>{.max_side = 64});
  const float by_grid_2d = wf::reduce(two_dimensions, matrix, wf::plus{});

  std::cout << rows << " x " << columns << ": " << sum << ' ' << in_double << ' ' << by_grid_2d
            << '\n';
  // In double only the rounding of the elements remains. In float each thread has added hundreds or
  // thousands of elements.
  return std::abs(in_double - 1) < 1e-6 && std::abs(sum - 1) < 1e-3f &&
                 std::abs(by_grid_2d - 1) < 1e-3f
             ? 0
             : 1;
} catch (const wf::no_device& e) {
  std::cerr << e.what() << '\n';
  return 77;
}
