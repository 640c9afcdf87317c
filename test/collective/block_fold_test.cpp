// fold_block in the emulation: the values of the first warps, in the declared order; two storages
// that alternate need no further barrier.
// needs: boost_context
#include <warpfold/collective/block_fold.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/op/fold.hpp>

#include "contract/emulated_launch.hpp"
#include "contract/order_certificate.hpp"

namespace wf = warpfold;
using namespace warpfold;  // threadIdx and the other names of the emulation

TEST_CASE("the values of the first warps, twice") {
  const std::vector<std::uint64_t> v = test::ordered_elements(32);
  std::vector<std::uint64_t> result(2);
  test::emulated_launch on;
  const auto out = on.array(result);
  const std::uint64_t* const in = on.read_only(v);
  for (unsigned there = 1; there <= 32; ++there) {
    on.run({1, 1024}, [=] {
      using state = std::uint64_t;
      WARPFOLD_SHARED wf::collective::block_storage<state> storage[2];
      const wf::fold<test::ordered_hash, state> fold{};
      for (unsigned k = 0; k < 2; ++k) {
        const unsigned warp = threadIdx.x / 32;
        // Only the first lane of a warp has its value.
        const state own = threadIdx.x % 32 == 0 ? in[warp] : 0;
        if (warp < there) wf::collective::store_of_warp(storage[k], own);
        wf::collective::fold_block(fold, storage[k], there, [&](state s) { out.store(k, s); });
      }
    });
    const auto expected =
        test::ordered_fold(std::vector<std::uint64_t>(v.begin(), v.begin() + there));
    CHECK(result == std::vector<std::uint64_t>{expected, expected});
  }
}
