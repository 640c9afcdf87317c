/// @file
/// Some elements of a whole as nodes of the declared order (op/fold_order.hpp), in parts that are
/// folded independently of each other.
#pragma once

#include <bit>
#include <cstddef>

#include <warpfold/core/config.hpp>
#include <warpfold/op/fold_order.hpp>

namespace warpfold::detail {

/// The nodes of the tree of `whole` elements that make up the elements `first` to `last - 1`. Nodes
/// longer than `length` are divided into parts of that length, so that many blocks can fold them. A
/// shorter node is one part.
///
///     length 4:   1  2 | 4    4    4  | 2  1      parts of the elements 1 to 18
///
class node_parts {
 public:
  /// Elements of the range that begins with element `first` of the whole.
  struct part {
    std::size_t first, size;
  };

  /// @param last at most `whole`
  /// @param length a power of two, at most `last - first`; 1 if there are no elements
  node_parts(std::size_t first, std::size_t last, std::size_t whole, std::size_t length)
      : first_(first),
        last_(last),
        whole_(whole),
        shift_(static_cast<unsigned>(std::countr_zero(length))),
        begin_(first + ((~first + 1) & (length - 1))),
        end_(last - (last & (length - 1))),
        before_(static_cast<unsigned>(std::popcount(begin_ - first))),
        after_(last == whole ? unsigned{last != end_}
                             : static_cast<unsigned>(std::popcount(last - end_))) {}

  /// The number of parts.
  WARPFOLD_HD std::size_t size() const { return before_ + ((end_ - begin_) >> shift_) + after_; }

  /// The part after those of a node of up to `size` elements, a power of two, whose first part is
  /// `p`.
  WARPFOLD_HD std::size_t end_of_node(std::size_t p, std::size_t size) const {
    const std::size_t parts = size >> shift_ == 0 ? 1 : size >> shift_, all = this->size();
    return parts < all - p ? p + parts : all;
  }

  /// Part number `p`.
  WARPFOLD_HD part at(std::size_t p) const {
    if (p < before_) {
      // The lengths of these nodes are the bits of their sum, the smallest first.
      const std::size_t left = without_lowest_bits(begin_ - first_, p);
      return {begin_ - left - first_, lowest_bit(left)};
    }
    const std::size_t from = begin_ + ((p - before_) << shift_);
    if (from < end_) return {from - first_, std::size_t{1} << shift_};
    if (last_ == whole_) return {end_ - first_, last_ - end_};
    const std::size_t there = without_lowest_bits(last_ - end_, size() - 1 - p);
    return {end_ + there - lowest_bit(there) - first_, lowest_bit(there)};
  }

  /// Combines the folds of the parts, and calls `use(fold)` for each node, from left to right.
  /// `combine(left, right)` combines two nodes.
  template <class A, class Combine, class Use>
  void for_each_node(const A* parts, const Combine& combine, const Use& use) const {
    const auto next = [&](std::size_t, std::size_t) -> const A& { return *parts++; };
    detail::for_each_node(first_, last_, whole_, [&](std::size_t from, std::size_t to) {
      use(fold_by_nodes<A>(combine, next, std::size_t{1} << shift_, from, to));
    });
  }

 private:
  static WARPFOLD_HD std::size_t lowest_bit(std::size_t x) { return x & (~x + 1); }
  static WARPFOLD_HD std::size_t without_lowest_bits(std::size_t x, std::size_t bits) {
    for (; bits > 0; --bits) x &= x - 1;
    return x;
  }

  std::size_t first_, last_, whole_;
  unsigned shift_;           // log2 of the length
  std::size_t begin_, end_;  // of the parts of that length
  unsigned before_, after_;  // the numbers of other parts
};

}  // namespace warpfold::detail
