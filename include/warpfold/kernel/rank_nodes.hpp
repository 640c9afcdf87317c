/// @file
/// Folds the nodes of the declared order (op/fold_order.hpp) that a rank's elements consist of, in
/// one launch, and then calls `finish`, which sends them to the other ranks.
///
/// - Idea: blocks fold parts of the nodes (kernel/nodes.hpp). The block that is done last combines
///   them, a warp for each node. Then its first warp calls `finish`.
/// - Cost: every byte is read once; one ticket for each block.
/// - Needs: compute capability 7.0.
#pragma once

#include <cstddef>

#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/collective/last_block.hpp>
#include <warpfold/collective/rank_state.hpp>
#include <warpfold/collective/row_fold.hpp>
#include <warpfold/collective/tile_fold.hpp>
#include <warpfold/core/launch_shape.hpp>
#include <warpfold/kernel/nodes.hpp>
#include <warpfold/op/node_sizes.hpp>

namespace warpfold::kernel {

/// See the top of this file.
struct rank_nodes {
  static constexpr const char* name() { return "rank_nodes"; }

  /// @tparam Finish `finish(reduction)` finds the nodes in `own`. All lanes of a warp call it
  template <class Reduction, class Finish>
  struct body {
    using accumulator = typename Reduction::accumulator;
    static constexpr int max_block = nodes::threads;
    static constexpr int min_blocks_per_multiprocessor =
        nodes::body<Reduction>::min_blocks_per_multiprocessor;
    static constexpr int unroll = nodes::body<Reduction>::unroll;

    Reduction reduction;
    nodes::part_fold<Reduction> fold_part;
    warpfold::detail::node_sizes sizes;
    std::size_t moved_by;                         ///< added to the indices in the nodes
    collective::global_array<accumulator> folds;  ///< of the parts
    collective::global_array<accumulator> own;    ///< receives the nodes
    collective::grid_storage scratch;
    Finish finish;

    WARPFOLD_HD const Reduction& work() const { return reduction; }
    WARPFOLD_DEVICE void operator()() const {
      WARPFOLD_SHARED typename nodes::part_fold<Reduction>::storage_type storage;
      if (blockIdx.x < folds.size) {
        fold_part(reduction, blockIdx.x, storage,
                  [&](const accumulator& a) { folds.store(blockIdx.x, a); });
      }
      if (!collective::is_last_block(scratch, 0, gridDim.x)) return;
      combine_parts();
      __syncthreads();
      if (threadIdx.x < collective::warp_size) finish(reduction);
    }

   private:
    // Combines the parts of each node: a warp for each.
    WARPFOLD_DEVICE void combine_parts() const {
      const auto fold = reduction.fold();
      const unsigned warp = threadIdx.x / collective::warp_size;
      const unsigned lane = threadIdx.x % collective::warp_size;
      std::size_t first = 0;  // the first part of the node
      unsigned node = 0;
      sizes.for_each([&](std::size_t size) {
        const std::size_t end = fold_part.parts.end_of_node(first, size);
        if (node % nodes::warps == warp) {
          const auto a = collective::fold_values(fold, first, end,
                                                 [&](std::size_t p) { return folds.load(p); });
          if (lane == 0) own.store(node, collective::moved_node(reduction, a, moved_by));
        }
        first = end;
        ++node;
      });
    }
  };

  /// Launches once.
  /// @param parts,sizes of the elements of `r`
  /// @param folds memory for the folds of the parts
  /// @param own memory for the nodes
  template <class Reduction, class Finish, class Launcher,
            class A = typename Reduction::accumulator>
  static void enqueue(const char* name, const Reduction& r, const nodes::node_parts& parts,
                      const warpfold::detail::node_sizes& sizes, std::size_t moved_by,
                      const collective::global_array<A>& folds,
                      const collective::global_array<A>& own, const Finish& finish,
                      Launcher& launcher) {
    launcher.launch(name,
                    body<Reduction, Finish>{r,
                                            nodes::part_fold<Reduction>(r, parts, launcher.gpu()),
                                            sizes,
                                            moved_by,
                                            {folds.data, parts.size()},
                                            own,
                                            launcher.grid(),
                                            finish},
                    {parts.size() == 0 ? 1 : grid_of(parts.size()), nodes::threads});
  }
};

}  // namespace warpfold::kernel
