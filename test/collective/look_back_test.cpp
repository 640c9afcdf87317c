// look_back: every tile finds the runs of all tiles before it, whoever posts first.
// needs: boost_context
#include <warpfold/collective/look_back.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "contract/emulated_launch.hpp"

namespace wf = warpfold;
using namespace warpfold;  // threadIdx and the other names of the emulation

namespace {

using wf::collective::begun_runs;

// What tile `t` of the test has: most tiles have runs, every third has none.
WARPFOLD_HD begun_runs runs_of_tile(std::size_t t) {
  return t % 3 == 2 ? begun_runs{0, 0} : begun_runs{t % 7 + 1, 100 * t + t % 7 + 1};
}

// What `tiles` blocks find; `all_every`: how far apart the tiles are that post the total.
std::vector<begun_runs> found_by(std::size_t tiles, std::size_t all_every, bool has_runs) {
  std::vector<begun_runs> found(tiles, begun_runs{~std::size_t{0}, ~std::size_t{0}});
  std::vector<wf::collective::post> posts(tiles, wf::collective::post{0, 0});
  test::emulated_launch on;
  const auto out = on.array(found);
  const auto memory = on.array(posts);
  on.run({static_cast<unsigned>(tiles), 32}, [=] {
    const wf::collective::look_back before(memory.data);
    const std::size_t tile = blockIdx.x;
    const begun_runs own = has_runs ? runs_of_tile(tile) : begun_runs{0, 0};
    if (threadIdx.x == 0) before.post_own(tile, own);
    const begun_runs others = before.await_before(tile);
    if (threadIdx.x == 0) {
      if (tile % all_every == 0) before.post_all(tile, others.then(own));
      out.store(tile, others);
    }
  });
  return found;
}

void check_tiles(std::size_t tiles, std::size_t all_every, bool has_runs) {
  INFO(tiles, " tiles, of which each ", all_every, ". posts the total");
  const auto found = found_by(tiles, all_every, has_runs);
  begun_runs want{0, 0};
  std::size_t wrong = 0;
  for (std::size_t t = 0; t < tiles; ++t) {
    wrong += found[t].count != want.count || found[t].last != want.last;
    if (has_runs) want = want.then(runs_of_tile(t));
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("numbers of tiles around a warp, with near and far totals") {
  for (const std::size_t tiles : {1, 2, 31, 32, 33, 34, 64, 65, 130}) {
    for (const std::size_t all_every : {1, 2, 31, 32, 33, 1000}) {
      check_tiles(tiles, all_every, true);
    }
  }
}

TEST_CASE("tiles in which no run begins") { check_tiles(70, 40, false); }
