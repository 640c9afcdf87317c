/// @file
/// Decoupled look-back: how many runs of equal keys begin in the tiles before a tile, in the same
/// launch that finds them.
///
/// Source: D. Merrill, M. Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back".
///
/// - Idea: each block has a tile, and posts what it has found there. Then it looks back over the
///   posts of the tiles before, 32 at a time, up to one that has posted the total so far.
/// - Relies on blocks starting in the order of their numbers, as posted nodes do (node_finish.hpp).
#pragma once

#include <cstddef>

#include <warpfold/collective/lane_set.hpp>
#include <warpfold/collective/memory_order.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/collective/warp_sum.hpp>

namespace warpfold::collective {

/// The runs that begin in neighboring tiles.
struct begun_runs {
  std::size_t count;
  std::size_t last;  ///< 1 + the index of the key where the last of them begins; 0 if none does

  /// The runs of these tiles, followed by `next`.
  WARPFOLD_HD begun_runs then(const begun_runs& next) const {
    return {count + next.count, next.last != 0 ? next.last : last};
  }
};

/// The posts of all tiles: a post for each, zero before the launch.
class look_back {
 public:
  WARPFOLD_DEVICE explicit look_back(post* posts) : posts_(posts) {}

  /// Posts the runs of a tile. One thread calls it.
  WARPFOLD_DEVICE void post_own(std::size_t tile, const begun_runs& own) const {
    store_post(posts_ + tile, {own.count, own.last | written});
  }
  /// Posts the runs of a tile and of all before it. One thread calls it.
  WARPFOLD_DEVICE void post_all(std::size_t tile, const begun_runs& all) const {
    store_post(posts_ + tile, {all.count, all.last | written | of_all});
  }

  /// The runs of all tiles before `tile`, once the others have posted. All lanes of a warp call it.
  WARPFOLD_DEVICE begun_runs await_before(std::size_t tile) const {
    const unsigned lane = threadIdx.x % warp_size;
    begun_runs found{0, 0};
    for (std::size_t left = tile; left != 0;) {
      const bool has_tile = lane < left;
      const unsigned lanes =
          left < warp_size ? lanes_below(static_cast<unsigned>(left)) : full_warp;
      post p{0, 0};
      unsigned of_all_lanes = 0, used = 0;
      for (;;) {
        if (has_tile && p.high == 0) p = read(left - 1 - lane);
        const unsigned written_lanes = __ballot_sync(full_warp, p.high != 0);
        of_all_lanes = __ballot_sync(full_warp, (p.high & of_all) != 0);
        // Up to the nearest tile that has posted the total.
        const unsigned nearest = of_all_lanes & (~of_all_lanes + 1);
        used = of_all_lanes != 0 ? nearest | (nearest - 1) : lanes;
        if ((written_lanes & used) == used) break;
        wait_for_posts();
      }
      const bool is_used = (used >> lane & 1) != 0;
      const std::size_t last = p.high & ~(written | of_all);
      const unsigned with_begin = __ballot_sync(full_warp, is_used && last != 0);
      begun_runs here{0, 0};
      if (with_begin != 0) {
        here.last = shuffle_from(last, highest_lane(with_begin & (~with_begin + 1)));
      }
      // Only the farthest may have a count of more than a tile.
      const unsigned farthest = highest_lane(used);
      here.count = shuffle_from(static_cast<std::size_t>(p.low), farthest) +
                   warp_sum(is_used && lane != farthest ? static_cast<unsigned>(p.low) : 0u);
      found = here.then(found);
      if (of_all_lanes != 0) break;
      left = left < warp_size ? 0 : left - warp_size;
    }
    return found;
  }

 private:
  static constexpr unsigned long long written = 1ull << 63, of_all = 1ull << 62;

  WARPFOLD_DEVICE post read(std::size_t tile) const {
    post p[1];
    read_posts(posts_ + tile, p, [](const post& q, int) { return q.high; });
    return p[0];
  }

  post* posts_;
};

}  // namespace warpfold::collective
