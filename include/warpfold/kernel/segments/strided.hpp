/// @file
/// Folds segments anywhere in a range, with gaps and overlaps: each block has the same number of
/// segments.
///
/// - Idea: a warp takes 32 segments at once, fewer if there are few, and strides over the segments.
///   It folds each by as many lanes as its length asks for (lane_segments.hpp). Segments of more
///   than 4096 elements, or 512 if most warps have no segment, are put aside. The whole block folds
///   these afterwards, one by one (block_segment.hpp).
/// - Floor: a read of the elements and of the bounds, and a write of the results.
/// - Cost: one launch without a search and without waiting for other blocks, so small ranges take
///   less time than with balanced.hpp. If one segment has most elements, one block does most work.
/// - Order: fixed by the bounds of all segments, the alignment and the GPU.
/// - Bounds that lie outside of the range are clamped to it.
#pragma once

#include <cstddef>

#include <warpfold/collective/block_segment.hpp>
#include <warpfold/collective/lane_segments.hpp>
#include <warpfold/collective/lane_set.hpp>
#include <warpfold/collective/shared_array.hpp>
#include <warpfold/collective/shuffle.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/view/global_access.hpp>
#include <warpfold/work/segmented_reduction.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct strided_segments {
  static constexpr const char* name() { return "strided_segments"; }

  static constexpr unsigned warps = 8;
  static constexpr unsigned threads = warps * collective::warp_size;
  /// The maximum number of elements of a segment that a warp folds while its list has room: with
  /// more than two turns for each block, and with fewer turns.
  static constexpr unsigned most_of_warp = 4096, most_of_warp_if_few = 512;
  /// The segments that each warp can put aside.
  static constexpr unsigned aside_of_warp = 64;

  /// The code that runs on the GPU.
  template <class Work>
  struct body {
    using state = typename Work::state;

    static constexpr int max_block = threads;
    static constexpr int min_blocks_per_multiprocessor = sizeof(state) <= 16 ? 4 : 1;
    static constexpr int elements_a_load = 1;  // for explain_segments

    Work segmented;
    caching cache;
    unsigned at_once_log2;  ///< log2 of the segments that a warp takes at once
    unsigned most;          ///< longer segments are put aside

    WARPFOLD_HD const Work& work() const { return segmented; }
    WARPFOLD_DEVICE void operator()() const {
      WARPFOLD_SHARED collective::shared_array<state, collective::max_warps> states;
      WARPFOLD_SHARED collective::shared_array<unsigned, warps> counts;
      WARPFOLD_SHARED collective::shared_array<std::size_t, warps * aside_of_warp> aside;
      const global_loads loads(cache);
      const unsigned warp = threadIdx.x / collective::warp_size;
      const unsigned count = fold_by_warps(aside, loads);
      if (threadIdx.x % collective::warp_size == 0) counts.store(warp, count);
      if (__syncthreads_and(count == 0) != 0) return;
      WARPFOLD_NO_UNROLL
      for (unsigned w = 0; w < warps; ++w) {
        WARPFOLD_NO_UNROLL
        for (unsigned k = 0; k < counts.load(w); ++k) {
          const std::size_t s = aside.load(w * aside_of_warp + k);
          const extent own = extent_of(s);
          const state folded = collective::fold_segment_by_block(
              segmented, own.begin, own.begin + own.length, 0, states, loads);
          if (threadIdx.x == 0) segmented.write(s, segmented.result(folded), global_access{});
        }
      }
    }

   private:
    struct extent {
      std::size_t begin, length;
    };

    WARPFOLD_DEVICE extent extent_of(std::size_t s) const {
      const global_loads loads(caching::keep);
      const auto begin = static_cast<std::size_t>(segmented.segments.begin(s, loads));
      const auto end = static_cast<std::size_t>(segmented.segments.end(s, loads));
      const std::size_t size = segmented.view.size();
      const std::size_t last = end < size ? end : size;
      return {begin, begin < last ? last - begin : 0};
    }

    /// Folds the segments of the warp, and puts those with many elements aside. Returns how many.
    WARPFOLD_DEVICE unsigned fold_by_warps(collective::shared_span<std::size_t> aside,
                                           const global_loads& loads) const {
      const global_access stores;
      const unsigned lane = threadIdx.x % collective::warp_size;
      const unsigned own_warp = threadIdx.x / collective::warp_size;
      const std::size_t all_warps = std::size_t{gridDim.x} * warps;
      unsigned count = 0;
      WARPFOLD_NO_UNROLL
      for (std::size_t first = (std::size_t{own_warp} * gridDim.x + blockIdx.x) << at_once_log2;
           first < segmented.size(); first += all_warps << at_once_log2) {
        const std::size_t s = first + lane;
        const bool has_one = lane >> at_once_log2 == 0 && s < segmented.size();
        extent own{0, 0};
        if (has_one) own = extent_of(s);
        const bool is_aside = own.length > most;
        const unsigned lanes_aside = __ballot_sync(collective::full_warp, is_aside);
        const unsigned place =
            count + collective::lane_count(lanes_aside & collective::lanes_below(lane));
        const bool has_room = count + collective::lane_count(lanes_aside) <= aside_of_warp;
        if (lanes_aside != 0 && has_room) {
          if (is_aside) aside.store(own_warp * aside_of_warp + place, s);
          count += collective::lane_count(lanes_aside);
        }
        // What does not fit is folded here, in parts whose lengths fit 32 bits.
        std::size_t done = 0;
        std::size_t left = is_aside && has_room ? 0 : own.length;
        state folded = segmented.fold().start();
        WARPFOLD_NO_UNROLL
        do {
          constexpr unsigned most_at_once = 1u << 31;
          const unsigned length = left < most_at_once ? static_cast<unsigned>(left) : most_at_once;
          folded = segmented.fold().combine(
              folded,
              collective::fold_lane_segments(
                  segmented, 0, collective::lane_segment<std::size_t>{own.begin + done, length},
                  done, at_once_log2, most_at_once, loads));
          done += length;
          left -= length;
        } while (__ballot_sync(collective::full_warp, left != 0) != 0);
        if (!has_one || (is_aside && has_room)) continue;
        if (own.length == 0) {
          segmented.write_empty(s, stores);
        } else {
          segmented.write(s, segmented.result(folded), stores);
        }
      }
      return count;
    }
  };

  /// Launches once.
  template <class Work, class Launcher>
  void enqueue(const Work& work, Launcher& launcher) const {
    const std::size_t segments = work.size();
    if (segments == 0) return;
    const std::size_t most = std::size_t{body<Work>::min_blocks_per_multiprocessor} *
                             static_cast<std::size_t>(launcher.gpu().multiprocessors);
    // Segments go to all blocks first, and then to the warps of each block.
    unsigned at_once_log2 = 0;
    while (at_once_log2 < 5 && segments >> at_once_log2 > warps * most) ++at_once_log2;
    const std::size_t turns = ((segments - 1) >> at_once_log2) + 1;
    const std::size_t blocks = turns < most ? turns : most;
    const caching cache = tuning::caching_of_reads(work, launcher.gpu());
    launcher.launch(name(),
                    body<Work>{work, cache, at_once_log2,
                               turns <= 2 * blocks ? most_of_warp_if_few : most_of_warp},
                    {grid_of(blocks), threads});
  }
};

}  // namespace warpfold::kernel
