// Runs each kernel of counters.hpp once at each size, under Nsight Compute. See counters.py.
#include <iostream>
#include <span>
#include <vector>

#include <warpfold/runtime/buffer.hpp>

#include "counters.hpp"

int main() try {
  const warpfold::device_buffer<float> values(std::vector<float>(std::size_t{1} << 20, 1.0f));
  warpfold::device_buffer<float> out(1);
  counters::for_each_case([&](const auto& kernel, std::size_t n) {
    warpfold::reduce_async(warpfold::device.with_kernel(kernel),
                           std::span<const float>(values.data(), n), warpfold::plus{}, out.data());
  });
  warpfold::runtime::check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
} catch (const std::exception& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
