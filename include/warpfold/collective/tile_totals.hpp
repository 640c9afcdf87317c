/// @file
/// How many runs of equal keys begin in the tiles before a tile, in the same launch that finds
/// them.
///
/// Source: the idea of decoupled look-back (D. Merrill, M. Garland, "Single-pass Parallel Prefix
/// Scan with Decoupled Look-back"): each block posts what it has found in its tile, and waits for
/// the posts of the tiles before.
///
/// - Idea: numbers of runs are integers, so atomics may add them in any order. 32 tiles make a
///   window and 32 windows a section, and each has a total. A tile adds the posts of its window,
///   the totals of its section's windows, and the total of all sections before. It reads all of
///   them at once, so it waits for one read after the last of them is there. Look-back in steps of
///   32 tiles takes a read for each step. H200, 2^24 ints and floats in runs of 10: 54 -> 47 us.
/// - Cost: one post and one atomic addition for each tile, and a second addition for each window. A
///   lane reads up to two posts and a word.
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
};

namespace detail {

/// A sum of `SumBits` bits over up to 32 parts, a bit for each part whose sum is not 0, and the
/// number of parts: in one word, so that an atomic addition adds a part.
template <int SumBits>
struct packed_total {
  static_assert(SumBits + 32 + 6 <= 64);
  unsigned long long bits;

  WARPFOLD_HD static packed_total of_part(unsigned part, unsigned sum) {
    const unsigned long long has_any = sum == 0 ? 0 : 1;
    return {sum | has_any << (SumBits + part) | 1ull << (SumBits + 32)};
  }
  WARPFOLD_HD unsigned sum() const { return static_cast<unsigned>(bits) & ((1u << SumBits) - 1); }
  /// The parts whose sum is not 0.
  WARPFOLD_HD unsigned parts_with_any() const { return static_cast<unsigned>(bits >> SumBits); }
  WARPFOLD_HD bool is_complete() const { return bits >> (SumBits + 32) == 32; }
};

}  // namespace detail

/// The posts and totals of all tiles, in memory that is zero before the launch.
class tile_totals {
 public:
  /// The maximum number of runs of a tile.
  static constexpr unsigned most_runs = 1u << 12;
  using window_total = detail::packed_total<18>;
  using section_total = detail::packed_total<23>;

  /// The posts that the memory for `tiles` tiles takes.
  WARPFOLD_HD static constexpr std::size_t posts_for(std::size_t tiles) {
    return tiles + sections_of(tiles) + (windows_of(tiles) + sections_of(tiles) + 1) / 2;
  }
  WARPFOLD_DEVICE tile_totals(post* memory, std::size_t tiles)
      : tiles_(memory),
        sections_(memory + tiles),
        window_totals_(reinterpret_cast<unsigned long long*>(sections_ + sections_of(tiles))),
        section_totals_(window_totals_ + windows_of(tiles)) {}

  /// Posts the runs of a tile, and adds their number to the totals. One thread calls it.
  /// Returns the total of the section if this tile was the last of it to come, and otherwise 0.
  WARPFOLD_DEVICE section_total post_own(std::size_t tile, const begun_runs& own) const {
    store_post(tiles_ + tile, {own.count, own.last | written});
    const window_total window =
        add(window_totals_ + tile / 32,
            window_total::of_part(tile % 32, static_cast<unsigned>(own.count)));
    if (!window.is_complete()) return {0};
    const section_total section =
        add(section_totals_ + tile / 1024, section_total::of_part(tile / 32 % 32, window.sum()));
    return section.is_complete() ? section : section_total{0};
  }

