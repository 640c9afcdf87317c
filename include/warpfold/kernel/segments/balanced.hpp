/// @file
/// Folds segments that follow one another, in one launch. Blocks have equal shares of the work,
/// whatever the lengths; in a block a few lanes fold a segment.
///
/// Source: the shares are those of merge-path decomposition (D. Merrill and M. Garland,
/// "Merge-based Parallel Sparse Matrix-Vector Multiplication"; S. Baxter, moderngpu). Sharing the
/// states of blocks: see single_pass.hpp.
///
/// - Idea: the ends of the segments are merged into the elements; an end costs as much as four
///   elements. The end of segment `s` is at step `end(s) - begin(0) + 4 (s + 1)`. Each block takes
///   an equal number of steps: a search over the offsets finds its first and its last segment. A
///   warp takes 32 segments at once, fewer if they are long, and folds each by as many lanes as its
///   length asks for (lane_segments.hpp). The block's part of the segment that ends in a later
///   block is a segment too. Segments of more than 4096 elements are put aside; the whole block
///   folds them afterwards, one by one (block_segment.hpp). The last block combines the parts of
///   the segments that several blocks have a part of.
/// - Floor: a read of the elements and of the offsets, and a write of the results.
/// - Cost: each element is read once, an offset twice, the second time from the L1 cache; results
///   are written by neighboring lanes. One barrier for all segments that are not put aside. A block
///   begins with two searches at once, of at most four dependent loads for 2^32 segments; blocks of
///   fewer threads need up to seven.
/// - Order: fixed by the offsets, the alignment and the GPU: the same bits on every run.
/// - Offsets that decrease or lie outside of the range give unspecified results, but elements
///   outside of the range are not read, and other memory is not written.
/// - Needs: compute capability 7.0; PTX 8.3 (CUDA 12.3) for 16-byte posts.
#pragma once

#include <cstddef>

