/// @file
/// The end of a fold in the declared order: one block combines the nodes of all blocks. Node k is
/// the fold of the k-th of `count` parts of the range, which have the same size, a power of two;
/// only the last part may be shorter.
///
/// Nodes of up to 96 bytes are posted (posted_state.hpp), so that the last block waits for them
/// without a fence or an atomic: blocks start in the order of their numbers, so all others run or
/// are done. Larger nodes are stored, and the block that draws the last ticket combines them.
#pragma once

#include <warpfold/collective/block_fold.hpp>
#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_finish.hpp>
#include <warpfold/collective/posted_state.hpp>
#include <warpfold/collective/tile_fold.hpp>

namespace warpfold::collective {

/// Rows of nodes that a warp of the last block combines, at most, if each block leaves one.
inline constexpr int node_rows = 8;

/// The maximum number of nodes of a launch whose blocks have `threads` threads and leave one each.
template <class A>
constexpr std::size_t max_nodes(std::size_t threads) {
  const std::size_t most = max_blocks<A>();
  return most < threads * node_rows ? most : threads * node_rows;
}
/// The same if a block may leave several.
template <class A>
constexpr std::size_t max_nodes_of_few(std::size_t threads) {
  return detail::is_posted<A> ? max_states<A>() : max_nodes<A>(threads);
}

/// The nodes of one launch, or of neighboring blocks of it. A launch may have more blocks than
/// nodes, if it was made for a longer range. Blocks with a node call `store` for each, and then all
/// call `finish`. The block with the last node stores it last, and finishes.
template <class A>
class grid_nodes {
 public:
  using kept_node = shared_array<A, 1>;

  /// @param count the nodes: at least 1, at most `max_nodes`; if blocks leave several, at most
  ///     `max_nodes_of_few`
  /// @param first the number of the first node in the launch. Only posted nodes may have another
  ///     one than 0, and that of the last node is less than `max_blocks`
  WARPFOLD_DEVICE grid_nodes(const grid_storage& grid, unsigned count, unsigned first = 0)
      : grid_(grid), count_(count), first_(first) {}

  /// Stores node `k`. Called by one thread. The last node stays in shared memory.
  WARPFOLD_DEVICE void store(unsigned k, const A& node, shared_span<A> kept) const {
    if constexpr (!detail::is_posted<A>) {
      stored().store(k, node);
    } else if (k == count_ - 1) {
      kept.store(0, node);
    } else {
      posted_state<A>::store(posts_of(k), node);
    }
  }

