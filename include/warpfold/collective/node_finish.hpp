/// @file
/// The end of a fold in the declared order: one block combines the nodes of all blocks.
///
/// - Idea: node k is the fold of the k-th of `count` parts of the range, all of the same size: a
///   power of two. Blocks write as many nodes as they have parts. The block with the highest number
///   combines them, a row of posts per warp as in row_fold.hpp.
/// - Nodes of up to 96 bytes are posted (posted_state.hpp), so the last block waits for them
/// without
///   a fence or an atomic. Blocks start in the order of their numbers. So when it runs, all others
///   run or are done. Larger nodes are stored, and the block that draws the last ticket combines
///   them.
#pragma once

#include <warpfold/collective/block_fold.hpp>
#include <warpfold/collective/global_array.hpp>
#include <warpfold/collective/grid_finish.hpp>
#include <warpfold/collective/posted_state.hpp>

namespace warpfold::collective {

/// Rows of nodes that a warp of the last block combines, at most.
inline constexpr int node_rows = 4;

/// The maximum number of nodes of a launch whose blocks have `threads` threads.
template <class A>
constexpr std::size_t max_nodes(std::size_t threads) {
  const std::size_t most = max_blocks<A>();
  return most < threads * node_rows ? most : threads * node_rows;
}

namespace detail {

// Combines `count` nodes, as the whole block; a warp takes `Rows` rows of them. `nodes.load(k,
// node)` returns false if node k is not there yet, `nodes.await(k)` returns it, `nodes.clear(k)`
// forgets it. Node `own` is in `kept`.
template <int Rows, class Fold, class A, class Nodes, class Use>
WARPFOLD_DEVICE void fold_nodes(const Fold& fold, unsigned count, shared_span<A> storage,
                                unsigned own, shared_span<A> kept, const Nodes& nodes,
                                const Use& use) {
  constexpr unsigned each = Rows * warp_size;
  const unsigned first = threadIdx.x / warp_size * each;
  const unsigned lane = threadIdx.x % warp_size;
  const auto index = [&](int u) { return first + static_cast<unsigned>(u) * warp_size + lane; };
  const auto is_elsewhere = [&](unsigned k) { return k < count && k != own; };
  chunk<A, Rows> values;
  bool is_there[std::size_t{Rows}];
  // All loads start before one is used.
  WARPFOLD_UNROLL
  for (int u = 0; u < Rows; ++u) {
    const unsigned k = index(u);
    is_there[u] = !is_elsewhere(k) || nodes.load(k, values.elements[u]);
  }
  WARPFOLD_UNROLL
  for (int u = 0; u < Rows; ++u) {
    if (!is_there[u]) set_element(values, u, nodes.await(index(u)));
    if (is_elsewhere(index(u))) nodes.clear(index(u));
  }
  // The storage was used before, and this block's own node is kept. The nodes are cleared before
  // the result is delivered and the workspace returned.
  __syncthreads();
  if (first < count) {
    WARPFOLD_UNROLL
    for (int u = 0; u < Rows; ++u) {
      if (index(u) == own) set_element(values, u, kept.load(0));
    }
    const unsigned here = count - first < each ? count - first : each;
    store_of_warp(storage, fold_rows<Rows>(fold, values, here));
  }
  fold_block(fold, storage, (count - 1) / each + 1, use);
}

}  // namespace detail

/// The nodes of one launch. A block calls `store` for each of its parts, in ascending order, and
/// then `finish`.
template <class A>
class grid_nodes {
 public:
  /// Shared memory of a block.
  using kept_node = shared_array<A, 1>;

  /// @param count nodes of the launch: at least 1, at most `max_nodes`
  WARPFOLD_DEVICE grid_nodes(const grid_storage& grid, unsigned count)
      : grid_(grid), count_(count) {}

  /// Stores node `k`. Called by thread 0; a barrier of the block separates two calls. The last node
  /// of the block that combines all need not travel: it is kept.
  WARPFOLD_DEVICE void store(unsigned k, const A& node, shared_span<A> kept) const {
    if constexpr (detail::is_posted<A>) {
      if (is_last_block() && k + gridDim.x >= count_) {
        kept.store(0, node);
      } else {
        posted_state<A>::store(grid_.posts + k * posted_state<A>::posts, node);
      }
    } else {
      stored().store(k, node);
    }
  }

  /// Combines all nodes. Called by all threads of every block. One thread of the launch calls
  /// `use(value)`.
  /// @param last the block's last node
  /// @param storage not in use, or a barrier separates this use from the last one
  template <class Fold, class Use>
  WARPFOLD_DEVICE void finish(const Fold& fold, unsigned last, shared_span<A> storage,
                              shared_span<A> kept, const Use& use) const {
    if constexpr (detail::is_posted<A>) {
      if (is_last_block()) combine(fold, last, storage, kept, posted_nodes{grid_.posts}, use);
    } else {
      WARPFOLD_SHARED shared_array<bool, 1> is_last;
      if (threadIdx.x == 0) {
        is_last.store(0, draw_ticket(grid_.ticket, gridDim.x - 1) == gridDim.x - 1);
      }
      __syncthreads();
      if (is_last.load(0)) combine(fold, ~0u, storage, kept, stored_nodes{stored()}, use);
    }
  }

 private:
  // Each node as posts; or in memory, where all are when they are read.
  struct posted_nodes {
    post* posts;
    using posted = posted_state<A>;

    WARPFOLD_DEVICE bool load(unsigned k, A& node) const {
      return posted::load(posts + k * posted::posts, node);
    }
    WARPFOLD_DEVICE A await(unsigned k) const { return posted::await(posts + k * posted::posts); }
    WARPFOLD_DEVICE void clear(unsigned k) const { posted::clear(posts + k * posted::posts); }
  };
  struct stored_nodes {
    global_array<A> nodes;

    WARPFOLD_DEVICE bool load(unsigned, A&) const { return false; }
    WARPFOLD_DEVICE A await(unsigned k) const { return nodes.load(k); }
    WARPFOLD_DEVICE void clear(unsigned) const {}
  };

  WARPFOLD_DEVICE global_array<A> stored() const {
    return {static_cast<A*>(grid_.partials), count_};
  }
  // A launch may have more blocks than nodes, if it was made for a larger range.
  WARPFOLD_DEVICE bool is_last_block() const {
    return blockIdx.x == (gridDim.x < count_ ? gridDim.x : count_) - 1;
  }
  template <class Fold, class Nodes, class Use>
  WARPFOLD_DEVICE void combine(const Fold& fold, unsigned own, shared_span<A> storage,
                               shared_span<A> kept, const Nodes& nodes, const Use& use) const {
    if (count_ <= blockDim.x) {
      detail::fold_nodes<1>(fold, count_, storage, own, kept, nodes, use);
    } else {
      detail::fold_nodes<node_rows>(fold, count_, storage, own, kept, nodes, use);
    }
  }

  const grid_storage& grid_;
  unsigned count_;
};

}  // namespace warpfold::collective
