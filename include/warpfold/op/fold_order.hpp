/// @file
/// The declared order of folds: which elements are combined with each other first.
///
/// The fold of n elements is a tree over their positions 0 to n - 1. On every level, neighbors are
/// paired at even positions, the left one before the right one; a node without a neighbor moves up
/// unchanged. For seven elements:
///
///     0 1   2 3   4 5   6
///      +     +     +    |
///      '--+--'     '--+-'
///         '-----+-----'
///
/// So each node is a fold of 2^k elements from a multiple of 2^k on. The last node of a level may
/// have fewer. Nothing else decides: not the policy, the number of threads, the width of vectors,
/// or where the range lies in memory. Operands keep their sides: `op(b, a)` may differ from `op(a,
/// b)`.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include <warpfold/core/config.hpp>

namespace warpfold {

namespace detail {

// Uninitialized memory for one node of each size. Large nodes are on the heap, so only host code
// may have them.
template <class A>
union fold_slot {
  A node;
  WARPFOLD_HD fold_slot() {}
};
template <class A, int Depth, bool IsLarge = (sizeof(A) > 1024)>
struct fold_slots {
  fold_slot<A> of[std::size_t{Depth}];
};
template <class A, int Depth>
struct fold_slots<A, Depth, true> {
  fold_slot<A>* of = new fold_slot<A>[std::size_t{Depth}];

  fold_slots() = default;
  fold_slots(const fold_slots&) = delete;  // it owns memory
  fold_slots& operator=(const fold_slots&) = delete;
  WARPFOLD_HD ~fold_slots() { delete[] of; }
};

}  // namespace detail

/// Combines nodes from left to right in the declared order. It holds at most one node of each size:
/// those that still wait for their neighbor. `combine(left, right)` combines two nodes.
/// @tparam Depth the number of sizes: of fewer than 2^Depth nodes
template <class A, int Depth = 64>
class fold_stack {
  static_assert(std::is_trivially_destructible_v<A>);

 public:
  WARPFOLD_HD fold_stack() {}  // no initializer: it would clear all nodes

  /// The elements pushed so far.
  WARPFOLD_HD std::size_t size() const { return size_; }

  /// Appends a node of `elements` elements: a power of two of which `size()` is a multiple. Only
  /// the last node may have fewer.
  WARPFOLD_ANY_SIDE
  template <class Combine>
  WARPFOLD_HD void push(const A& node, std::size_t elements, const Combine& combine) {
    A own = node;
    for (std::size_t pairs = size_ / elements; (pairs & 1) != 0; pairs >>= 1) {
      own = combine(nodes_.of[--count_].node, own);
    }
    ::new (static_cast<void*>(&nodes_.of[count_++].node)) A(own);
    size_ += elements;
  }

  /// The fold of all nodes and then `last`.
  WARPFOLD_ANY_SIDE
  template <class Combine>
  WARPFOLD_HD A folded(const A& last, const Combine& combine) const {
    A total = last;
    for (int k = count_; k > 0; --k) total = combine(nodes_.of[k - 1].node, total);
    return total;
  }
  /// The fold of all nodes, at least one.
  WARPFOLD_ANY_SIDE
  template <class Combine>
  WARPFOLD_HD A folded(const Combine& combine) const {
    A total = nodes_.of[count_ - 1].node;
    for (int k = count_ - 1; k > 0; --k) total = combine(nodes_.of[k - 1].node, total);
    return total;
  }