  /// Combines all nodes. All threads of every block call it; one of the launch calls `use(value)`.
  /// @param has_last true in the block with the last node
  /// @param storage may have been used before by `fold_block`
  /// @param kept that of `store`
  inline WARPFOLD_DEVICE void finish([[maybe_unused]] bool has_last, const auto& fold,
                                     shared_span<A> storage, shared_span<A> kept,
                                     const auto& use) const {
    if constexpr (detail::is_posted<A>) {
      if (!has_last) return;
      if (count_ <= blockDim.x) {
        combine_few_posts(fold, storage, kept, use);
      } else {
        combine_posts(fold, storage, kept, use);
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
  // Combines at most one post per thread.
  WARPFOLD_DEVICE void combine_few_posts(const auto& fold, shared_span<A> storage,
                                         shared_span<A> kept, const auto& use) const {
    const unsigned first = threadIdx.x / warp_size * warp_size;
    const chunk<A, 1> values = await_rows<1>(first, kept, true);
    if (first < count_) {
      const unsigned here = count_ - first < warp_size ? count_ - first : warp_size;
      store_of_warp(storage, fold_rows<1>(fold, values, here));
    }
    fold_block(fold, storage, (count_ - 1) / warp_size + 1, use);
  }
  WARPFOLD_DEVICE void combine_posts(const auto& fold, shared_span<A> storage, shared_span<A> kept,
                                     const auto& use) const {
    // More rows of wide nodes would take more registers than the rest of the kernel. Moments of
    // floats, two posts, H200, 4 rows -> 2: 4 MB 7.54 -> 7.10 us, 64 MB 36.5 -> 38.4.
    constexpr int rows = posted_state<A>::posts == 1 ? 4 : posted_state<A>::posts == 2 ? 2 : 1;
    constexpr unsigned at_once = rows * warp_size;
    unsigned each = at_once;
    while (blockDim.x / warp_size * each < count_) each *= 2;
    const unsigned first = threadIdx.x / warp_size * each;
    tile_values nodes(fold);
    WARPFOLD_NO_UNROLL
    for (unsigned from = first; from < first + each; from += at_once) {
      const chunk<A, rows> values = await_rows<rows>(from, kept, from == first);
      if (from >= count_) continue;
      const unsigned here = count_ - from < at_once ? count_ - from : at_once;
      nodes.add(fold_rows<rows>(fold, values, here));
    }
    if (first < count_) store_of_warp(storage, nodes.folded());
    fold_block(fold, storage, (count_ - 1) / each + 1, use);
  }
  // The nodes of a warp from `from` on. Clears their posts.
  template <int Rows>
  WARPFOLD_DEVICE chunk<A, Rows> await_rows(unsigned from, shared_span<A> kept,
                                            bool is_first) const {
    using posted = posted_state<A>;
    const auto node = [&](int u) {
      return from + static_cast<unsigned>(u) * warp_size + threadIdx.x % warp_size;
    };
    const auto is_posted = [&](int u) { return node(u) < count_ - 1; };
    chunk<A, Rows> values;
    decltype(posted::read(grid_.posts)) read[std::size_t{Rows}];
    unsigned missing = 0;  // a bit for each row
    WARPFOLD_UNROLL
    for (int u = 0; u < Rows; ++u) missing |= (is_posted(u) ? 1u : 0u) << u;
    // Reads all that are missing at once: one read takes as long as many. 4 MB of doubles, H100,
    // 257 nodes, one after the other -> at once: 4.1 -> 3.1 us.
    WARPFOLD_NO_UNROLL
    while (missing != 0) {
      WARPFOLD_UNROLL
      for (int u = 0; u < Rows; ++u) {
        if ((missing >> u & 1) != 0) read[u] = posted::read(posts_of(node(u)));
      }
      WARPFOLD_UNROLL
      for (int u = 0; u < Rows; ++u) {
        if ((missing >> u & 1) != 0 && posted::take(read[u], values.elements[u])) {
          missing &= ~(1u << u);
        }
      }
      if (missing == 0) break;
      if constexpr (Rows == 1) {
        values.set(0, posted::await(posts_of(node(0))));
        break;
      } else {
        wait_for_posts();
      }
    }
    WARPFOLD_UNROLL
    for (int u = 0; u < Rows; ++u) {
      if (is_posted(u)) posted::clear(posts_of(node(u)));
    }
    // Other threads may still read `storage`, and thread 0 has written `kept`. The posts are
    // cleared before the result is delivered and the workspace returned.
    if (is_first) __syncthreads();
    WARPFOLD_UNROLL
    for (int u = 0; u < Rows; ++u) {
      if (!is_posted(u)) values.set(u, kept.load(0));  // also beyond the end
    }
    return values;
  }

  inline WARPFOLD_DEVICE void combine_stored(const auto& fold, shared_span<A> storage,
                                             const auto& use) const {
    constexpr unsigned each = node_rows * warp_size;
    const unsigned first = threadIdx.x / warp_size * each;
    if (first < count_) {
      chunk<A, node_rows> values;
      WARPFOLD_UNROLL
      for (unsigned u = 0; u < node_rows; ++u) {
        const unsigned k = first + u * warp_size + threadIdx.x % warp_size;
        values.set(u, stored().load(k < count_ ? k : count_ - 1));
      }
      const unsigned here = count_ - first < each ? count_ - first : each;
      store_of_warp(storage, fold_rows<node_rows>(fold, values, here));
    }
    fold_block(fold, storage, (count_ - 1) / each + 1, use);
  }

  const grid_storage& grid_;
  unsigned count_, first_;
};

}  // namespace warpfold::collective
