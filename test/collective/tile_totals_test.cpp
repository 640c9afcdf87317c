// tile_totals: every tile finds the runs of all tiles before it, across windows and sections.
// needs: boost_context
#include <warpfold/collective/tile_totals.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "contract/emulated_launch.hpp"

namespace wf = warpfold;
using namespace warpfold;  // threadIdx and the other names of the emulation

namespace {

using wf::collective::begun_runs;

using runs_of_tile = begun_runs (*)(std::size_t tile);

// What `tiles` blocks find.
std::vector<begun_runs> found_by(std::size_t tiles, runs_of_tile runs) {
  using totals_type = wf::collective::tile_totals;
  std::vector<begun_runs> found(tiles, begun_runs{~std::size_t{0}, ~std::size_t{0}});
  std::vector<wf::collective::post> posts(totals_type::posts_for(tiles),
                                          wf::collective::post{0, 0});
  test::emulated_launch on;
  const auto out = on.array(found);
  const auto memory = on.array(posts);
  on.run({static_cast<unsigned>(tiles), 32}, [=] {
    const totals_type totals(memory.data, tiles);
    const std::size_t tile = blockIdx.x;
    totals_type::section_total completed{0};
    if (threadIdx.x == 0) completed = totals.post_own(tile, runs(tile));
    completed.bits = wf::collective::shuffle_from(completed.bits, 0);
    const begun_runs others = totals.await_before(tile, completed);
    if (threadIdx.x == 31) out.store(tile, others);
  });
  return found;
}

void check_tiles(std::size_t tiles, runs_of_tile runs) {
  INFO(tiles, " tiles");
  const auto found = found_by(tiles, runs);
  begun_runs want{0, 0};
  std::size_t wrong = 0;
  for (std::size_t t = 0; t < tiles; ++t) {
    wrong += found[t].count != want.count || found[t].last != want.last;
    const begun_runs own = runs(t);
    want = {want.count + own.count, own.last != 0 ? own.last : want.last};
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("numbers of tiles around 32 and 1024") {
  for (const std::size_t tiles :
       {1, 2, 31, 32, 33, 34, 64, 65, 130, 1023, 1024, 1025, 2050, 3100}) {
    // Every third tile has no runs.
    check_tiles(tiles, [](std::size_t t) {
      return t % 3 == 2 ? begun_runs{0, 0} : begun_runs{t % 7 + 1, 100 * t + t % 7 + 1};
    });
  }
}

TEST_CASE("tiles full of runs: the largest sums of windows and sections") {
  check_tiles(2100, [](std::size_t t) {
    return begun_runs{wf::collective::tile_totals::most_runs, 4096 * (t + 1)};
  });
}

TEST_CASE("the last run is in a far tile, window or section, or there is none") {
  check_tiles(70, [](std::size_t) { return begun_runs{0, 0}; });
  check_tiles(1100, [](std::size_t) { return begun_runs{0, 0}; });
  check_tiles(3100, [](std::size_t t) { return begun_runs{t == 0 ? 1u : 0u, t == 0 ? 1u : 0u}; });
  check_tiles(3100, [](std::size_t t) {
    return t % 40 == 7 && t / 1024 != 1 ? begun_runs{2, 5000 * t + 3} : begun_runs{0, 0};
  });
}
