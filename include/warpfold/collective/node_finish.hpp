/// @file
/// The end of a fold in the declared order: one block combines the nodes of all blocks.
///
/// - Idea: node k, that of block k, is the fold of the k-th of `count` parts of the range. All have
///   the same size, a power of two; only the last part may be shorter. The last block combines the
///   nodes, some rows of posts per warp (row_fold.hpp).
/// - Nodes of up to 96 bytes are posted (posted_state.hpp), so that the last block waits for them
///   without a fence or an atomic. Blocks start in the order of their numbers. So when it runs, all
///   others run or are done. Larger nodes are stored, and the block that draws the last ticket
///   combines them.
#pragma once

#include <warpfold/collective/block_fold.hpp>
#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_finish.hpp>
#include <warpfold/collective/posted_state.hpp>

namespace warpfold::collective {

/// Rows of nodes that a warp of the last block combines, at most.
inline constexpr int node_rows = 8;

/// The maximum number of nodes of a launch whose blocks have `threads` threads.
template <class A>
constexpr std::size_t max_nodes(std::size_t threads) {
  const std::size_t most = max_blocks<A>();
  return most < threads * node_rows ? most : threads * node_rows;
}

/// The nodes of one launch, one for each block, or those of neighboring blocks of it. A launch may
/// have more blocks than nodes, if it was made for a longer range. Blocks with a node call `store`,
/// and then all call `finish`.
template <class A>
class grid_nodes {
 public:
  /// Shared memory of a block.
  using kept_node = shared_array<A, 1>;

  /// @param count nodes of the launch: at least 1, at most `max_nodes`
  /// @param first the block of the first node. Only posted nodes may have another one than 0, and
  ///     the number of the last block is less than `max_blocks`
  WARPFOLD_DEVICE grid_nodes(const grid_storage& grid, unsigned count, unsigned first = 0)
      : grid_(grid), count_(count), first_(first) {}

  /// Stores this block's node. Called by thread 0. The last block keeps its node in shared memory
  /// and posts nothing.
  WARPFOLD_DEVICE void store(const A& node, shared_span<A> kept) const {
    if constexpr (!detail::is_posted<A>) {
      stored().store(blockIdx.x, node);
    } else if (blockIdx.x == first_ + count_ - 1) {
      kept.store(0, node);
    } else {
      posted_state<A>::store(posts_of(blockIdx.x - first_), node);
    }
  }

  /// Combines all nodes. Called by all threads of every block. One thread of the launch calls
  /// `use(value)`.
  /// @param storage may have been used before by `fold_block`
  /// @param kept that of `store`
  template <class Fold, class Use>
  WARPFOLD_DEVICE void finish(const Fold& fold, shared_span<A> storage, shared_span<A> kept,
                              const Use& use) const {
    if constexpr (detail::is_posted<A>) {
      if (blockIdx.x != first_ + count_ - 1) return;
      if (count_ <= blockDim.x) {
        combine_posts<1>(fold, storage, kept, use);
      } else if (count_ <= 4 * blockDim.x) {
        combine_posts<4>(fold, storage, kept, use);
      } else {
        combine_posts<node_rows>(fold, storage, kept, use);
      }
    } else {
      WARPFOLD_SHARED shared_array<bool, 1> is_last;
      if (threadIdx.x == 0) {
        is_last.store(0, draw_ticket(grid_.ticket, gridDim.x - 1) == gridDim.x - 1);
      }
      __syncthreads();
      if (is_last.load(0)) combine_stored(fold, storage, use);
    }
  }

 private:
  WARPFOLD_DEVICE post* posts_of(unsigned k) const {
    return grid_.posts + (first_ + k) * posted_state<A>::posts;
  }
  WARPFOLD_DEVICE global_array<A> stored() const {
    return {static_cast<A*>(grid_.partials), count_};
  }
  // The node of this thread in row `row` of its warp.
  template <int Rows>
  WARPFOLD_DEVICE static unsigned node_of_thread(int row) {
    return (threadIdx.x / warp_size * Rows + static_cast<unsigned>(row)) * warp_size +
           threadIdx.x % warp_size;
  }

  template <int Rows, class Fold, class Use>
  WARPFOLD_DEVICE void combine_posts(const Fold& fold, shared_span<A> storage, shared_span<A> kept,
                                     const Use& use) const {
    using posted = posted_state<A>;
    const auto is_posted = [&](int u) { return node_of_thread<Rows>(u) < count_ - 1; };
    const auto posts = [&](int u) { return posts_of(node_of_thread<Rows>(u)); };
    chunk<A, Rows> values;
    decltype(posted::read(grid_.posts)) read[std::size_t{Rows}];
    // All reads start before one is used.
    WARPFOLD_UNROLL
    for (int u = 0; u < Rows; ++u) {
      if (is_posted(u)) read[u] = posted::read(posts(u));
    }
    WARPFOLD_UNROLL
    for (int u = 0; u < Rows; ++u) {
      if (!is_posted(u)) continue;
      if (!posted::take(read[u], values.elements[u])) {
        warpfold::detail::set_element(values, u, posted::await(posts(u)));
      }
      posted::clear(posts(u));
    }
    // Other threads may still read `storage`, and thread 0 has written `kept`. The posts are
    // cleared before the result is delivered and the workspace returned.
    __syncthreads();
    WARPFOLD_UNROLL
    for (int u = 0; u < Rows; ++u) {
      if (!is_posted(u))
        warpfold::detail::set_element(values, u, kept.load(0));  // also beyond the end
    }
    combine_values<Rows>(fold, storage, values, use);
  }

  template <class Fold, class Use>
  WARPFOLD_DEVICE void combine_stored(const Fold& fold, shared_span<A> storage,
                                      const Use& use) const {
    chunk<A, node_rows> values;
    WARPFOLD_UNROLL
    for (int u = 0; u < node_rows; ++u) {
      const unsigned k = node_of_thread<node_rows>(u);
      warpfold::detail::set_element(values, u, stored().load(k < count_ ? k : count_ - 1));
    }
    combine_values<node_rows>(fold, storage, values, use);
  }

  template <int Rows, class Fold, class Use>
  WARPFOLD_DEVICE void combine_values(const Fold& fold, shared_span<A> storage,
                                      const chunk<A, Rows>& values, const Use& use) const {
    constexpr unsigned each = Rows * warp_size;
    const unsigned first = threadIdx.x / warp_size * each;
    if (first < count_) {
      const unsigned here = count_ - first < each ? count_ - first : each;
      store_of_warp(storage, fold_rows<Rows>(fold, values, here));
    }
    fold_block(fold, storage, (count_ - 1) / each + 1, use);
  }

  const grid_storage& grid_;
  unsigned count_, first_;
};

}  // namespace warpfold::collective
