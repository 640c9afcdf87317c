/// @file
/// The kernel of `transform_segments` with an op: folds each segment in the declared order
/// (op/fold_order.hpp), and writes a function of its elements and of the fold. One launch, or two.
///
/// Source: the row-wise softmax and layer norm kernels of libraries for neural networks, which hold
/// a row on the multiprocessor; here for segments of any length.
///
/// - Idea for segments that are short on average (`tiles`): a block takes as many neighboring ones
///   as fit its shared memory, and loads and stores them in 16-byte words, wherever segments begin.
///   The elements of each segment are divided into runs of eight neighbors, and every thread takes
///   the same number of runs, whatever the lengths. Runs are nodes of the order; some lanes combine
///   those of each segment. Then a thread replaces the elements of its runs by their results.
/// - No scan maps runs to segments: run `j` of a segment `s` that begins at element `b` of the tile
///   has number b / 8 + s + j. Some numbers stay unused.
/// - Longer segments (`by_warps`): a warp folds a segment from global memory, and reads it once
///   more from the L1 cache to write it. Above `longest_of_warp` elements a block does so, and the
///   second read comes from the L2 cache. Segments above `longest_of_block` are divided: the last
///   blocks of the grid, the helpers, fold their parts, and then write them
///   (collective/grid_groups.hpp).
/// - Cost: one launch without scratch. In a tile an element is stored to shared memory twice and
///   loaded three times; padding avoids bank conflicts.
/// - Moments of many elements take two launches and scratch memory for the folds: those of
///   kernel/segments.hpp and transformed_segments.hpp, which are faster together.
/// - Bounds that decrease or lie outside of the range give unspecified results in the elements of
///   the output; other memory is neither read nor written. If a host waits, the first such segment
///   is reported (collective/bounds_check.hpp).
/// - Needs: segments that follow one another, elements of the input and the output of at most 16
///   bytes, and states of at most 64 bytes. Otherwise the folds go to scratch memory, and a second
///   launch reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <warpfold/collective/bounds_check.hpp>
#include <warpfold/collective/grid_groups.hpp>
#include <warpfold/collective/group_fold.hpp>
#include <warpfold/collective/lane_set.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/length_nodes.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/collective/thread_nodes.hpp>
#include <warpfold/collective/tile_fold.hpp>
#include <warpfold/collective/warp_sum.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/elementwise/transformed_segments.hpp>
#include <warpfold/kernel/segments.hpp>
#include <warpfold/view/global_access.hpp>
#include <warpfold/work/segment_fold_transformation.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct folded_segments {
  static constexpr const char* name() { return "folded_segments"; }

  static constexpr unsigned warps = 8;
  static constexpr unsigned threads = warps * collective::warp_size;

  /// The fewest elements for which moments take two launches. Layer norm, mean 256, H200, one
  /// launch and two: 16 MB, 57 and 43 us; 4 MB, 22 and 28.
  std::size_t least_elements_of_two = std::size_t{1} << 21;

  struct plan {
    unsigned each = 1;        ///< segments of a block
    unsigned lanes_log2 = 0;  ///< log2 of the lanes that combine the runs of a segment
    std::size_t longest_of_block = static_cast<std::size_t>(-1);
    unsigned helpers = 0;
    unsigned part_log2 = 0;                     ///< log2 of the parts that helpers fold
    std::size_t load_head = 0, store_head = 0;  ///< elements before the first word
  };

  /// What all blocks do with long segments.
  template <class Work>
  struct long_segments {
    using value_type = typename Work::value_type;
    using out_type = typename Work::out_type;
    using accumulator = typename Work::accumulator;
    using folded_type = typename Work::folded_type;
    using reduction_type = typename Work::reduction_type;
    using in_view = typename Work::view_type;
    using out_view = typename Work::out_view;
    using groups_type = collective::grid_groups<accumulator>;
    using storage_type = collective::shared_span<accumulator>;

    static constexpr int max_block = threads;
    static constexpr bool waits_for_launch_before = true;

    Work segmented;
    plan how;
    collective::grid_storage scratch;

    WARPFOLD_HD const Work& work() const { return segmented; }

   protected:
    struct extent {
      std::size_t begin, length;
    };

    WARPFOLD_DEVICE bool is_helper() const {
      return groups_type::exist && blockIdx.x >= gridDim.x - how.helpers;
    }
    WARPFOLD_DEVICE void end_of_block(bool has_entered) const {
      collective::let_next_launch_start();
      if constexpr (groups_type::exist) {
        if (how.helpers != 0) groups_type(scratch).end_of_looks(has_entered);
      }
    }

    // The segments of this block.
    struct own_segments {
      std::size_t first;
      unsigned count;
    };
    WARPFOLD_DEVICE own_segments segments_of_block() const {
      const std::size_t first = std::size_t{blockIdx.x} * how.each;
      const std::size_t all = segmented.reduction.segments.size();
      const std::size_t left = Work::has_size_in_memory && all < first ? 0 : all - first;
      return {first, left < how.each ? static_cast<unsigned>(left) : how.each};
    }
    // Bound `s` of the `count` segments from `first` on.
    WARPFOLD_DEVICE std::size_t bound_of(std::size_t first, unsigned s, unsigned count) const {
      if (Work::has_size_in_memory && count == 0) return 0;
      const global_loads bounds(caching::keep);
      const auto& segments = segmented.reduction.segments;
      return s < count ? static_cast<std::size_t>(segments.begin(first + s, bounds))
                       : static_cast<std::size_t>(segments.end(first + s - 1, bounds));
    }
    WARPFOLD_DEVICE std::size_t clamped(std::size_t bound) const {
      const std::size_t size = segmented.in().size();
      return bound < size ? bound : size;
    }
    // Reports segment `s` if its bounds are wrong.
    WARPFOLD_DEVICE void check(std::size_t s, std::size_t begin, std::size_t end) const {
      const reduction_type& folds = segmented.reduction;
      collective::check_bounds(folds.check, folds.segments, s, begin, end, scratch);
    }

    WARPFOLD_DEVICE folded_type folded(const accumulator& a) const {
      const auto& folds = segmented.reduction;
      return segmented.folded(folds.result(folds.fold().state_of(a)));
    }

    // Folds and writes a segment that is longer than a tile. Returns whether this thread has
    // entered it in the list of the helpers instead.
    WARPFOLD_DEVICE bool take_long(std::size_t s, const extent& own, storage_type storage) const {
      if constexpr (groups_type::exist) {
        if (own.length > how.longest_of_block) {
          if (threadIdx.x == 0) {
            groups_type(scratch).enter(s, own.begin, own.length, how.part_log2);
          }
          return threadIdx.x == 0;
        }
      }
      fold_by_block(own.begin, 0, own.length, storage,
                    [&](const accumulator& a) { storage.store(warps, a); });
      __syncthreads();
      put(own, folded(storage.load(warps)), threadIdx.x, threads);
      __syncthreads();  // `storage` is used again
      return false;
    }

    // Folds `count` elements of a segment that begins at `begin`, from its element `first` on.
    WARPFOLD_DEVICE void fold_by_block(std::size_t begin, std::size_t first, std::size_t count,
                                       storage_type storage, const auto& use) const {
      const global_access memory;
      collective::fold_group_by_block<warps>(
          segmented.reduction, count,
          [&](std::size_t from, std::size_t length) {
            return collective::fold_segment(segmented.reduction, begin, first + from, length,
                                            memory);
          },
          storage, use);
    }

    // Writes every `step`-th element of a segment, or of a part, from number `first` on.
    WARPFOLD_DEVICE void put(const extent& own, const folded_type& value, unsigned first,
                             unsigned step) const {
      constexpr unsigned at_once = 4;
      const global_access memory;
      const auto write = [&](std::size_t i, const value_type& x) {
        segmented.out.store_at(own.begin + i, segmented.apply(x, value), memory);
      };
      std::size_t i = first;
      WARPFOLD_NO_UNROLL
      for (; i + (at_once - 1) * step < own.length; i += at_once * step) {
        chunk<value_type, int{at_once}> loaded;
        WARPFOLD_UNROLL
        for (unsigned u = 0; u < at_once; ++u) {
          loaded.set(static_cast<int>(u), segmented.in().at(own.begin + i + u * step, memory));
        }
        WARPFOLD_UNROLL
        for (unsigned u = 0; u < at_once; ++u) write(i + u * step, loaded.elements[u]);
      }
      WARPFOLD_NO_UNROLL
      for (; i < own.length; i += step) write(i, segmented.in().at(own.begin + i, memory));
    }

    // Folds the parts of the longest segments, and then writes them.
    WARPFOLD_DEVICE void help(storage_type storage) const {
      WARPFOLD_SHARED typename groups_type::helper_storage found;
      const groups_type groups(scratch);
      const auto fold = segmented.reduction.fold();
      const unsigned parts = groups.await_parts(gridDim.x - how.helpers, found);
      const auto part_of = [&](const collective::grid_group& g, unsigned p) -> extent {
        const std::size_t first = std::size_t{p - g.first_part} << how.part_log2;
        const std::size_t left = g.length - first, most = std::size_t{1} << how.part_log2;
        return {first, left < most ? left : most};
      };
      using pass = typename groups_type::pass;
      WARPFOLD_NO_UNROLL
      for (unsigned turn = 0;; turn ^= 1) {
        const unsigned p = groups.take(pass::fold, found);
        if (p >= parts) break;
        const collective::grid_group g = groups.group_of(p, turn, found);
        const extent own = part_of(g, p);
        fold_by_block(g.begin, own.begin, own.length, storage,
                      [&](const accumulator& a) { groups.store(p, a); });
        groups.complete(fold, g, turn, storage, found);
      }
      WARPFOLD_NO_UNROLL
      for (unsigned turn = 0;; turn ^= 1) {
        const unsigned p = groups.take(pass::write, found);
        if (p >= parts) break;
        const collective::grid_group g = groups.group_of(p, turn, found);
        const extent own = part_of(g, p);
        put({g.begin + own.begin, own.length}, folded(groups.await_fold(g, turn, found)),
            threadIdx.x, threads);
      }
      __syncthreads();
      groups.end_of_passes(how.helpers, found);
    }
  };

  /// For segments that are short on average: tiles in shared memory.
  template <class Work>
  struct tiles : long_segments<Work> {
    using base = long_segments<Work>;
    using typename base::accumulator;
    using typename base::extent;
    using typename base::folded_type;
    using typename base::in_view;
    using typename base::out_type;
    using typename base::out_view;
    using typename base::reduction_type;
    using typename base::value_type;

    /// Elements of a run: a power of two.
    static constexpr unsigned run = 8;
    static constexpr int load_size = in_view::chunk_size;
    static constexpr int store_size = out_view::chunk_size;
    static constexpr bool is_in_place = std::is_same_v<value_type, out_type>;
    // One more element for each row of the 32 banks: lanes at distances of 2^k then use other
    // banks. A word must not be longer than a row.
    static constexpr unsigned pad_log2 = [] {
      constexpr std::size_t bytes = sizeof(value_type);
      constexpr unsigned log2 = bytes == 4 ? 5 : bytes == 8 ? 4 : 31;
      return bytes == sizeof(out_type) && load_size <= 16 ? log2 : 31u;
    }();
    struct tile_size {
      unsigned elements, segments;  // at most

      // A tile may begin within a word.
      constexpr unsigned places() const {
        const unsigned all = elements + unsigned{load_size} + run;
        return all + (all >> pad_log2);
      }
      constexpr unsigned runs() const { return elements / run + segments + 1; }
      constexpr std::size_t bytes() const {
        return (sizeof(value_type) + (is_in_place ? 0 : sizeof(out_type))) * places() +
               (sizeof(std::uint16_t) + sizeof(accumulator)) * runs() +
               (sizeof(unsigned) + sizeof(folded_type)) * segments +
               (warps + 1) * sizeof(accumulator) + 256;
      }
    };
    static constexpr std::size_t most_shared_bytes = 48 * 1024;
    static constexpr tile_size size = [] {
      constexpr std::size_t element =
          sizeof(value_type) > sizeof(out_type) ? sizeof(value_type) : sizeof(out_type);
      tile_size s{element > 8   ? 1024u
                  : element > 4 ? 2048u
                                : 4096u,
                  sizeof(accumulator) <= 8 ? 512u : 256u};
      while (s.bytes() > most_shared_bytes && s.elements > 256)
        s = {s.elements / 2, s.segments / 2};
      return s;
    }();
    /// Elements of a tile.
    static constexpr unsigned capacity = size.elements;
    /// The most segments of a block.
    static constexpr unsigned most_each = size.segments;
    static constexpr int min_blocks_per_multiprocessor = sizeof(accumulator) <= 8    ? 4
                                                         : sizeof(accumulator) <= 16 ? 3
                                                                                     : 2;

    WARPFOLD_DEVICE void operator()() const {
      if constexpr (Work::has_size_in_memory) {
        // A copy: views behind a count, such as a reversed one, ask for the size.
        tiles settled = *this;
        collective::wait_for_launch_before();
        settled.segmented.read_size(global_access{});
        const std::size_t head = settled.segmented.in().head();
        settled.how.load_head = head == any_head ? 0 : head;
        settled.run_block();
      } else {
        run_block();
      }
    }

    WARPFOLD_DEVICE void run_block() const {
      WARPFOLD_SHARED collective::shared_array<accumulator, warps + 1> storage;
      collective::wait_for_launch_before();
      if (this->is_helper()) return this->help(storage);
      WARPFOLD_SHARED collective::shared_array<value_type, length> tile;
      WARPFOLD_SHARED collective::shared_array<out_type, is_in_place ? 1 : length> results;
      WARPFOLD_SHARED collective::shared_array<unsigned, most_each + 1> bounds;
      WARPFOLD_SHARED collective::shared_array<std::uint16_t, most_runs> of_runs;
      WARPFOLD_SHARED collective::shared_array<accumulator, most_runs> nodes;
      WARPFOLD_SHARED collective::shared_array<folded_type, most_each> values;
      const run_memory runs{of_runs, nodes, values};
      WARPFOLD_SHARED collective::shared_array<std::size_t, 2> ends;
      const auto [first, count] = this->segments_of_block();
      WARPFOLD_NO_UNROLL
      for (unsigned s = threadIdx.x; s <= count; s += threads) {
        const std::size_t loaded = this->bound_of(first, s, count), bound = this->clamped(loaded);
        // It ends the segment before, which is then the first wrong one.
        this->check(first + (s == 0 ? 0 : s - 1), 0, loaded);
        bounds.store(s, static_cast<unsigned>(bound));
        if (s == 0) ends.store(0, bound);
        if (s == count) ends.store(1, bound);
      }
      __syncthreads();
      check_order(bounds, first, count);
      bool has_entered = false;
      if ((ends.load(1) - ends.load(0)) >> 31 == 0) {
        const std::size_t from = ends.load(0);
        unsigned s = 0;
        WARPFOLD_NO_UNROLL
        while (s < count) {
          const unsigned start = bounds.load(s);
          const unsigned end = end_of_tile(bounds, s, count);
          const extent own = inside(from + (start - bounds.load(0)), bounds.load(end) - start);
          if (end == s + 1 && own.length > capacity) {
            has_entered |= this->take_long(first + s, own, storage);
          } else if constexpr (is_in_place) {
            run_tile(bounds, s, end - s, own, runs, tile, tile);
          } else {
            run_tile(bounds, s, end - s, own, runs, tile, results);
          }
          s = end;
        }
      } else {
        // More elements than 31 bits count, or bounds that decrease.
        WARPFOLD_NO_UNROLL
        for (unsigned s = 0; s < count; ++s) {
          const std::size_t begin = this->clamped(this->bound_of(first, s, count)),
                            end = this->clamped(this->bound_of(first, s + 1, count));
          if (begin < end) has_entered |= this->take_long(first + s, {begin, end - begin}, storage);
        }
      }
      this->end_of_block(has_entered);
    }

   private:
    using base::how;
    using base::segmented;
    // Where the runs of a tile are kept.
    struct run_memory {
      collective::shared_span<std::uint16_t> segments;  // of each run: its segment
      collective::shared_span<accumulator> nodes;
      collective::shared_span<folded_type> values;  // of each segment
    };
    // The elements of a segment in a tile, and its runs.
    struct place {
      unsigned first, length;
      unsigned first_run, runs;
    };
    using tile_type = collective::shared_span<value_type>;
    using results_type = collective::shared_span<out_type>;

    static constexpr int loads =
        static_cast<int>((capacity + threads * load_size - 1) / (threads * load_size));
    static constexpr unsigned most_runs = size.runs();
    static constexpr std::uint16_t no_segment = 0xffff;
    WARPFOLD_DEVICE static unsigned padded(unsigned i) { return i + (i >> pad_log2); }
    static constexpr unsigned length = size.places();

    // Reports segments of the block whose bounds decrease.
    WARPFOLD_DEVICE void check_order(collective::shared_span<unsigned> bounds, std::size_t first,
                                     unsigned count) const {
      if (!Work::checks_bounds || segmented.reduction.check.report == nullptr) return;
      const bool are_whole = segmented.in().size() >> 32 == 0;  // `bounds` has 32 bits of each
      WARPFOLD_NO_UNROLL
      for (unsigned s = threadIdx.x; s < count; s += threads) {
        if (are_whole) {
          this->check(first + s, bounds.load(s), bounds.load(s + 1));
        } else {
          this->check(first + s, this->clamped(this->bound_of(first, s, count)),
                      this->clamped(this->bound_of(first, s + 1, count)));
        }
      }
    }

    WARPFOLD_DEVICE extent inside(std::size_t begin, std::size_t count) const {
      const std::size_t all = segmented.in().size();
      if (begin >= all) return {all, 0};
      return {begin, count < all - begin ? count : all - begin};
    }

    // The end of the segments from `s` on that fit a tile, at least one.
    WARPFOLD_DEVICE static unsigned end_of_tile(collective::shared_span<unsigned> bounds,
                                                unsigned s, unsigned count) {
      const unsigned start = bounds.load(s);
      if (bounds.load(count) - start <= capacity) return count;
      unsigned low = s + 1, high = count;  // `low` is the end, or it is before the end
      WARPFOLD_NO_UNROLL
      while (low + 1 < high) {
        const unsigned middle = (low + high) / 2;
        if (bounds.load(middle) - start <= capacity) {
          low = middle;
        } else {
          high = middle;
        }
      }
      return low;
    }

    // Folds and writes the `count` segments from `s` on, whose elements are `own`.
    WARPFOLD_DEVICE void run_tile(collective::shared_span<unsigned> bounds, unsigned s,
                                  unsigned count, const extent& own, const run_memory& runs,
                                  const tile_type& tile, const results_type& results) const {
      if (own.length == 0) return;
      const unsigned elements =
          own.length < capacity ? static_cast<unsigned>(own.length) : unsigned{capacity};
      const std::size_t last = own.begin + elements;
      const std::size_t word = up<load_size>(own.begin, how.load_head);
      // The place of element `i` is i - origin: words have places at multiples of their size.
      const std::size_t origin = word - (word == own.begin ? 0 : load_size);
      const auto before = static_cast<unsigned>(own.begin - origin);
      const unsigned start = bounds.load(s);
      const auto bound = [&](unsigned k) {
        const unsigned in_tile = bounds.load(s + k) - start;
        return in_tile < elements ? in_tile : elements;
      };
      const auto place_of = [&](unsigned k) -> place {
        const unsigned first = bound(k), end = bound(k + 1);
        const unsigned elements_of_k = first < end ? end - first : 0;
        return {before + first, elements_of_k, first / run + k, (elements_of_k + run - 1) / run};
      };
      const unsigned all_runs = elements / run + count;
      // Calls `use(k, place, run, there)` for each run of this thread: of segment `k`.
      const auto for_runs = [&](const auto& use) {
        WARPFOLD_NO_UNROLL
        for (unsigned r = threadIdx.x; r < all_runs; r += threads) {
          const unsigned k = runs.segments.load(r);
          if (k >= count) continue;
          const place p = place_of(k);
          const unsigned first = (r - p.first_run) * run;
          if (first >= p.length) continue;
          use(r, k, p.first + first, first, p.length - first < run ? p.length - first : run);
        }
      };
      const unsigned lanes = 1u << how.lanes_log2, lane = threadIdx.x & (lanes - 1);
      const unsigned groups = threads >> how.lanes_log2, group = threadIdx.x >> how.lanes_log2;

      load(own.begin, last, origin, tile, [&] {
        // While the elements are on their way.
        WARPFOLD_NO_UNROLL
        for (unsigned k = group; k < count; k += groups) {
          const place p = place_of(k);
          const unsigned end = bound(k + 1) / run + k + 1;
          WARPFOLD_NO_UNROLL
          for (unsigned r = p.first_run + lane; r < end; r += lanes) {
            runs.segments.store(
                r, r - p.first_run < p.runs ? static_cast<std::uint16_t>(k) : no_segment);
          }
        }
      });
      __syncthreads();
      for_runs([&](unsigned r, unsigned, unsigned at, unsigned first, unsigned there) {
        collective::detail::lane_run<int{run}, reduction_type> own_run;
        // Elements behind the segment are loaded, too, and discarded.
        own_run.load([&](unsigned i) { return tile.load(padded(at + i)); }, 0,
                     collective::all_values{});
        runs.nodes.store(r, own_run.folded(segmented.reduction, first, there));
      });
      __syncthreads();
      WARPFOLD_NO_UNROLL
      for (unsigned k = 0; k < count; k += groups) {
        const place p = k + group < count ? place_of(k + group) : place{0, 0, 0, 0};
        combine_runs(k + group, p, runs);
      }
      __syncthreads();
      for_runs([&](unsigned, unsigned k, unsigned at, unsigned, unsigned there) {
        const folded_type value = runs.values.load(k);
        WARPFOLD_UNROLL
        for (unsigned i = 0; i < run; ++i) {
          if (i >= there) break;
          results.store(padded(at + i), segmented.apply(tile.load(padded(at + i)), value));
        }
      });
      __syncthreads();
      store(own.begin, last, origin, results);
      if constexpr (is_in_place) __syncthreads();  // the next tile is loaded
    }

    // Combines the runs of the segments of a warp: of segment `k`, whose place is `p`, by the lanes
    // of a group.
    WARPFOLD_DEVICE void combine_runs(unsigned k, const place& p, const run_memory& runs) const {
      constexpr int levels = 4;  // of steps of a group; more take all lanes of the warp
      const auto fold = segmented.reduction.fold();
      const unsigned lanes = 1u << how.lanes_log2, lane = threadIdx.x & (lanes - 1);
      const bool is_short = p.runs - 1 < lanes << levels;
      const unsigned shorts = __ballot_sync(collective::full_warp, is_short);
      if (shorts != 0) {
        const unsigned own = is_short ? p.runs : 0, most = collective::warp_max(own);
        // Lanes without a run load another, and what they combine is discarded.
        const unsigned any =
            collective::shuffle_from(p.first_run, collective::highest_lane(shorts));
        const auto load = [&](unsigned i) {
          return runs.nodes.load(own == 0 ? any : p.first_run + (i < own ? i : own - 1));
        };
        collective::thread_nodes<accumulator, levels> nodes(load(0));
        WARPFOLD_NO_UNROLL
        for (unsigned step = 0; step << how.lanes_log2 < most; ++step) {
          const unsigned first = step << how.lanes_log2;
          accumulator node = load(first + lane);
          WARPFOLD_NO_UNROLL
          for (unsigned apart = 1; apart < lanes; apart *= 2) {
            const accumulator right = collective::shuffle_down(node, apart);
            const bool is_needed =
                !reduction_type::fold_type::is_long || (lane & (2 * apart - 1)) == 0;
            if (is_needed && first + lane + apart < own) node = fold.apply(node, right);
          }
          nodes.add(fold, step, node, first < own);
        }
        if (lane == 0 && own != 0) {
          runs.values.store(k, this->folded(nodes.folded(fold, ((own - 1) >> how.lanes_log2) + 1)));
        }
      }
      unsigned left = __ballot_sync(collective::full_warp, lane == 0 && !is_short && p.runs != 0);
      WARPFOLD_NO_UNROLL
      while (left != 0) {
        const unsigned of = collective::highest_lane(left);
        left ^= 1u << of;
        const unsigned first = collective::shuffle_from(p.first_run, of);
        const accumulator a =
            collective::fold_values(fold, 0u, collective::shuffle_from(p.runs, of),
                                    [&](unsigned i) { return runs.nodes.load(first + i); });
        const unsigned segment = collective::shuffle_from(k, of);
        if (threadIdx.x % collective::warp_size == 0) runs.values.store(segment, this->folded(a));
      }
    }

    // The first multiple of a word from element `i` on.
    template <int Size>
    WARPFOLD_DEVICE static std::size_t up(std::size_t i, std::size_t head) {
      return i + ((head - i) & (std::size_t{Size} - 1));
    }

    // Calls `whole(i)` for the elements at words, and `single(i)` for those before and after.
    template <int Size, int Rounds>
    WARPFOLD_DEVICE static void for_words(std::size_t begin, std::size_t end, std::size_t head,
                                          const auto& whole, const auto& single) {
      const std::size_t first = up<Size>(begin, head);
      const unsigned words = first < end ? static_cast<unsigned>(end - first) / Size : 0;
      WARPFOLD_UNROLL
      for (int u = 0; u < Rounds; ++u) {
        const unsigned own = threadIdx.x + static_cast<unsigned>(u) * threads;
        if (own < words) whole(u, first + std::size_t{own} * Size);
      }
      if constexpr (Size > 1) {
        const std::size_t left = first < end ? first : end;
        const std::size_t right = first < end ? first + std::size_t{words} * Size : end;
        // Two warps, so that their loads are in flight together.
        const std::size_t i = threadIdx.x < collective::warp_size
                                  ? begin + threadIdx.x
                                  : right + (threadIdx.x - collective::warp_size);
        if (threadIdx.x < 2 * collective::warp_size &&
            i < (threadIdx.x < collective::warp_size ? left : end)) {
          single(i);
        }
      }
    }

    // Loads elements to shared memory, and valid ones behind them for runs that are not full. Calls
    // `meanwhile()` when the loads have started.
    WARPFOLD_DEVICE void load(std::size_t begin, std::size_t end, std::size_t origin,
                              const tile_type& tile, const auto& meanwhile) const {
      const global_access memory;
      const in_view& in = segmented.in();
      typename in_view::chunk_type loaded[std::size_t{loads}];
      const auto put = [&](std::size_t i, std::size_t from) {
        tile.store(padded(static_cast<unsigned>(i - origin)), in.at(from, memory));
      };
      for_words<load_size, loads>(
          begin, end, how.load_head, [&](int u, std::size_t i) { in.load(loaded[u], i, memory); },
          [&](std::size_t i) { put(i, i); });
      const unsigned behind = threadIdx.x - 2 * collective::warp_size;
      if (behind < run - 1) put(end + behind, end - 1);
      meanwhile();
      for_words<load_size, loads>(
          begin, end, how.load_head,
          [&](int u, std::size_t i) {
            const unsigned at = padded(static_cast<unsigned>(i - origin));
            WARPFOLD_UNROLL
            for (int k = 0; k < load_size; ++k) {
              tile.store(at + static_cast<unsigned>(k), in.get(loaded[u], k));
            }
          },
          [](std::size_t) {});
    }
    WARPFOLD_DEVICE void store(std::size_t begin, std::size_t end, std::size_t origin,
                               const results_type& results) const {
      const global_access memory;
      constexpr int rounds =
          static_cast<int>((capacity + threads * store_size - 1) / (threads * store_size));
      const auto result = [&](std::size_t i) {
        return results.load(padded(static_cast<unsigned>(i - origin)));
      };
      for_words<store_size, rounds>(
          begin, end, how.store_head,
          [&](int, std::size_t i) {
            typename out_view::chunk_type c;
            WARPFOLD_UNROLL
            for (int k = 0; k < store_size; ++k) {
              segmented.out.set(c, k, result(i + static_cast<unsigned>(k)));
            }
            segmented.out.store(c, i, memory);
          },
          [&](std::size_t i) { segmented.out.store_at(i, result(i), memory); });
    }
  };

  /// For longer segments: a warp for each, or a block.
  template <class Work>
  struct by_warps : long_segments<Work> {
    using base = long_segments<Work>;
    using typename base::accumulator;
    using typename base::extent;

    /// The most segments of a block.
    static constexpr unsigned most_each = threads;
    static constexpr std::size_t longest_of_warp = 2048;
    static constexpr int min_blocks_per_multiprocessor = sizeof(accumulator) <= 8    ? 5
                                                         : sizeof(accumulator) <= 16 ? 3
                                                         : sizeof(accumulator) <= 32 ? 2
                                                                                     : 1;

    WARPFOLD_DEVICE void operator()() const {
      if constexpr (Work::has_size_in_memory) {
        // A copy: views behind a count, such as a reversed one, ask for the size.
        by_warps settled = *this;
        collective::wait_for_launch_before();
        settled.segmented.read_size(global_access{});
        settled.run_block();
      } else {
        run_block();
      }
    }

    WARPFOLD_DEVICE void run_block() const {
      WARPFOLD_SHARED collective::shared_array<accumulator, warps + 1> storage;
      collective::wait_for_launch_before();
      if (this->is_helper()) return this->help(storage);
      WARPFOLD_SHARED collective::shared_array<std::size_t, most_each> begins;
      WARPFOLD_SHARED collective::shared_array<std::size_t, most_each> lengths;
      const auto [first, count] = this->segments_of_block();
      bool is_long = false;
      if (threadIdx.x < count) {
        std::size_t begin = this->bound_of(first, threadIdx.x, count),
                    end = this->bound_of(first, threadIdx.x + 1, count);
        this->check(first + threadIdx.x, begin, end);
        begin = this->clamped(begin);
        end = this->clamped(end);
        begins.store(threadIdx.x, begin);
        lengths.store(threadIdx.x, begin < end ? end - begin : 0);
        is_long = begin < end && end - begin > longest_of_warp;
      }
      const bool has_long = __syncthreads_and(is_long ? 0 : 1) == 0;
      WARPFOLD_NO_UNROLL
      for (unsigned s = threadIdx.x / collective::warp_size; s < count; s += warps) {
        const extent own{begins.load(s), lengths.load(s)};
        if (own.length != 0 && own.length <= longest_of_warp) run(own);
      }
      bool has_entered = false;
      if (has_long) {
        WARPFOLD_NO_UNROLL
        for (unsigned s = 0; s < count; ++s) {
          const extent own{begins.load(s), lengths.load(s)};
          if (own.length > longest_of_warp) {
            has_entered |= this->take_long(first + s, own, storage);
          }
        }
      }
      this->end_of_block(has_entered);
    }

   private:
    using base::how;
    using base::segmented;

    // Folds and writes a segment by a warp.
    WARPFOLD_DEVICE void run(const extent& own) const {
      const auto& folds = segmented.reduction;
      const auto length = static_cast<unsigned>(own.length);
      const global_access memory;
      const auto elements =
          collective::elements_from(segmented.in(), own.begin, own.length, memory);
      using folds_type = typename base::reduction_type;
      constexpr unsigned row = collective::group_run<folds_type> * collective::warp_size;
      chunk<accumulator, 1> a;
      if (length <= row) {
        using tile = collective::detail::group_tile<1, folds_type, unsigned>;
        a.set(0, tile(elements, length).folded(folds, 0));
      } else if (length <= 2 * row) {
        using tile = collective::detail::group_tile<2, folds_type, unsigned>;
        a.set(0, tile(elements, length).folded(folds, 0));
      } else {
        a.set(0, collective::fold_segment(folds, own.begin, 0, own.length, memory));
      }
      const auto value = this->folded(collective::shuffle_from(a.elements[0], 0));
      __syncwarp();
      this->put(own, value, threadIdx.x % collective::warp_size, collective::warp_size);
    }
  };

  /// Launches once, or twice if the first launch writes the folds; not at all if there is nothing
  /// to write.
  template <class Work, class Launcher>
  void enqueue(const Work& work, Launcher& launcher) const {
    if (work.size() == 0 || work.elements() == 0) return;
    if constexpr (!fits<Work>) {
      enqueue_twice(work, launcher);
    } else if constexpr (collective::folds_length_nodes<typename Work::reduction_type>) {
      const std::size_t mean = work.elements() / work.size();
      if (mean >= least_mean_of_two && work.elements() >= least_elements_of_two) {
        enqueue_twice(work, launcher);
      } else {
        enqueue_folds(work, launcher);
      }
    } else {
      enqueue_folds(work, launcher);
    }
  }

 private:
  // From this mean on, many moments have one launch for the folds and one for the elements. The
  // first kernel combines nodes of different sizes for 32 segments at once. Layer norm, 256 MB,
  // H200, one launch and two: mean 16, 805 and 960 us; mean 33, 737 and 556; mean 256, 881 and 433.
  static constexpr std::size_t least_mean_of_two = 24;

  template <class Work, class Launcher>
  static void enqueue_twice(const Work& work, Launcher& launcher) {
    // More than the grid's own memory for partial states, which both kernels use.
    using stored = typename Work::stored_type;
    constexpr std::size_t least = collective::partial_bytes / sizeof(stored) + 1;
    const auto folds = launcher.template scratch<stored>(work.size() < least ? least : work.size());
    segments{}.enqueue(work.folds_to(folds.data), launcher);
    transformed_segments{}.enqueue(work.transformation_by(folds.data), launcher);
  }

  template <class Work>
  static constexpr bool fits = [] {
    if constexpr (Work::segments_type::are_adjacent && sizeof(typename Work::value_type) <= 16 &&
                  sizeof(typename Work::out_type) <= 16 &&
                  sizeof(typename Work::accumulator) <= 64) {
      return tiles<Work>::size.bytes() <= tiles<Work>::most_shared_bytes;
    } else {
      return false;
    }
  }();

  // Longer segments, on average, have a warp or a block each.
  static constexpr std::size_t most_mean_of_tiles = 96;

  template <class Work, class Launcher>
  static void enqueue_folds(const Work& work, Launcher& launcher) {
    const std::size_t count = work.size(), mean = work.elements() / count + 1;
    const auto multiprocessors = static_cast<std::size_t>(launcher.gpu().multiprocessors);
    plan how;
    if (mean > most_mean_of_tiles) {
      using body_type = by_warps<Work>;
      // A warp has several segments, if there are enough of them.
      std::size_t each = mean > body_type::longest_of_warp ? 1 : std::size_t{warps};
      while (each != 1 && each < body_type::most_each &&
             count / (2 * each) >= 32 * multiprocessors) {
        each *= 2;
      }
      how.each = static_cast<unsigned>(each);
      launch<body_type>(work, how, launcher);
    } else {
      using body_type = tiles<Work>;
      const auto head = [](std::size_t elements) { return elements == any_head ? 0 : elements; };
      how.load_head = head(work.in().head());
      how.store_head = head(work.out.head());
      // Several tiles, if there are enough for all multiprocessors; a quarter of one at least.
      const std::size_t resident =
          multiprocessors * std::size_t{body_type::min_blocks_per_multiprocessor};
      std::size_t each = 2 * std::size_t{body_type::capacity} / mean;
      const std::size_t least = each / 8;
      if (each > body_type::most_each) each = body_type::most_each;
      while (each > 1 && each > least && count / each < 2 * resident) each /= 2;
      how.each = each == 0 ? 1 : static_cast<unsigned>(each);
      while (how.lanes_log2 < 5 && mean > std::size_t{48} << how.lanes_log2) ++how.lanes_log2;
      launch<body_type>(work, how, launcher);
    }
  }

  template <class Body, class Work, class Launcher>
  static void launch(const Work& work, plan how, Launcher& launcher) {
    using groups_type = typename Body::groups_type;
    if constexpr (groups_type::exist) {
      const collective::grid_division d = groups_type::division_of(work.elements(), 2);
      how.part_log2 = d.part_log2;
      // Parts are read twice; a block may read its segment again from the L2 cache.
      const std::size_t share =
          work.elements() / (2 * static_cast<std::size_t>(launcher.gpu().multiprocessors));
      const std::size_t longest = d.longest_of_block < share ? share : d.longest_of_block;
      if (work.elements() > longest) {
        how.longest_of_block = longest;
        how.helpers = 2 * static_cast<unsigned>(launcher.gpu().multiprocessors);
      }
    }
    launcher.launch(name(), Body{{work, how, launcher.grid()}},
                    {grid_of((work.size() - 1) / how.each + 1 + how.helpers), threads});
  }
};

}  // namespace warpfold::kernel
