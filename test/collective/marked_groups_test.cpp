// The list of marked groups in the emulation: groups that fit, too many, and none after `clear`.
// needs: boost_context
#include <warpfold/collective/marked_groups.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "contract/emulated_launch.hpp"

namespace wf = warpfold;
using namespace warpfold;  // threadIdx and the other names of the emulation

namespace {

using list = wf::collective::marked_groups<std::uint64_t>;

}  // namespace

TEST_CASE("a later launch finds the groups of an earlier one") {
  for (const unsigned groups : {0u, 1u, 300u, list::most - 1, list::most, list::most + 40}) {
    CAPTURE(groups);
    test::emulated_launch on;
    const auto grid = on.launcher().grid();
    on.run({4, 256}, [=] {
      const list marked(grid);
      const unsigned threads = gridDim.x * blockDim.x;
      for (unsigned g = blockIdx.x * blockDim.x + threadIdx.x; g < groups; g += threads) {
        marked.enter(1000 + g);
      }
    });
    std::vector<unsigned> size(1);
    std::vector<std::uint64_t> found(list::most);
    const auto size_out = on.array(size);
    const auto found_out = on.array(found);
    on.run({1, 32}, [=] {
      const list marked(grid);
      if (threadIdx.x == 0) size_out.store(0, marked.size());
      for (unsigned i = threadIdx.x; i < marked.size() && i < list::most; i += 32) {
        found_out.store(i, marked[i]);
      }
    });
    if (groups <= list::most) {
      CHECK(size[0] == groups);
      found.resize(groups);
      std::sort(found.begin(), found.end());
      for (unsigned g = 0; g < groups; ++g) CHECK(found[g] == 1000 + g);
    } else {
      CHECK(size[0] > list::most);
    }
    on.run({1, 32}, [=] {
      if (threadIdx.x == 0) list(grid).clear();
    });
    on.launcher().finish();  // reports a number that is not zero
  }
}
