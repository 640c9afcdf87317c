/// @file
/// Combines values of a thread one after the other in the declared order (op/fold_order.hpp).
#pragma once

#include <warpfold/emulation/execution_model.hpp>
#include <warpfold/view/chunk.hpp>

namespace warpfold::collective {

/// The nodes of up to 2^`Levels` values: of each size, one at most.
template <class A, int Levels>
class thread_nodes {
 public:
  WARPFOLD_DEVICE thread_nodes() {
    // GCC does not see that `add` sets them.
    __builtin_memset(static_cast<void*>(&of_), 0, sizeof of_);
  }
  /// If threads of a warp add different numbers of values: `any` is what is combined and discarded.
  WARPFOLD_DEVICE explicit thread_nodes(const A& any) {
    WARPFOLD_UNROLL
    for (int level = 0; level <= Levels; ++level) of_.set(level, any);
  }

  /// Adds value `k`; value 0 may be the one of the constructor. After that constructor, all threads
  /// call it with the same `k`, and those that have the value with `exists`.
  inline WARPFOLD_DEVICE void add(const auto& fold, unsigned k, const A& value,
                                  bool exists = true) {
    add_to<0>(fold, k, value, exists);
  }
  /// The fold of the first `count` values; `count` is at least 1.
  inline WARPFOLD_DEVICE A folded(const auto& fold, unsigned count) const {
    A total = of_.elements[0];
    bool is_first = true;
    WARPFOLD_UNROLL
    for (int level = 0; level <= Levels; ++level) {
      if ((count >> level & 1) == 0) continue;
      if (is_first) {
        total = of_.elements[level];
      } else {
        total = fold.apply(of_.elements[level], total);
      }
      is_first = false;
    }
    return total;
  }
  /// The fold of the first `count` values and then of `last`, fewer than one of the values has.
  inline WARPFOLD_DEVICE A folded(const auto& fold, unsigned count, const A& last) const {
    A total = last;
    WARPFOLD_UNROLL
    for (int level = 0; level <= Levels; ++level) {
      if ((count >> level & 1) != 0) total = fold.apply(of_.elements[level], total);
    }
    return total;
  }

 private:
  template <int Level, class Fold>
  WARPFOLD_DEVICE void add_to(const Fold& fold, unsigned k, const A& node, bool exists) {
    if constexpr (Level < Levels) {
      if ((k >> Level & 1) != 0) {
        return add_to<Level + 1>(fold, k, fold.apply(of_.elements[Level], node), exists);
      }
    }
    if (exists) of_.set(Level, node);
  }

  chunk<A, Levels + 1> of_;
};

}  // namespace warpfold::collective
