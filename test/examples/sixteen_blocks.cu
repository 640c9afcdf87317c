// Chooses the grid and the blocks: 512 elements in 16 blocks of 32 threads with a second launch for
// the result; then any number of elements in 16 blocks.
#include <iostream>
#include <vector>

#include <warpfold/explain.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/kernel/ladder/grid_stride.hpp>
#include <warpfold/kernel/ladder/two_pass.hpp>
#include <warpfold/runtime/buffer.hpp>
#include <warpfold/statistics.hpp>

namespace wf = warpfold;

// -5 to n - 6 in a scattered order; n is a power of two.
std::vector<float> shuffled(std::size_t n) {
  std::vector<float> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<float>(i * 37 % n) - 5;
  return v;
}

int main() try {
  // Each thread takes one element, so the number of blocks depends on the number of elements.
  const wf::device_buffer<float> v(shuffled(512));
  const auto one_each = wf::device.with_kernel(wf::kernel::two_pass<32>{});
  const float least = wf::min(one_each, v);
  const float mean = wf::mean(one_each, v);

  // Each thread takes elements at a grid stride, so the caller can choose the number of blocks.
  const wf::device_buffer<float> more(shuffled(1 << 20));
  const auto striding = wf::device.with_kernel(wf::kernel::grid_stride<32>{.grid = 16});
  const float least_of_more = wf::min(striding, more);

  std::cout << "least " << least << ", mean " << mean << ", least of more " << least_of_more
            << '\n';
  for (const wf::plan& p :
       {wf::explain(one_each, v, wf::minimum{}), wf::explain(striding, more, wf::minimum{})}) {
    std::cout << p;
    if (p.grid.count() != 16 || p.block.count() != 32 || p.launches != 2) return 1;
  }
  return least == -5 && mean == 250.5f && least_of_more == -5 ? 0 : 1;
} catch (const wf::no_device& e) {
  std::cerr << e.what() << '\n';
  return 77;
}