#include <warpfold/collective/block_segment.hpp>
#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_finish.hpp>
#include <warpfold/collective/lane_segments.hpp>
#include <warpfold/collective/lane_set.hpp>
#include <warpfold/collective/segmented_scan.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/view/global_access.hpp>
#include <warpfold/work/segmented_reduction.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct balanced_segments {
  static constexpr const char* name() { return "balanced_segments"; }

  /// The steps that the end of a segment counts for.
  static constexpr std::size_t end_cost = 4;
  /// The fewest steps of a block's share.
  static constexpr std::size_t least_share = 2048;
  /// The most steps of a share, less one.
  static constexpr std::size_t most_share = std::size_t{1} << 31;
  /// The most elements of a segment that one warp folds.
  static constexpr unsigned most_of_warp = 4096;
  /// The segments that each warp can put aside. A warp that has no room left folds longer ones too.
  static constexpr unsigned aside_of_warp = 64;

  /// The steps of the elements and of the ends of segments.
  template <class Work>
  static std::size_t steps(const Work& work) {
    return end_cost * work.size() + work.view.size();
  }

  /// True if a block's share is small enough to count its segments and elements with 32 bits.
  template <class Work>
  static bool takes(const Work& work) {
    return steps(work) / max_blocks<Work>() < most_share;
  }

  /// The code that runs on the GPU.
  template <class Work>
  struct body {
    using view_type = typename Work::view_type;
    using state = typename Work::state;

    /// Threads per block: few if states are large.
    static constexpr unsigned threads = sizeof(state) <= 32 ? 512 : sizeof(state) <= 96 ? 256 : 64;
    static constexpr unsigned warps = threads / collective::warp_size;
    static_assert(threads >= 2 * view_type::chunk_size);  // see block_segment.hpp
    static constexpr int max_block = static_cast<int>(threads);
    // Three blocks leave 40 registers for a thread: enough for eight loads in flight.
    static constexpr int min_blocks_per_multiprocessor =
        sizeof(state) <= 8 && warpfold::detail::arrays_of<view_type>() <= 1 ? 3
        : sizeof(state) <= 32                                               ? 2
                                                                            : 1;
    static constexpr int elements_a_load = 1;  // for explain_segments

    /// The folds of a block that other blocks need.
    struct record {
      std::size_t first;  ///< the segment that ends first, and the bits below
      state head;         ///< of the block's elements of that segment
      state tail;         ///< of the elements after the last segment end
    };
    static constexpr std::size_t has_end = std::size_t{1} << 63;
    static constexpr std::size_t is_open = std::size_t{1} << 62;  ///< began before the block

    Work segmented;
    caching cache;
    collective::grid_storage scratch;

    WARPFOLD_HD const Work& work() const { return segmented; }
    WARPFOLD_DEVICE void operator()() const {
      WARPFOLD_SHARED collective::shared_array<state, collective::max_warps> states;
      WARPFOLD_SHARED collective::shared_array<unsigned, warps> counts;
      WARPFOLD_SHARED collective::shared_array<unsigned, warps * aside_of_warp> aside;
      WARPFOLD_SHARED collective::shared_array<std::size_t, 2> found;
      WARPFOLD_SHARED collective::shared_array<state, 2> head_and_tail;
      run({states, counts, aside, found, head_and_tail});
    }

   private:
    struct storage {
      collective::shared_span<state> states;
      /// For each warp: ends found by the search, the length of its list, the marks of the scan.
      collective::shared_span<unsigned> counts;
      collective::shared_span<unsigned> aside;  ///< the segments put aside, from the block's first
      collective::shared_span<std::size_t> found;
      collective::shared_span<state> head_and_tail;  ///< of the block's record
    };

    /// The elements that are in segments.
    struct element_range {
      std::size_t first, last;

      WARPFOLD_DEVICE std::size_t clamped(std::size_t i) const {
        return i < first ? first : i > last ? last : i;
      }
    };

    /// A position on the path: the segments that have ended, and the next element.
    struct place {
      std::size_t segment, element;
    };

    /// What a block folds.
    struct share {
      place from, to;
      std::size_t skipped;  ///< the elements of the first segment that other blocks have

      WARPFOLD_DEVICE bool is_first_open() const { return skipped != 0; }
      WARPFOLD_DEVICE unsigned segments() const {
        return static_cast<unsigned>(to.segment - from.segment);
      }
      /// The segments, and the part of the next one if there is one.
      WARPFOLD_DEVICE unsigned segments_and_rest(std::size_t all) const {
        return segments() + (to.segment < all ? 1 : 0);
      }
      WARPFOLD_DEVICE unsigned elements() const {
        return static_cast<unsigned>(to.element - from.element);
      }
      /// Counts an element from the block's first one; those of other blocks are at the ends.
      WARPFOLD_DEVICE unsigned relative(std::size_t i) const {
        return i <= from.element ? 0
               : i >= to.element ? elements()
                                 : static_cast<unsigned>(i - from.element);
      }
    };

    WARPFOLD_DEVICE std::size_t begin_of(const element_range& in, std::size_t s,
                                         const global_loads& loads) const {
      return in.clamped(static_cast<std::size_t>(segmented.segments.begin(s, loads)));
    }
    WARPFOLD_DEVICE std::size_t end_of(const element_range& in, std::size_t s,
                                       const global_loads& loads) const {
      return in.clamped(static_cast<std::size_t>(segmented.segments.end(s, loads)));
    }

    WARPFOLD_DEVICE void run(const storage& shared) const {
      const global_loads bound_loads(caching::keep);
      const share mine = find_share(shared, bound_loads);
      if (threadIdx.x == 0) {
        const state none = segmented.fold().start();
        shared.head_and_tail.store(0, none);
        shared.head_and_tail.store(1, none);
      }
      __syncthreads();
      fold_by_warps(mine, shared, bound_loads);
      __syncthreads();
      fold_by_block(mine, shared, bound_loads);
      if (gridDim.x == 1) return;
      __syncthreads();
      finish({mine.from.segment | (mine.segments() != 0 ? has_end : 0) |
                  (mine.is_first_open() ? is_open : std::size_t{0}),
              shared.head_and_tail.load(0), shared.head_and_tail.load(1)},
             shared);
    }

    /// The first step of a block's share. The first shares have a step more.
    static WARPFOLD_DEVICE std::size_t first_step(std::size_t all, unsigned block) {
      const std::size_t each = all / gridDim.x, left = all % gridDim.x;
      return block * each + (block < left ? block : left);
    }

    /// The share of the block.
    WARPFOLD_DEVICE share find_share(const storage& shared, const global_loads& bound_loads) const {
      const std::size_t segments = segmented.size();
      const element_range in = [&] {
        const auto from = static_cast<std::size_t>(segmented.segments.begin(0, bound_loads));
        const auto to = static_cast<std::size_t>(segmented.segments.end(segments - 1, bound_loads));
        const std::size_t size = segmented.view.size();
        const std::size_t first = from < size ? from : size;
        return element_range{first, element_range{first, size}.clamped(to)};
      }();
      const std::size_t steps = end_cost * segments + (in.last - in.first);
      const std::size_t begin = first_step(steps, blockIdx.x);
      const std::size_t end = first_step(steps, blockIdx.x + 1);
      find(in, threadIdx.x < threads / 2 ? begin : end, shared, bound_loads);
      const auto place_of = [&](std::size_t segment, std::size_t step) {
        // The step may be one of a segment's end.
        const std::size_t ends = end_cost * segment;
        const std::size_t element = in.clamped(in.first + (step > ends ? step - ends : 0));
        if (segment == segments) return place{segment, in.last};
        const std::size_t last = end_of(in, segment, bound_loads);
        return place{segment, element < last ? element : last};
      };
      share mine{place_of(shared.found.load(0), begin), place_of(shared.found.load(1), end), 0};
      // Offsets that decrease may have led the searches astray.
      if (mine.to.segment < mine.from.segment) mine.to.segment = mine.from.segment;
      if (mine.to.element < mine.from.element) mine.to.element = mine.from.element;
      if (mine.from.segment < segments) {
        const std::size_t first = begin_of(in, mine.from.segment, bound_loads);
        if (first < mine.from.element) mine.skipped = mine.from.element - first;
      }
      return mine;
    }

    /// Finds how many segments have ended at a step. Each half of the block searches for a step of
    /// its own; all of its threads read an end at once.
    WARPFOLD_DEVICE void find(const element_range& in, std::size_t step, const storage& shared,
                              const global_loads& bound_loads) const {
      constexpr unsigned half = threads / 2, warps_of_half = warps / 2;
      const unsigned side = threadIdx.x / half;
      const std::size_t nth = threadIdx.x % half + 1;
      std::size_t low = 0, high = segmented.size();
      WARPFOLD_NO_UNROLL
      for (std::size_t left = high; left > 0;) {
        const std::size_t part = (left + half - 1) / half;
        const std::size_t s = low + nth * part - 1;
        const bool ended =
            s < high && end_of(in, s, bound_loads) - in.first + end_cost * (s + 1) <= step;
        const unsigned lanes = __ballot_sync(collective::full_warp, ended);
        if (threadIdx.x % collective::warp_size == 0) {
          shared.counts.store(threadIdx.x / collective::warp_size, collective::lane_count(lanes));
        }
        __syncthreads();
        std::size_t count = 0;
        WARPFOLD_NO_UNROLL
        for (unsigned w = 0; w < warps_of_half; ++w) {
          count += shared.counts.load(side * warps_of_half + w);
        }
        __syncthreads();
        low += count * part;
        if (low + part - 1 < high) high = low + part - 1;
        left = part - 1;
      }
      if (threadIdx.x % half == 0) shared.found.store(side, low);
      __syncthreads();
    }

    /// Folds the segments that end in the block, and the part of the next one. Those with many
    /// elements are put aside.
    WARPFOLD_DEVICE void fold_by_warps(const share& mine, const storage& shared,
                                       const global_loads& bound_loads) const {
      using segment = collective::lane_segment<unsigned>;
      const unsigned lane = threadIdx.x % collective::warp_size;
      const unsigned warp = threadIdx.x / collective::warp_size;
      const unsigned count = mine.segments_and_rest(segmented.size());
      // Fewer segments at once if they are long or if the warps would have too few turns.
      unsigned at_once_log2 = 5;
      while (at_once_log2 > 0 &&
             std::size_t{mine.elements()} << at_once_log2 > std::size_t{count} * 2048) {
        --at_once_log2;
      }
      while (at_once_log2 > 0 && count >> at_once_log2 < 2 * warps) --at_once_log2;
      const unsigned at_once = 1u << at_once_log2;
      const global_loads loads(cache);
      const global_access stores;

      // Loaded a turn ahead, and only then used.
      using bound = decltype(segmented.segments.begin(0, bound_loads));
      bound next_begin{}, next_end{};
      const auto load_next = [&](unsigned first) {
        if (lane < at_once && first + lane < count) {
          const std::size_t s = mine.from.segment + (first + lane);
          next_begin = segmented.segments.begin(s, bound_loads);
          next_end = segmented.segments.end(s, bound_loads);
        }
      };
      unsigned aside = 0;
      load_next(warp * at_once);
      WARPFOLD_NO_UNROLL
      for (unsigned first = warp * at_once; first < count; first += warps * at_once) {
        const bool has_one = lane < at_once && first + lane < count;
        const bool is_first = first + lane == 0;
        const unsigned begin = mine.relative(static_cast<std::size_t>(next_begin));
        const unsigned end = mine.relative(static_cast<std::size_t>(next_end));
        const segment own{begin, has_one && begin < end ? end - begin : 0};
        load_next(first + warps * at_once);
        const unsigned most =
            aside + collective::warp_size <= aside_of_warp ? most_of_warp : 1u << 31;
        const bool is_aside = own.length > most;
        const unsigned lanes_aside = __ballot_sync(collective::full_warp, is_aside);
        if (is_aside) {
          const unsigned before =
              collective::lane_count(lanes_aside & collective::lanes_below(lane));
          shared.aside.store(warp * aside_of_warp + aside + before, first + lane);
        }
        aside += collective::lane_count(lanes_aside);
        const state folded =
            collective::fold_lane_segments(segmented, mine.from.element, own,
                                           is_first ? mine.skipped : 0, at_once_log2, most, loads);
        if (has_one && !is_aside) write(mine, first + lane, own.length, folded, shared, stores);
      }
      if (lane == 0) shared.counts.store(warp, aside);
    }

    /// Writes the result of the block's `nth` segment, or keeps it for the last block if other
    /// blocks have a part of it. Called by one thread for each segment.
    WARPFOLD_DEVICE void write(const share& mine, unsigned nth, unsigned length,
                               const state& folded, const storage& shared,
                               const global_access& stores) const {
      if (nth == mine.segments()) {
        shared.head_and_tail.store(1, folded);
      } else if (nth == 0 && mine.is_first_open()) {
        shared.head_and_tail.store(0, folded);
      } else if (length == 0) {
        segmented.write_empty(mine.from.segment + nth, stores);
      } else {
        segmented.write(mine.from.segment + nth, segmented.result(folded), stores);
      }
    }

    /// Folds the segments that were put aside.
    WARPFOLD_DEVICE void fold_by_block(const share& mine, const storage& shared,
                                       const global_loads& bound_loads) const {
      const global_loads loads(cache);
      const global_access stores;
      WARPFOLD_NO_UNROLL
      for (unsigned w = 0; w < warps; ++w) {
        const unsigned count = shared.counts.load(w);
        WARPFOLD_NO_UNROLL
        for (unsigned k = 0; k < count; ++k) {
          const unsigned nth = shared.aside.load(w * aside_of_warp + k);
          const std::size_t s = mine.from.segment + nth;
          const unsigned begin =
              mine.relative(static_cast<std::size_t>(segmented.segments.begin(s, bound_loads)));
          const unsigned end =
              mine.relative(static_cast<std::size_t>(segmented.segments.end(s, bound_loads)));
          const state folded = collective::fold_segment_by_block(
              segmented, mine.from.element + begin, mine.from.element + end,
              nth == 0 ? mine.skipped : 0, shared.states, loads);
          if (threadIdx.x == 0) write(mine, nth, end - begin, folded, shared, stores);
        }
      }
    }

    /// The last block combines the folds of segments that several blocks have a part of.
    WARPFOLD_DEVICE void finish(const record& last, const storage& shared) const {
      using posted = collective::posted_state<record>;
      constexpr bool is_posted = collective::detail::is_posted<record>;
      const collective::global_array<record> partials{static_cast<record*>(scratch.partials),
                                                      gridDim.x};
      if constexpr (is_posted) {
        if (blockIdx.x != gridDim.x - 1) {
          if (threadIdx.x == 0) {
            posted::store(scratch.posts + std::size_t{blockIdx.x} * posted::posts, last);
          }
          return;
        }
      } else {
        if (threadIdx.x == 0) {
          partials.store(blockIdx.x, last);
          shared.found.store(
              0, collective::draw_ticket(scratch.ticket, gridDim.x - 1) == gridDim.x - 1);
        }
        __syncthreads();
        if (shared.found.load(0) == 0) return;
      }
      const auto fold = segmented.fold();
      const global_access stores;
      state carry = fold.start();
      WARPFOLD_NO_UNROLL
      for (unsigned done = 0; done < gridDim.x; done += threads) {
        const unsigned b = done + threadIdx.x;
        record own = last;
        if (b >= gridDim.x) {
          own = record{0, fold.start(), fold.start()};
        } else if constexpr (is_posted) {
          if (b != gridDim.x - 1) {
            collective::post* const from = scratch.posts + std::size_t{b} * posted::posts;
            own = posted::await(from, last);
            posted::clear(from);
          }
        } else {
          own = partials.load(b);
        }
        const bool ends = (own.first & has_end) != 0;
        const state before =
            collective::segmented_scan(fold, own.tail, ends, carry, shared.states, shared.counts);
        if (ends && (own.first & is_open) != 0) {
          segmented.write(own.first & (is_open - 1),
                          segmented.result(fold.combine(before, own.head)), stores);
        }
        __syncthreads();
      }
    }
  };

  /// The most blocks: as many as can share their states.
  template <class Work>
  static constexpr std::size_t max_blocks() {
    return collective::max_blocks<typename body<Work>::record>();
  }

  /// Launches once; only if `takes(work)`.
  template <class Work, class Launcher>
  void enqueue(const Work& work, Launcher& launcher) const {
    using body_type = body<Work>;
    const std::size_t segments = work.size();
    if (segments == 0) return;
    constexpr std::size_t most = max_blocks<Work>();
    const std::size_t shares = steps(work) / least_share + 1;
    std::size_t blocks = static_cast<std::size_t>(body_type::min_blocks_per_multiprocessor) *
                         static_cast<std::size_t>(launcher.gpu().multiprocessors);
    if (blocks > most) blocks = most;
    if (blocks > shares) blocks = shares;
    const std::size_t least = steps(work) / most_share + 1;
    if (blocks < least) blocks = least < most ? least : most;
    const caching cache = tuning::caching_of_reads(work, launcher.gpu());
    launcher.launch(name(), body_type{work, cache, launcher.grid()},
                    {grid_of(blocks), body_type::threads});
  }
};

}  // namespace warpfold::kernel