  /// The runs of all tiles before `tile`, once the others have posted. All lanes of a warp call it,
  /// the one that has posted `tile` as lane 0.
  /// @param completed what `post_own` returned; the same in all lanes
  WARPFOLD_DEVICE begun_runs await_before(std::size_t tile, const section_total& completed) const {
    const unsigned lane = threadIdx.x % warp_size;
    const auto in_window = static_cast<unsigned>(tile % 32);
    const std::size_t window = tile / 32, section = tile / 1024;
    const auto in_section = static_cast<unsigned>(window % 32);
    post of_tile{0, 0}, of_sections{0, 0};
    window_total of_window{0};
    for (;;) {
      if (lane < in_window && of_tile.high == 0) of_tile = read(tiles_ + (tile - in_window + lane));
      if (lane < in_section && !of_window.is_complete()) {
        of_window = {load_word(window_totals_ + (window - in_section + lane))};
      }
      if (section != 0 && of_sections.high == 0) of_sections = read(sections_ + (section - 1));
      const bool are_there = (lane >= in_window || is_written(of_tile)) &&
                             (lane >= in_section || of_window.is_complete()) &&
                             (section == 0 || is_written(of_sections));
      if (__all_sync(full_warp, are_there)) break;
      wait_for_posts();
    }
    const unsigned here = warp_sum(static_cast<unsigned>(of_tile.low) + of_window.sum());
    const begun_runs before{static_cast<std::size_t>(of_sections.low),
                            static_cast<std::size_t>(of_sections.high & ~written)};
    begun_runs found{before.count + here, before.last};
    const std::size_t last = of_tile.high & ~written;
    const unsigned tiles_with_any = __ballot_sync(full_warp, last != 0);
    const unsigned windows_with_any = __ballot_sync(full_warp, of_window.parts_with_any() != 0);
    if (tiles_with_any != 0) {
      found.last = shuffle_from(last, highest_lane(tiles_with_any));
    } else if (windows_with_any != 0) {
      const unsigned nearest = highest_lane(windows_with_any);
      found.last = last_of_window(window - in_section + nearest,
                                  shuffle_from(of_window.parts_with_any(), nearest));
    }
    if (completed.bits != 0) post_section(section, completed, before);
    return found;
  }

 private:
  static constexpr unsigned long long written = 1ull << 63;

  WARPFOLD_HD static constexpr std::size_t windows_of(std::size_t tiles) {
    return (tiles + 31) / 32;
  }
  WARPFOLD_HD static constexpr std::size_t sections_of(std::size_t tiles) {
    return (tiles + 1023) / 1024;
  }
  template <class Total>
  WARPFOLD_DEVICE static Total add(unsigned long long* to, const Total& part) {
    return {atomicAdd(to, part.bits) + part.bits};
  }
  WARPFOLD_DEVICE static post read(const post* from) {
    post p[1];
    read_posts(from, p, [](const post& q, int) { return q.high; });
    return p[0];
  }
  // Uses all words of a post, so that it is read at once; see load_post. No sum has bit 63.
  WARPFOLD_HD static bool is_written(const post& p) { return p.high != 0 && p.low >> 63 == 0; }

  // The last run of a window whose tiles with runs are `tiles`. Only lane 0 reads: its own post may
  // be the one.
  WARPFOLD_DEVICE std::size_t last_of_window(std::size_t window, unsigned tiles) const {
    post p[1] = {{0, 0}};
    if (threadIdx.x % warp_size == 0) {
      await_posts(tiles_ + (window * 32 + highest_lane(tiles)), p,
                  [](const post& q, int) { return is_written(q) ? q.high : 0; });
    }
    return shuffle_from(static_cast<std::size_t>(p[0].high & ~written), 0);
  }
  // Posts the runs of a section, whose tiles have all posted, and of all before it.
  WARPFOLD_DEVICE void post_section(std::size_t section, const section_total& own,
                                    const begun_runs& before) const {
    std::size_t last = before.last;
    const unsigned windows = own.parts_with_any();
    if (windows != 0) {
      const std::size_t window = section * 32 + highest_lane(windows);
      window_total total{0};
      for (;;) {
        total = {load_word(window_totals_ + window)};
        if (total.is_complete()) break;
        wait_for_posts();
      }
      last = last_of_window(window, total.parts_with_any());
    }
    if (threadIdx.x % warp_size == 0) {
      store_post(sections_ + section, {before.count + own.sum(), last | written});
    }
  }

  post* tiles_;     // the runs of a tile
  post* sections_;  // of a section, and of all before it
  unsigned long long* window_totals_;
  unsigned long long* section_totals_;
};

}  // namespace warpfold::collective
