/// @file
/// The sizes of the nodes of the declared order (op/fold_order.hpp) that consecutive elements of a
/// whole consist of, in two words: an argument of a kernel for each rank.
#pragma once

#include <bit>
#include <cstddef>

#include <warpfold/core/config.hpp>
#include <warpfold/op/fold_order.hpp>

namespace warpfold::detail {

/// From left to right, the sizes of nodes first grow and then shrink. Each is a power of two, and
/// occurs at most once while they grow, and once while they shrink: a bit of a word. The last node
/// of the whole may have fewer elements than its size says.
class node_sizes {
 public:
  node_sizes() = default;
  /// Those of the elements `first` to `last - 1` of `whole`.
  node_sizes(std::size_t first, std::size_t last, std::size_t whole) {
    std::size_t before = 0;
    for_each_node(first, last, whole, [&](std::size_t from, std::size_t to) {
      const std::size_t size = std::bit_ceil(to - from);
      (shrinking_ == 0 && size > before ? growing_ : shrinking_) |= size;
      before = size;
      ++count_;
    });
    largest_ = std::bit_floor(shrinking_);
  }

  WARPFOLD_HD unsigned count() const { return count_; }
  /// Calls `f(size)` for each node, from left to right.
  WARPFOLD_ANY_SIDE
  template <class F>
  WARPFOLD_HD void for_each(const F& f) const {
    for (std::size_t left = growing_; left != 0; left &= left - 1) f(left & (~left + 1));
    for (std::size_t size = largest_; size != 0; size /= 2) {
      if ((shrinking_ & size) != 0) f(size);
    }
  }

 private:
  std::size_t growing_ = 0, shrinking_ = 0;
  std::size_t largest_ = 0;  // of those that shrink
  unsigned count_ = 0;
};

}  // namespace warpfold::detail
