/// @file
/// The last steps of a fold in the declared order (op/fold_order.hpp): one thread completes the
/// tree from nodes that come from left to right. The nodes that wait for their neighbor stay in
/// memory: those of a `fold_stack` would take local memory of every thread.
#pragma once

#include <cstddef>

#include <warpfold/collective/global_array.hpp>

namespace warpfold::collective {

/// The nodes so far. One thread uses it.
template <class A>
class waiting_nodes {
 public:
  /// The maximum number of nodes that wait: one of each size, and one at the end.
  static constexpr std::size_t most = 65;

  /// @param memory for as many nodes as wait. It may be the array that the nodes are loaded from:
  ///     fewer wait than have been loaded
  WARPFOLD_DEVICE explicit waiting_nodes(const global_array<A>& memory) : memory_(memory) {}

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
    std::size_t k = count_ - 1;
    A total = memory_.load(k);
    while (k > 0) total = fold.apply(memory_.load(--k), total);
    return total;
  }

 private:
  global_array<A> memory_;
  std::size_t elements_ = 0, count_ = 0;
};

}  // namespace warpfold::collective
