// collective::matching_lanes: folds in the order of the lanes, with an op that is not
// commutative.
// needs: boost_context
#include <warpfold/collective/matching_lanes.hpp>

#include <doctest/doctest.h>

#include <vector>

#include <warpfold/op/fold.hpp>

#include "contract/emulated_launch.hpp"

namespace {

using namespace warpfold;
using namespace warpfold::collective;

/// The number of lanes of a group, from `first` to `last`, if each lane was combined once and in
/// order; otherwise the count is wrong.
struct members {
  unsigned first, last, count;
};
struct follow {
  members operator()(const members& a, const members& b) const {
    return {a.first, b.last, a.last < b.first ? a.count + b.count : 1000};
  }
};
using folding = warpfold::fold<follow, members>;

/// Checks the 32 lanes with keys `key(lane)`.
template <class Key>
void check(const Key& key) {
  std::vector<members> folded(32);
  std::vector<unsigned> firsts(32);
  test::emulated_launch on;
  const auto to = on.array(folded);
  const auto first = on.array(firsts);
  std::vector<unsigned> found(32);
  const auto sets = on.array(found);
  on.run({1, 32}, [=] {
    const folding fold{};
    const unsigned lane = threadIdx.x;
    const matching_lanes same(key(lane), 6);
    sets.store(lane, lanes_of_key(key(lane), 6));
    const auto state = same.reduce(fold, fold.state_of({lane, lane, 1}));
    to.store(lane, fold.value(state));
    first.store(lane, same.is_first() ? 1 : 0);
  });
  std::size_t wrong = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    unsigned lowest = 32, highest = 0, all = 0, set = 0;
    for (unsigned l = 0; l < 32; ++l) {
      if (key(l) != key(lane)) continue;
      lowest = l < lowest ? l : lowest;
      highest = l;
      ++all;
      set |= 1u << l;
    }
    wrong += found[lane] != set;
    wrong += firsts[lane] != (lane == lowest ? 1u : 0u);
    if (lane != lowest) continue;
    const members& m = folded[lane];
    wrong += m.first != lowest || m.last != highest || m.count != all;
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("groups of lanes with equal keys") {
  check([](unsigned lane) { return lane; });
  check([](unsigned) { return 63u; });
  check([](unsigned lane) { return lane % 2; });
  check([](unsigned lane) { return lane / 4; });
  check([](unsigned lane) { return lane == 31 ? 0 : lane; });
  for (unsigned seed = 1; seed < 200; ++seed) {
    for (const unsigned keys : {2u, 3u, 7u, 20u}) {
      check([=](unsigned lane) { return (lane * 2654435761u ^ seed * 40503u) / 77 % keys; });
    }
  }
}
