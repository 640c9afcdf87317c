/// @file
/// Folds segments anywhere in a range, with gaps and overlaps: a warp per segment.
///
/// - Idea: the lanes of a warp take neighboring elements, four each at once, and combine their
///   states by shuffles. Each warp strides over the segments.
/// - Floor: a read of the elements and of the bounds, and a write of the results.
/// - Cost: one launch without shared memory and barriers. Loads of one element are coalesced. One
///   segment has one warp, so a segment that is much longer than the others takes long.
///   Segments shorter than 32 elements leave lanes idle. Nobody has measured it.
/// - Order: fixed by the length of a segment.
/// - Bounds that lie outside of the range are clamped to it.
#pragma once

#include <cstddef>

#include <warpfold/collective/warp_reduce.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/tuning.hpp>
#include <warpfold/op/fold_tree.hpp>
#include <warpfold/view/global_access.hpp>
#include <warpfold/work/segmented_reduction.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct segment_warps {
  static constexpr const char* name() { return "segment_warps"; }

  static constexpr unsigned block = 256;

  /// The code that runs on the GPU.
  template <class Work>
  struct body {
    using state = typename Work::state;
    using accumulator = typename Work::accumulator;

    static constexpr int max_block = sizeof(state) <= 16 ? 1024 : block;
    static constexpr int elements_a_load = 1;  // for explain_segments
    static constexpr unsigned loads = sizeof(state) <= 32 ? 4 : 1;

    Work segmented;
    caching cache;

    WARPFOLD_HD const Work& work() const { return segmented; }
    WARPFOLD_DEVICE void operator()() const {
      const auto fold = segmented.fold();
      const global_loads bounds(caching::keep), elements(cache);
      const global_access stores;
      const unsigned lane = threadIdx.x % collective::warp_size;
      const unsigned warps = blockDim.x / collective::warp_size;
      const std::size_t size = segmented.view.size();
      WARPFOLD_NO_UNROLL
      for (std::size_t s = std::size_t{blockIdx.x} * warps + threadIdx.x / collective::warp_size;
           s < segmented.size(); s += std::size_t{gridDim.x} * warps) {
        const auto begin = static_cast<std::size_t>(segmented.segments.begin(s, bounds));
        auto end = static_cast<std::size_t>(segmented.segments.end(s, bounds));
        if (end > size) end = size;
        if (begin >= end) {
          if (lane == 0) segmented.write_empty(s, stores);
          continue;
        }
        state seen = fold.start();
        WARPFOLD_NO_UNROLL
        for (std::size_t i = begin + lane; i < end; i += loads * collective::warp_size) {
          // Missing elements are the first one again, and the result is discarded.
          const auto inside = [&](unsigned u) { return u * collective::warp_size < end - i; };
          const auto lifted = [&](unsigned u) {
            const std::size_t own = inside(u) ? i + u * collective::warp_size : i;
            return segmented.lift(segmented.view.at(own, elements), own - begin);
          };
          chunk<accumulator, int{loads}> some;
          WARPFOLD_UNROLL
          for (unsigned u = 0; u < loads; ++u) {
            ::new (static_cast<void*>(&some.elements[u])) accumulator(lifted(u));
          }
          WARPFOLD_UNROLL
          for (unsigned u = 0; u < loads; ++u) {
            const state more = fold.combine(seen, fold.state_of(some.elements[u]));
            if (inside(u)) seen = more;
          }
        }
        seen = collective::warp_reduce(fold, seen);
        if (lane == 0) segmented.write(s, segmented.result(seen), stores);
      }
    }
  };

  /// Launches once.
  template <class Work, class Launcher>
  void enqueue(const Work& work, Launcher& launcher) const {
    const std::size_t segments = work.size();
    if (segments == 0) return;
    constexpr std::size_t warps = block / collective::warp_size;
    const std::size_t most = 8 * static_cast<std::size_t>(launcher.gpu().multiprocessors);
    const std::size_t blocks = (segments + warps - 1) / warps;
    std::size_t bytes = 0;
    work.visit_read([&](const void*, std::size_t n, std::size_t) { bytes += n; });
    const caching cache = tuning::row_for(bytes, launcher.gpu()).cache;
    launcher.launch(name(), body<Work>{work, cache},
                    {grid_of(blocks < most ? blocks : most), block});
  }
};

}  // namespace warpfold::kernel
