// A kernel with a race, for `warpfold demo`.
#include <numeric>
#include <vector>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/emulation/emulation_error.hpp>
#include <warpfold/runtime/emulated_launcher.hpp>

#include "coalescing.hpp"

namespace warpfold::program {
namespace {

constexpr unsigned count = 64;

/// Adds the elements of one block, and writes the sum over the first.
struct tree_without_barriers {
  static constexpr int max_block = count;
  static constexpr bool calls_user_functions = false;

  collective::global_array<int> numbers;

  void operator()() const {
    WARPFOLD_SHARED collective::shared_array<int, count> tile;
    const unsigned k = threadIdx.x;
    tile.store(k, numbers.load(k));
    __syncthreads();
    for (unsigned half = count / 2; half > 0; half /= 2) {
      if (k < half) tile.store(k, tile.load(k) + tile.load(k + half));
      // __syncthreads() is missing here
    }
    if (k == 0) numbers.store(0, tile.load(0));
  }
};

}  // namespace

found_race run_racing_kernel() {
  found_race found{
      "    for (unsigned half = count / 2; half > 0; half /= 2) {\n"
      "      if (k < half) tile.store(k, tile.load(k) + tile.load(k + half));\n"
      "      // __syncthreads() is missing here\n"
      "    }\n",
      {}};
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  emulation::launcher on(emulation::default_gpu, nullptr);
  on.allow(numbers.data(), numbers.size() * sizeof(int), true);
  try {
    on.launch("tree_without_barriers", tree_without_barriers{{numbers.data(), numbers.size()}},
              launch_shape{1, count});
  } catch (const emulation_error& e) {
    found.error = e.what();
  }
  return found;
}

}  // namespace warpfold::program