 private:
  std::size_t size_ = 0;
  int count_ = 0;
  detail::fold_slots<A, Depth> nodes_;
};

namespace detail {

// The fold of elements `first` to `last - 1`, at least one, by nodes of `length` elements, a power
// of two: `node(from, to)` folds one. Positions count from `first`.
template <class A, class Combine, class Node>
A fold_by_nodes(const Combine& combine, const Node& node, std::size_t length, std::size_t first,
                std::size_t last) {
  if (last - first <= length) return node(first, last);
  fold_stack<A> nodes;
  for (; last - first > length; first += length) {
    nodes.push(node(first, first + length), length, combine);
  }
  return nodes.folded(node(first, last), combine);
}

// Calls `f(from, to)` for the nodes of the tree of `whole` elements that make up the elements
// `first` to `last - 1`, from left to right: at most two of each size. Each has a power of two of
// elements; a node that ends with the whole may have fewer. `last` is at most `whole`.
template <class F>
constexpr void for_each_node(std::size_t first, std::size_t last, std::size_t whole, const F& f) {
  while (first < last) {
    std::size_t length = 1;
    while ((first & (2 * length - 1)) == 0 && length < last - first &&
           (last == whole || length <= (last - first) / 2) && 2 * length != 0) {
      length *= 2;
    }
    const std::size_t to = length < last - first ? first + length : last;
    f(first, to);
    first = to;
  }
}

// The fold of `Count` elements, a power of two, from `first` on.
WARPFOLD_ANY_SIDE
template <int Count, class Combine, class Element>
WARPFOLD_HD auto fold_node(const Combine& combine, const Element& element, std::size_t first) {
  if constexpr (Count == 1) {
    return element(first);
  } else {
    return combine(fold_node<Count / 2>(combine, element, first),
                   fold_node<Count / 2>(combine, element, first + Count / 2));
  }
}

// The fold of `Count` values, level by level: loops that compilers vectorize.
WARPFOLD_ANY_SIDE
template <std::size_t Count, class A, class Combine>
WARPFOLD_HD A fold_levels(const Combine& combine, const A* values) {
  if constexpr (Count == 1) {
    return *values;
  } else {
    A pairs[Count / 2];
    for (std::size_t k = 0; k < Count / 2; ++k) {
      pairs[k] = combine(values[2 * k], values[2 * k + 1]);
    }
    return fold_levels<Count / 2>(combine, pairs);
  }
}

// The fold of elements `first` to `last - 1`: at least one, and fewer than 2 * `Count`.
WARPFOLD_ANY_SIDE
template <class A, int Count, class Combine, class Element>
WARPFOLD_HD A fold_few(const Combine& combine, const Element& element, std::size_t first,
                       std::size_t last) {
  if constexpr (Count == 1) {
    return element(first);
  } else {
    if (last - first < Count) return fold_few<A, Count / 2>(combine, element, first, last);
    const A node = fold_node<Count>(combine, element, first);
    if (last - first == Count) return node;
    return combine(node, fold_few<A, Count / 2>(combine, element, first + Count, last));
  }
}

}  // namespace detail

/// The fold of `element(first)` to `element(last - 1)`, at least one, in the declared order.
/// Positions count from `first`.
WARPFOLD_ANY_SIDE
template <class A, class Combine, class Element>
WARPFOLD_HD A fold_in_order(const Combine& combine, const Element& element, std::size_t first,
                            std::size_t last) {
  // Nodes in registers: enough independent operations to hide latencies. Numbers take more at once,
  // because a node on the stack costs as much as a few additions.
  constexpr int few = sizeof(A) <= 64 ? 8 : 1;
  if (last - first < 2 * few) return detail::fold_few<A, few>(combine, element, first, last);
  fold_stack<A> nodes;
  if constexpr (std::is_arithmetic_v<A>) {
    constexpr std::size_t some = 128;
    for (; last - first > some; first += some) {
      A pairs[some / 2];
      for (std::size_t k = 0; k < some / 2; ++k) {
        pairs[k] = combine(element(first + 2 * k), element(first + 2 * k + 1));
      }
      nodes.push(detail::fold_levels<some / 2>(combine, pairs), some, combine);
    }
  }
  for (; last - first > few; first += few) {
    nodes.push(detail::fold_node<few>(combine, element, first), few, combine);
  }
  return nodes.folded(detail::fold_few<A, few>(combine, element, first, last), combine);
}

}  // namespace warpfold
