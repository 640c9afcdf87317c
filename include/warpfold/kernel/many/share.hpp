/// @file
/// Folds a range, or a part of it, by a warp or by all threads of a block: the step that the
/// kernels of lists have in common (kernel/many/ranges.hpp, kernel/many/listed.hpp).
///
/// - Idea: with a declared order (op/fold_order.hpp), a part is a power of two of chunks, and each
///   warp folds a node of it. Otherwise the parts of a range have equally many chunks.
/// - Cost: every byte is read once; 16-byte loads, or narrower ones if a range with an order is not
///   aligned to 16 bytes; at most one barrier.
#pragma once

#include <cstddef>

#include <warpfold/collective/block_fold.hpp>
#include <warpfold/collective/block_reduce.hpp>
#include <warpfold/collective/launch_overlap.hpp>
#include <warpfold/collective/thread_fold.hpp>
#include <warpfold/collective/tile_fold.hpp>
#include <warpfold/kernel/automatic.hpp>
#include <warpfold/view/global_access.hpp>

namespace warpfold::kernel {

/// What a warp or a block folds: a part of a range, or all of it.
struct range_share {
  unsigned of_range;  ///< the parts of the range
  unsigned part;      ///< of these
  unsigned warps;     ///< that fold it together: 1 or all of a block

  WARPFOLD_DEVICE bool by_warp() const { return warps == 1; }
  WARPFOLD_DEVICE bool is_whole() const { return of_range == 1; }
  WARPFOLD_DEVICE unsigned threads() const { return warps * collective::warp_size; }
  /// The number of a thread of the block among those that fold this.
  WARPFOLD_DEVICE unsigned thread(unsigned of_block) const { return of_block & (threads() - 1); }
};

/// The folds of shares by blocks of `1 << WarpsLog2` warps.
template <class Reduction, unsigned WarpsLog2>
struct share_fold {
  using accumulator = typename Reduction::accumulator;
  using state = typename Reduction::state;

  static constexpr unsigned warps = 1u << WarpsLog2;
  static constexpr bool is_ordered = detail::has_declared_order<Reduction>;
  static constexpr int unroll = collective::loads_in_flight<Reduction>(64);
  static constexpr int rows = detail::rows_in_flight<Reduction>(64);
  /// The chunks that a warp loads at once.
  static constexpr unsigned tile = rows * collective::warp_size;
  // Tiles of wider accumulators take more registers, and so do chunks of 16 chars.
  static constexpr int min_blocks_per_multiprocessor =
      !is_ordered ? (sizeof(state) <= 16 ? 4 : 1)
      : sizeof(state) <= 4 && !collective::chunks_are_long<Reduction> ? 4
      : sizeof(state) <= 8                                            ? 3
      : sizeof(state) <= 16                                           ? 2
                                                                      : 1;

  using values_type = collective::shared_array<accumulator, warps>;

  /// Folds a share of the range of `r`, which has elements. One thread calls `use(value)`. All
  /// threads that fold it together call it.
  /// @param shift log2 of the chunks of a part, each of at least a tile for each warp
  /// @param values a value for each warp. A barrier separates two uses of it
  static WARPFOLD_DEVICE void fold(const Reduction& r, const range_share& at, unsigned shift,
                                   caching cache, collective::shared_span<accumulator> values,
                                   const auto& use) {
    const global_loads loads(cache);
    if constexpr (is_ordered) {
      const auto chunks = collective::chunks_of<unsigned>(r.view);
      unsigned from = 0, here = chunks.count, each_log2 = 5;  // of a warp: at least a row
      if (at.is_whole()) {
        while (at.warps << each_log2 < here) ++each_log2;
      } else {
        from = at.part << shift;
        if (here - from < 1u << shift) {
          here -= from;
        } else {
          here = 1u << shift;
        }
        each_log2 = shift - WarpsLog2;
      }
      const unsigned before = (at.thread(threadIdx.x) / collective::warp_size) << each_log2;
      if (before < here) {
        const unsigned own = from + before, left = here - before, each = 1u << each_log2;
        const unsigned count = left < each ? left : each;
        const accumulator a =
            each <= tile ? collective::fold_tile_of<rows>(r, chunks, own, count, each, loads)
                         : collective::fold_tiles<rows>(r, chunks, own, own + count, loads);
        if (!at.by_warp()) {
          collective::store_of_warp(values, a);
        } else if (at.thread(threadIdx.x) == 0) {
          use(a);
        }
      }
      // After the loads: waiting blocks slow down blocks that load.
      collective::let_next_launch_start();
      if (at.by_warp()) return;
      collective::fold_block(r.fold(), values, ((here - 1) >> each_log2) + 1, use);
    } else {
      WARPFOLD_SHARED collective::shared_array<state, warps> states;
      const partition all = partition_of(r.view);
      const std::size_t rounds =
          static_cast<unsigned>(all.chunks) / (unroll * at.threads() * at.of_range);
      const state own = collective::thread_fold<unroll>(
          r, {all, rounds}, loads, {at.part, at.of_range, at.thread(threadIdx.x), at.threads()});
      collective::let_next_launch_start();
      const state folded = collective::block_reduce(r.fold(), own, states, at.warps);
      if (at.thread(threadIdx.x) == 0) use(r.fold().value(folded));
    }
  }
};

}  // namespace warpfold::kernel
