/// @file
/// Sums by one kernel in the emulation, compared with a loop, and the counts of their launches.
#pragma once

#include <vector>

#include <warpfold/runtime/emulated_launcher.hpp>

#include "kernel/launches.hpp"

namespace test {

using wf::emulation::traffic;

/// Sums `n` floats, whole numbers of which every partial sum is a float, and checks the result.
/// Returns what the launches did.
template <class Kernel>
wf::emulation::report emulated_sum(const Kernel& kernel, std::size_t n,
                                   const wf::device_info& gpu = wf::emulation::default_gpu) {
  INFO(n, " elements");
  struct alignas(32) sector {
    float x[8];
  };
  std::vector<sector> memory(n / 8 + 1);
  float* const values = memory[0].x;
  float expected = 0;
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = static_cast<float>(i * 7 % 31) - 9;
    expected += values[i];
  }
  wf::emulation::report counted;
  wf::emulation::launcher on(gpu, &counted);
  float result = -77;
  unsigned delivered = 0;
  on.allow(values, n * sizeof(float), false);
  on.allow(&result, sizeof result, true);
  const sum_of_view<wf::contiguous_view<float>> r{{values, n}, {}, {}};
  kernel.enqueue(r, wf::collective::result_sink<float>{&result, &delivered, 1}, on);
  on.finish();
  CHECK(result == expected);
  CHECK(delivered == 1);
  return counted;
}

/// Sums around the `each` elements that one block takes, of nothing, and of many blocks.
template <class Kernel>
void check_sums(const Kernel& kernel, std::size_t each) {
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, each - 1, each, each + 1, std::size_t{40'001}}) {
    (void)emulated_sum(kernel, n);
  }
}

}  // namespace test
