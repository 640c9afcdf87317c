/// @file
/// Folds segments of a range in the declared order (op/fold_order.hpp), in one launch: the bits of
/// a segment are those of `reduce` of the segment by wf::seq.
///
/// - Idea: the length of a segment decides who folds it. No binary search.
///   - Some lanes of a warp, if segments are short on average (group_fold.hpp). One lane for up to
///     8 elements; up to eight lanes for up to 64, or 128 if the op takes long.
///   - Otherwise a warp, or a block above `longest_of_warp`.
///   - Several blocks above `longest_of_block` (grid_groups.hpp).
/// - Longest segments: the first blocks, the lookers, look for them at every 2^k-th offset. If
///   segments may overlap, they look at each. The last blocks, the helpers, fold them. Only helpers
///   wait for the lookers.
/// - Moments: nodes of different sizes are combined for 32 segments at once (length_nodes.hpp), up
///   to a mean of 1024 elements. Segments of more than 2047 elements then have a block each.
///   256 MB, mean 256, uniform and equal lengths, H200: 764 and 239 -> 211 and 123 us.
/// - Cost: each element is read once, by neighboring lanes. An offset is read twice, the second
///   time from the L1 cache; every 2^k-th one once more.
/// - Counts: if the number of segments or elements lies in memory, the grid is that of the limits.
///   Each thread reads the numbers first.
/// - Bounds that decrease or lie outside of the range give unspecified results. Elements outside of
///   the range are not read, and other memory is not written. If a host waits, the first such
///   segment is reported (collective/bounds_check.hpp).
/// - Needs: compute capability 7.0.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/collective/bounds_check.hpp>
#include <warpfold/collective/grid_groups.hpp>
#include <warpfold/collective/group_fold.hpp>
#include <warpfold/collective/lane_set.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/length_nodes.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/collective/warp_sum.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/tried_groups.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/view/global_access.hpp>
#include <warpfold/work/segmented_reduction.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct segments {
  static constexpr const char* name() { return "segments"; }

  static constexpr unsigned warps = 8;
  static constexpr unsigned threads = warps * collective::warp_size;
  /// A block folds each segment if they have as many elements on average. Uniform lengths, mean
  /// 5000, 256 MB, H200: 108 -> 86 us; equal lengths 83 -> 89.
  static constexpr std::size_t least_of_block = 2048;
  /// Up to so many elements have no helpers: waiting for the lookers takes longer than a block
  /// takes for all. 64 K elements, H200: 6.5 -> 5.4 us.
  static constexpr std::size_t most_without_helpers = std::size_t{1} << 17;
  /// The segments that each warp can put aside for the block.
  static constexpr unsigned most_aside = 32;

  /// Who folds which segments. The first blocks look for the longest ones, the last ones fold them.
  struct plan {
    unsigned lanes_log2 = 0;     ///< log2 of the lanes of a short segment
    unsigned segments_log2 = 0;  ///< log2 of the segments that a warp takes at once
    unsigned turns = 1;          ///< how often a warp takes segments
    bool is_block_each = false;  ///< each block folds one segment
    unsigned longest_of_warp = 2048;
    std::size_t longest_of_block = static_cast<std::size_t>(-1);
    unsigned lookers = 0, helpers = 0;
    unsigned looks_log2 = 0;  ///< log2 of the segments that a thread looks at at once
    unsigned part_log2 = 0;   ///< log2 of the parts that helpers fold
  };

  /// Who folds most segments. `warp` stands for a block, too (`is_block_each`). With `nodes`, some
  /// lanes fold the nodes of a segment, and one lane combines them (length_nodes.hpp).
  enum class folder { lane, lanes, warp, nodes };

  template <class Work, folder Usual>
  struct body {
    using value_type = typename Work::value_type;
    using accumulator = typename Work::accumulator;
    using groups_type = collective::grid_groups<accumulator>;

    static constexpr bool is_long = Work::fold_type::is_long;
    static constexpr bool has_terms =
        Usual == folder::warp && collective::detail::folds_runs_as_terms<Work>;
    static constexpr int max_block = threads;
    static constexpr int min_blocks_per_multiprocessor = Usual == folder::nodes      ? 4
                                                         : sizeof(accumulator) <= 8  ? 5
                                                         : has_terms                 ? 3
                                                         : sizeof(accumulator) <= 16 ? 4
                                                         : sizeof(accumulator) <= 32 ? 2
                                                                                     : 1;
    static constexpr bool waits_for_launch_before = true;
    static constexpr int elements_a_load = 1;  // for explain_segments
    /// True if there may be segments that several blocks fold.
    static constexpr bool may_have_helpers = groups_type::exist;
    /// True if segments do not overlap: then the list has room for all that are too long.
    static constexpr bool are_disjoint = Work::segments_type::are_adjacent;

    Work segmented;
    caching cache;
    plan how;
    collective::grid_storage scratch;

    WARPFOLD_HD const Work& work() const { return segmented; }
    WARPFOLD_DEVICE void operator()() const {
      collective::wait_for_launch_before();
      if constexpr (Work::has_size_in_memory) {
        body settled = *this;
        settled.segmented.read_size(global_access{});
        settled.run();
      } else {
        run();
      }
    }

   private:
    WARPFOLD_DEVICE void run() const {
      const global_loads loads(cache);
      WARPFOLD_SHARED collective::shared_array<std::size_t, warps * most_aside> aside;
      WARPFOLD_SHARED collective::shared_array<unsigned, warps> counts;
      if constexpr (may_have_helpers) {
        if (blockIdx.x < how.lookers) {
          if constexpr (are_disjoint) {
            return look();
          } else {
            return look_at_each(aside, counts, loads);
          }
        }
      }
      if (is_helper()) return fold_by_block(aside, counts, loads);
      if (Usual != folder::warp || !how.is_block_each) {
        const unsigned count = fold_by_warp(aside, loads);
        if (threadIdx.x % collective::warp_size == 0) {
          counts.store(threadIdx.x / collective::warp_size, count);
        }
        collective::let_next_launch_start();
        if (__syncthreads_and(count == 0 ? 1 : 0) != 0) return;
      }
      fold_by_block(aside, counts, loads);
    }

    struct extent {
      std::size_t begin, length;
    };

    WARPFOLD_DEVICE extent extent_of(std::size_t s, std::size_t last) const {
      const global_loads bounds(caching::keep);
      return extent_between(static_cast<std::size_t>(segmented.segments.begin(s, bounds)),
                            static_cast<std::size_t>(segmented.segments.end(last, bounds)));
    }
    WARPFOLD_DEVICE extent extent_between(std::size_t begin, std::size_t end) const {
      const std::size_t size = segmented.view.size();
      const std::size_t to = end < size ? end : size;
      return {begin, begin < to ? to - begin : 0};
    }
    // The same for one segment, which is reported if its bounds are wrong.
    WARPFOLD_DEVICE extent extent_of(std::size_t s) const {
      const global_loads bounds(caching::keep);
      return checked_extent(s, static_cast<std::size_t>(segmented.segments.begin(s, bounds)),
                            static_cast<std::size_t>(segmented.segments.end(s, bounds)));
    }
    // Usual segments have one test: with two, those of 1 to 3 elements take 4 % longer.
    WARPFOLD_DEVICE extent checked_extent(std::size_t s, std::size_t begin, std::size_t end) const {
      if (begin > end || end > segmented.view.size()) [[unlikely]] {
        collective::check_bounds(segmented.check, segmented.segments, s, begin, end, scratch);
        return extent_between(begin, end);
      }
      return {begin, end - begin};
    }

    WARPFOLD_DEVICE void write(std::size_t s, const accumulator& a) const {
      segmented.write(s, segmented.result(segmented.fold().state_of(a)), global_access{});
    }

    WARPFOLD_DEVICE bool is_helper() const {
      return may_have_helpers && blockIdx.x >= gridDim.x - how.helpers;
    }
    // The number of the block among those that take segments.
    WARPFOLD_DEVICE std::size_t block() const { return blockIdx.x - how.lookers; }

    // A function that loads the elements of a segment from element `from` of the range on.
    WARPFOLD_DEVICE auto elements_from(std::size_t from, std::size_t count,
                                       const global_loads& loads) const {
      return collective::elements_from(segmented.view, from, count, loads);
    }

    // Folds the segments of a warp. Returns how many it has put aside for the block.
    WARPFOLD_DEVICE unsigned fold_by_warp(collective::shared_span<std::size_t> aside,
                                          const global_loads& loads) const {
      const std::size_t all = segmented.size();
      const unsigned lane = threadIdx.x % collective::warp_size;
      std::size_t first = (block() * warps + threadIdx.x / collective::warp_size) * how.turns
                          << how.segments_log2;
      const std::size_t step = std::size_t{1} << how.segments_log2;
      const global_loads bounds(caching::keep);
      // Loaded a turn ahead, and only then used.
      using bound = decltype(segmented.segments.begin(0, bounds));
      bound begin{}, end{};
      const auto has_one = [&] { return lane < step && first + lane < all; };
      const auto load_bounds = [&] {
        if (!has_one()) return;
        begin = segmented.segments.begin(first + lane, bounds);
        end = segmented.segments.end(first + lane, bounds);
      };
      load_bounds();
      unsigned count = 0;
      WARPFOLD_NO_UNROLL
      for (unsigned t = 0; t < how.turns && first < all; ++t) {
        const std::size_t own_first = first;
        extent own{0, 0};
        if (has_one()) {
          own = checked_extent(first + lane, static_cast<std::size_t>(begin),
                               static_cast<std::size_t>(end));
          if (own.length == 0) segmented.write_empty(first + lane, global_access{});
          if (own.length > how.longest_of_block) own.length = 0;
        }
        first += step;
        if (t + 1 < how.turns) load_bounds();
        if constexpr (Usual == folder::lane) {
          fold_own(own_first + lane, own, loads);
        } else if constexpr (Usual == folder::nodes) {
          fold_nodes(own_first, own, loads);
        } else if constexpr (Usual == folder::lanes) {
          fold_short(own_first, own, loads);
        }
        if (__ballot_sync(collective::full_warp, own.length != 0) != 0) {
          count = put_aside(count, own_first + lane, own, aside);
          if constexpr (Usual != folder::nodes) fold_long(own_first, own, loads);
        }
      }
      return count;
    }

    WARPFOLD_DEVICE unsigned put_aside(unsigned count, std::size_t s, extent& own,
                                       collective::shared_span<std::size_t> aside) const {
      const unsigned lane = threadIdx.x % collective::warp_size;
      const unsigned warp = threadIdx.x / collective::warp_size;
      const bool is_aside =
          Usual == folder::nodes ? own.length != 0 : own.length > how.longest_of_warp;
      const unsigned lanes = __ballot_sync(collective::full_warp, is_aside);
      const unsigned place = count + collective::lane_count(lanes & collective::lanes_below(lane));
      if (is_aside && place < most_aside) {
        aside.store(warp * most_aside + place, s);
        own.length = 0;
      }
      count += collective::lane_count(lanes);
      return count < most_aside ? count : most_aside;
    }

    // Folds the segments of the lanes, one or two at a time.
    WARPFOLD_DEVICE void fold_long(std::size_t first, const extent& own,
                                   const global_loads& loads) const {
      unsigned left = __ballot_sync(collective::full_warp, own.length != 0);
      const unsigned lane = threadIdx.x % collective::warp_size;
      const auto next = [&](unsigned& of) {
        of = collective::highest_lane(left);
        left ^= 1u << of;
        return extent{collective::shuffle_from(own.begin, of),
                      collective::shuffle_from(own.length, of)};
      };
      constexpr unsigned most = collective::longest_of_two<Work>;
      WARPFOLD_NO_UNROLL
      while (left != 0) {
        unsigned of[2];
        const extent a = next(of[0]);
        if (left != 0 && a.length <= most) {
          const extent b = next(of[1]);
          if (b.length <= most) {
            collective::fold_two_groups(
                segmented, elements_from(a.begin, a.length, loads), static_cast<unsigned>(a.length),
                elements_from(b.begin, b.length, loads), static_cast<unsigned>(b.length),
                [&](const accumulator& value, int k) {
                  if (lane == 0) write(first + of[k], value);
                });
            continue;
          }
          left |= 1u << of[1];
        }
        const accumulator value = collective::fold_segment(segmented, a.begin, 0, a.length, loads);
        if (lane == 0) write(first + of[0], value);
      }
    }

    // Folds the short segments of the lanes, each by its lane, and sets their lengths to 0.
    WARPFOLD_DEVICE void fold_own(std::size_t s, extent& own, const global_loads& loads) const {
      const bool is_short = own.length <= collective::longest_of_lane;
      const unsigned length = is_short ? static_cast<unsigned>(own.length) : 0;
      const unsigned longest = collective::warp_max(length);
      if (longest == 0) return;
      const accumulator a = collective::fold_groups(
          segmented, elements_from(length != 0 ? own.begin : 0, longest, loads), length, longest,
          0);
      if (length != 0) write(s, a);
      if (is_short) own.length = 0;
    }

    // Folds the segments of the lanes, and sets their lengths to 0. First a few lanes fold each
    // short one, then the warp folds each other one. Leaves those above `longest_group`, and those
    // that the terms refuse.
    WARPFOLD_DEVICE void fold_nodes(std::size_t first, extent& own,
                                    const global_loads& loads) const {
      using nodes_type = collective::length_nodes<Work>;
      WARPFOLD_SHARED
      collective::shared_array<typename nodes_type::node, warps * nodes_type::nodes_of_warp>
          storage;
      const nodes_type nodes(segmented, storage);
      const unsigned lane = threadIdx.x % collective::warp_size;
      const unsigned length =
          own.length <= nodes_type::longest_group ? static_cast<unsigned>(own.length) : 0;
      WARPFOLD_NO_UNROLL
      for (unsigned log2 = how.lanes_log2, longer_than = 0;; log2 = 5) {
        const unsigned most =
            log2 == 5 ? nodes_type::longest_group : collective::longest_of_lane << log2;
        const unsigned own_length = length > longer_than && length <= most ? length : 0;
        const unsigned lanes = __ballot_sync(collective::full_warp, own_length != 0);
        if (lanes != 0) {
          const unsigned any = collective::highest_lane(lanes);
          WARPFOLD_NO_UNROLL
          for (unsigned done = 0; done >> how.segments_log2 == 0;
               done += collective::warp_size >> log2) {
            const unsigned of = done + (lane >> log2);  // the segment of this lane
            const unsigned there = collective::shuffle_from(own_length, of);
            const unsigned longest = collective::warp_max(there);
            if (longest == 0) continue;
            const std::size_t begin = collective::shuffle_from(own.begin, there != 0 ? of : any);
            nodes.add(elements_from(begin, longest, loads), there, longest, log2, of);
          }
        }
        if (log2 == 5) break;
        longer_than = most;
      }
      typename Work::state state = segmented.fold().start();
      const bool is_right = nodes.combine(state, length);
      if (length != 0 && is_right) {
        segmented.write(first + lane, segmented.result(state), global_access{});
        own.length = 0;
      }
    }

    // Folds the short segments of the lanes, and sets their lengths to 0.
    WARPFOLD_DEVICE void fold_short(std::size_t first, extent& own,
                                    const global_loads& loads) const {
      const unsigned lane = threadIdx.x % collective::warp_size;
      const unsigned width = 1u << how.lanes_log2,
                     at_once = collective::warp_size >> how.lanes_log2;
      const bool is_short = own.length - 1 < collective::longest_of_lane << how.lanes_log2;
      const unsigned lanes = __ballot_sync(collective::full_warp, is_short);
      if (lanes == 0) return;
      const unsigned own_length = is_short ? static_cast<unsigned>(own.length) : 0;
      const unsigned any = collective::highest_lane(lanes);
      WARPFOLD_NO_UNROLL
      for (unsigned done = 0; done >> how.segments_log2 == 0; done += at_once) {
        const unsigned of = done + (lane >> how.lanes_log2);  // the segment of this lane
        // A lane without a segment loads elements of another.
        const std::size_t begin =
            collective::shuffle_from(own.begin, (lanes >> of & 1) != 0 ? of : any);
        const unsigned length = collective::shuffle_from(own_length, of);
        const unsigned longest = collective::warp_max(length);
        if (longest == 0) continue;
        const accumulator a = collective::fold_groups(
            segmented, elements_from(begin, longest, loads), length, longest, how.lanes_log2);
        if ((lane & (width - 1)) == 0 && length != 0) write(first + of, a);
      }
      if (is_short) own.length = 0;
    }

    // Folds by all threads of the block: segments put aside, its only one, or parts of long ones.
    WARPFOLD_DEVICE void fold_by_block(collective::shared_span<std::size_t> aside,
                                       collective::shared_span<unsigned> counts,
                                       const global_loads& loads) const {
      WARPFOLD_SHARED collective::shared_array<accumulator, warps> storage;
      WARPFOLD_SHARED typename groups_type::helper_storage found;
      const groups_type groups(scratch);
      const auto fold = segmented.fold();
      const bool helps = is_helper();
      const bool takes_one =
          Usual == folder::warp && how.is_block_each && blockIdx.x >= how.lookers;
      const unsigned parts = helps ? groups.await_parts(how.lookers, found) : 0;
      unsigned turn = 0, part = helps ? blockIdx.x - (gridDim.x - how.helpers) : 0;
      unsigned warp = 0, nth = 0;
      WARPFOLD_NO_UNROLL
      for (;; ++turn) {
        std::size_t s = block(), first = 0;
        extent own{0, 0};
        if (helps) {
          if (part >= parts) break;
          const collective::grid_group g = groups.group_of(part, turn & 1, found);
          first = std::size_t{part - g.first_part} << how.part_log2;
          const std::size_t left = g.length - first, most = std::size_t{1} << how.part_log2;
          own = {g.begin, left < most ? left : most};
        } else {
          if (takes_one) {
            if (turn != 0 || (Work::has_size_in_memory && s >= segmented.size())) break;
          } else {
            while (warp < warps && nth == counts.load(warp)) {
              ++warp;
              nth = 0;
            }
            if (warp == warps) break;
            s = aside.load(warp * most_aside + nth++);
            __syncthreads();  // others may still read `storage`
          }
          own = extent_of(s);
          if (own.length == 0) {
            if (threadIdx.x == 0) segmented.write_empty(s, global_access{});
            break;
          }
          if (takes_one && own.length > how.longest_of_block) break;
        }
        collective::fold_group_by_block<warps>(
            segmented, own.length,
            [&](std::size_t from, std::size_t count) {
              return collective::fold_segment(segmented, own.begin, first + from, count, loads);
            },
            storage,
            [&](const accumulator& a) {
              if (helps) {
                groups.store(part, a);
              } else {
                write(s, a);
              }
            });
        part += how.helpers;
      }
      if (helps) {
        __syncthreads();
        groups.finish(fold, how.helpers, storage, found,
                      [&](std::size_t g, const accumulator& a) { write(g, a); });
      } else {
        collective::let_next_launch_start();
      }
    }

    // If segments may overlap, the list may have no room for some. This block folds these.
    WARPFOLD_DEVICE void look_at_each(collective::shared_span<std::size_t> aside,
                                      collective::shared_span<unsigned> counts,
                                      const global_loads& loads) const {
      static_assert(most_aside == collective::warp_size);
      const groups_type groups(scratch);
      const std::size_t all = segmented.size();
      const unsigned lane = threadIdx.x % collective::warp_size;
      const unsigned warp = threadIdx.x / collective::warp_size;
      bool has_entered = false;
      WARPFOLD_NO_UNROLL
      for (std::size_t k = std::size_t{blockIdx.x} * threads; k < all;
           k += std::size_t{how.lookers} * threads) {
        const std::size_t s = k + threadIdx.x;
        const extent own = s < all ? extent_of(s) : extent{0, 0};
        bool is_left = own.length > how.longest_of_block;
        if (is_left && groups.enter(s, own.begin, own.length, how.part_log2)) {
          has_entered = true;
          is_left = false;
        }
        const unsigned left = __ballot_sync(collective::full_warp, is_left);
        if (is_left) {
          aside.store(
              warp * most_aside + collective::lane_count(left & collective::lanes_below(lane)), s);
        }
        if (lane == 0) counts.store(warp, collective::lane_count(left));
        if (__syncthreads_and(left == 0 ? 1 : 0) != 0) continue;
        fold_by_block(aside, counts, loads);
        __syncthreads();
      }
      groups.end_of_looks(has_entered);
    }

    // A thread looks at some neighbors at once; if these are long together, its warp looks at each.
    WARPFOLD_DEVICE void look() const {
      const groups_type groups(scratch);
      const std::size_t all = segmented.size(), some = std::size_t{1} << how.looks_log2;
      const unsigned lane = threadIdx.x % collective::warp_size;
      const auto end_of_some = [&](std::size_t first) {
        return all - first < some ? all : first + some;
      };
      bool has_entered = false;
      std::size_t k = (std::size_t{blockIdx.x} * threads + threadIdx.x - lane) << how.looks_log2;
      WARPFOLD_NO_UNROLL
      for (; k < all; k += (std::size_t{how.lookers} * threads) << how.looks_log2) {
        const std::size_t own = k + (std::size_t{lane} << how.looks_log2);
        const extent some_elements =
            own < all ? extent_of(own, end_of_some(own) - 1) : extent{0, 0};
        const bool are_long = some_elements.length > how.longest_of_block;
        if (some == 1) {
          if (!are_long) continue;
          groups.enter(own, some_elements.begin, some_elements.length, how.part_log2);
          has_entered = true;
          continue;
        }
        unsigned left = __ballot_sync(collective::full_warp, are_long);
        WARPFOLD_NO_UNROLL
        while (left != 0) {
          const unsigned of = collective::highest_lane(left);
          left ^= 1u << of;
          const std::size_t first = k + (std::size_t{of} << how.looks_log2);
          WARPFOLD_NO_UNROLL
          for (std::size_t s = first + lane; s < end_of_some(first); s += collective::warp_size) {
            const extent e = extent_of(s);
            if (e.length <= how.longest_of_block) continue;
            groups.enter(s, e.begin, e.length, how.part_log2);
            has_entered = true;
          }
        }
      }
      groups.end_of_looks(has_entered);
    }
  };

  /// Launches once; not at all if there are no segments.
  void enqueue(const auto& work, auto& launcher) const {
    if (work.size() == 0) return;
    const std::size_t mean = work.view.size() / work.size();
    using work_type = std::remove_cvref_t<decltype(work)>;
    if constexpr (collective::folds_length_nodes<work_type>) {
      const auto multiprocessors = static_cast<std::size_t>(launcher.gpu().multiprocessors);
      if (mean <= 128 || (mean <= 1024 && work.size() >= least_of_warps(multiprocessors))) {
        launch<folder::nodes>(work, mean, launcher);
      } else {
        launch<folder::warp>(work, mean, launcher);
      }
    } else if (mean <= 8) {
      launch<folder::lane>(work, mean, launcher);
      // Ops that take long are combined for several segments at once. Exponential lengths, mean
      // 100, 256 MB, H200: 2629 -> 967 us; mean 256, equal: 237 -> 312.
    } else if (mean <= (work_type::fold_type::is_long ? 128 : 64)) {
      launch<folder::lanes>(work, mean, launcher);
    } else {
      launch<folder::warp>(work, mean, launcher);
    }
  }

 private:
  // The fewest segments for which blocks take several.
  static std::size_t least_of_warps(std::size_t multiprocessors) { return 16 * multiprocessors; }

  template <folder Usual, class Work, class Launcher>
  static void launch(const Work& work, std::size_t mean, Launcher& launcher) {
    using body_type = body<Work, Usual>;
    const std::size_t count = work.size(), elements = work.view.size();
    const auto multiprocessors = static_cast<std::size_t>(launcher.gpu().multiprocessors);
    const std::size_t resident =
        multiprocessors * warps * std::size_t{body_type::min_blocks_per_multiprocessor};
    plan how;
    // Half of a warp's share, if there is much to do.
    const std::size_t share = elements / (2 * resident);
    if (share > how.longest_of_warp) {
      how.longest_of_warp = static_cast<unsigned>(share < 32768 ? share : 32768);
    }
    std::size_t blocks = count;
    if (Usual == folder::nodes) {
      while (how.lanes_log2 < 3 && mean > std::size_t{16} << how.lanes_log2) ++how.lanes_log2;
      if (mean > 256) how.lanes_log2 = 5;
      how.segments_log2 = 5 - how.lanes_log2;
      while (how.segments_log2 < 5 && count >> how.segments_log2 > 2 * resident) {
        ++how.segments_log2;
      }
      blocks = ((count - 1) >> how.segments_log2) / warps + 1;
    } else if (Usual != folder::warp) {
      while (how.lanes_log2 < 3 && mean > std::size_t{8} << how.lanes_log2) ++how.lanes_log2;
      how.segments_log2 = 5 - how.lanes_log2;
      while (how.segments_log2 < 5 && count >> how.segments_log2 > resident) ++how.segments_log2;
      const std::size_t all = ((count - 1) >> how.segments_log2) + 1;
      while (how.turns < 8 && all / how.turns > 4 * resident) how.turns *= 2;
      blocks = ((all - 1) / how.turns) / warps + 1;
    } else if (count < least_of_warps(multiprocessors) ||
               (!body_type::is_long && mean >= least_of_block)) {
      how.is_block_each = true;
    } else {
      how.segments_log2 = count > resident ? 1 : 0;  // the loads of two at once
      // If there is little to do, all blocks start at once. 16 MB, mean 100, H200: 15.4 -> 12.7 us.
      // Not if long ops fold long segments: blocks would have unequal shares.
      const bool are_many = count > 8 * resident || (body_type::is_long && mean >= 1024);
      const std::size_t most = are_many ? 4 * resident : resident;
      while (how.segments_log2 < 5 && count >> how.segments_log2 > most) ++how.segments_log2;
      blocks = ((count - 1) >> how.segments_log2) / warps + 1;
    }
    if constexpr (body_type::may_have_helpers) {
      set_helpers<typename body_type::groups_type>(elements, count, mean, multiprocessors,
                                                   body_type::are_disjoint, how);
    }
    blocks += how.lookers + how.helpers;
    launcher.launch(
        name(),
        body_type{work, tuning::caching_of_reads(work, launcher.gpu()), how, launcher.grid()},
        {grid_of(blocks), threads});
  }

  // Who folds the longest segments, if there may be such.
  template <class Groups>
  static void set_helpers(std::size_t elements, std::size_t count, std::size_t mean,
                          std::size_t multiprocessors, bool are_disjoint, plan& how) {
    if (elements <= most_without_helpers) return;
    const collective::grid_division d = Groups::division_of(elements, how.is_block_each ? 4 : 2);
    how.part_log2 = d.part_log2;
    how.longest_of_block = d.longest_of_block;
    if (elements <= how.longest_of_block) return;
    // The largest power of two whose expected length is at most a quarter of the limit.
    while (are_disjoint && how.looks_log2 < 7 &&
           mean << (how.looks_log2 + 3) < how.longest_of_block) {
      ++how.looks_log2;
    }
    const std::size_t looks = ((count - 1) >> how.looks_log2) + 1;
    const std::size_t lookers = (looks - 1) / threads + 1;
    how.lookers = static_cast<unsigned>(lookers < multiprocessors ? lookers : multiprocessors);
    how.helpers =
        static_cast<unsigned>(elements >> 24 == 0 ? multiprocessors : 2 * multiprocessors);
  }
};

}  // namespace warpfold::kernel
