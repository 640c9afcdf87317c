// is_last_block: one block of each result, which sees what the others wrote, and counters that are
// zero again.
// needs: boost_context
#include <warpfold/collective/last_block.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/runtime/emulated_launcher.hpp>

namespace wf = warpfold;
using namespace warpfold;  // threadIdx and the other names of the emulation

namespace {

struct counting {
  static constexpr int max_block = 64;
  static constexpr bool calls_user_functions = false;
  wf::collective::grid_storage grid;
  wf::collective::global_array<int> written, sums;
  unsigned blocks;  // of a result

  void operator()() const {
    const unsigned result = blockIdx.x / blocks;
    if (threadIdx.x == 5) written.store(blockIdx.x, static_cast<int>(blockIdx.x) + 1);
    if (!wf::collective::is_last_block(grid, result, blocks)) return;
    if (threadIdx.x != 40) return;
    int sum = 0;
    for (unsigned b = 0; b < blocks; ++b) sum += written.load(result * blocks + b);
    sums.store(result, sums.load(result) + sum);
  }
};

}  // namespace

TEST_CASE("the last block of each result sums what all have written, once") {
  std::vector<int> written(21), sums(3);
  wf::emulation::launcher on(wf::emulation::default_gpu, nullptr);
  on.allow(written.data(), written.size() * sizeof(int), true);
  on.allow(sums.data(), sums.size() * sizeof(int), true);
  for (int launch = 0; launch < 2; ++launch) {
    on.launch("counting",
              counting{on.grid(), {written.data(), written.size()}, {sums.data(), 3}, 7}, {21, 64});
    on.finish();
  }
  CHECK(sums == std::vector<int>{2 * 28, 2 * 77, 2 * 126});
}
