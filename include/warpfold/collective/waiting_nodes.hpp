/// @file
/// The last steps of a fold in the declared order (op/fold_order.hpp): a warp completes the tree
/// from the nodes of several ranks. The nodes that wait for their neighbor stay in shared memory,
/// or in that of the nodes: those of a `fold_stack` would take local memory of every thread.
#pragma once

#include <cstddef>

#include <warpfold/collective/shared_array.hpp>
#include <warpfold/emulation/execution_model.hpp>

namespace warpfold::collective {

/// The nodes so far, from left to right. One thread uses it.
/// @tparam Memory a `shared_span` or `global_array` of nodes
template <class A, class Memory>
class waiting_nodes {
 public:
  /// The maximum number of nodes that wait: one of each size, and one at the end.
  static constexpr unsigned most = 65;

  /// @param memory for as many nodes as wait. The nodes may be loaded from there: fewer wait than
  ///     have been loaded
  WARPFOLD_DEVICE explicit waiting_nodes(const Memory& memory) : memory_(memory) {}

  /// Appends a node of `size` elements: a power of two of which the elements so far are a multiple.
  /// The last node may have fewer, and then `size` is the next power of two.
  WARPFOLD_ANY_SIDE
  template <class Fold>
  WARPFOLD_DEVICE void push(const Fold& fold, const A& node, std::size_t size) {
    A own = node;
    for (std::size_t s = size; (elements_ & s) != 0; s *= 2) {
      own = fold.apply(memory_.load(--count_), own);
    }
    memory_.store(count_++, own);
    elements_ += size;
  }

  /// The fold of all nodes, at least one.
  WARPFOLD_ANY_SIDE
  template <class Fold>
  WARPFOLD_DEVICE A folded(const Fold& fold) const {
    unsigned k = count_ - 1;
    A total = memory_.load(k);
    while (k > 0) total = fold.apply(memory_.load(--k), total);
    return total;
  }

 private:
  Memory memory_;
  std::size_t elements_ = 0;
  unsigned count_ = 0;
};

/// Folds the nodes of all ranks, at least one. All lanes of a warp call it; lane 0 calls
/// `use(value)`.
///
/// - Cost: 32 nodes are loaded at once, and one lane combines them, one after another. Nodes of
///   more than 96 bytes are loaded one at a time.
/// @param sizes_of `sizes_of(rank)` returns the `node_sizes` of a rank
/// @param nodes_of `nodes_of(rank)` returns an array that begins with its nodes. Those of rank 0
///     are overwritten
WARPFOLD_ANY_SIDE
template <class A, class Fold, class SizesOf, class NodesOf, class Use>
WARPFOLD_DEVICE void fold_nodes_of_ranks(const Fold& fold, int ranks, const SizesOf& sizes_of,
                                         const NodesOf& nodes_of, const Use& use) {
  const unsigned lane = threadIdx.x % 32;
  if constexpr (sizeof(A) <= 96) {
    using memory = shared_span<A>;
    WARPFOLD_SHARED shared_array<A, 32> batch;
    WARPFOLD_SHARED shared_array<A, waiting_nodes<A, memory>::most> storage;
    waiting_nodes<A, memory> waiting(storage);
    for (int r = 0; r < ranks; ++r) {
      const auto nodes = nodes_of(r);
      const auto sizes = sizes_of(r);
      unsigned next = 0;
      sizes.for_each([&](std::size_t size) {
        if (next % 32 == 0) {
          __syncwarp();
          if (next + lane < sizes.count()) batch.store(lane, nodes.load(next + lane));
          __syncwarp();
        }
        if (lane == 0) waiting.push(fold, batch.load(next % 32), size);
        ++next;
      });
    }
    if (lane == 0) use(waiting.folded(fold));
  } else if (lane == 0) {
    waiting_nodes<A, decltype(nodes_of(0))> waiting(nodes_of(0));
    for (int r = 0; r < ranks; ++r) {
      const auto nodes = nodes_of(r);
      unsigned next = 0;
      sizes_of(r).for_each([&](std::size_t size) { waiting.push(fold, nodes.load(next++), size); });
    }
    use(waiting.folded(fold));
  }
}

}  // namespace warpfold::collective
