/// @file
/// Combines a few values in the registers of one thread.
#pragma once

#include <warpfold/core/config.hpp>

namespace warpfold {

/// Combines the values `get(From)` ... `get(From + Count - 1)` as a balanced tree: with the most
/// independent operations, and a rounding error that grows with log N instead of N.
template <int From, int Count, class Combine, class Get>
WARPFOLD_DEVICE auto fold_tree(const Combine& combine, const Get& get) {
  if constexpr (Count == 1) {
    return get(From);
  } else {
    return combine(fold_tree<From, Count / 2>(combine, get),
                   fold_tree<From + Count / 2, Count - Count / 2>(combine, get));
  }
}

/// Combines only the first values: those with `has(k)`, which is true for `From`, and false for all
/// k after the first false. It reads and combines all values and discards the rest: behind a branch
/// ptxas would also move the loads of `get`.
template <int From, int Count, class Combine, class Get, class Has>
WARPFOLD_DEVICE auto fold_tree_of_first(const Combine& combine, const Get& get, const Has& has) {
  if constexpr (Count == 1) {
    return get(From);
  } else {
    const auto left = fold_tree_of_first<From, Count / 2>(combine, get, has);
    const auto both =
        combine(left, fold_tree_of_first<From + Count / 2, Count - Count / 2>(combine, get, has));
    return has(From + Count / 2) ? both : left;
  }
}

}  // namespace warpfold
