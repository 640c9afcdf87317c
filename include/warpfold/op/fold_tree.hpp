/// @file
/// Combines a few values in the registers of one thread.
#pragma once

#include <warpfold/core/config.hpp>

namespace warpfold {

/// The values `get(From)` ... `get(From + N - 1)`, combined as a balanced tree: as many independent
/// operations as there can be, and a rounding error that grows with log N and not with N.
template <int From, int N, class Combine, class Get>
WARPFOLD_DEVICE auto fold_tree(const Combine& combine, const Get& get) {
  if constexpr (N == 1) {
    return get(From);
  } else {
    return combine(fold_tree<From, N / 2>(combine, get),
                   fold_tree<From + N / 2, N - N / 2>(combine, get));
  }
}

/// The same for the first of them only: `has(k)` says which those are, and is true for `From`. `has(k)` and not
/// `has(k - 1)` cannot be. All are read and combined, and what is too much is left out: behind a branch ptxas would
/// put the loads that `get` needs as well.
template <int From, int N, class Combine, class Get, class Has>
WARPFOLD_DEVICE auto fold_tree_of_first(const Combine& combine, const Get& get, const Has& has) {
  if constexpr (N == 1) {
    return get(From);
  } else {
    const auto left = fold_tree_of_first<From, N / 2>(combine, get, has);
    const auto both = combine(left, fold_tree_of_first<From + N / 2, N - N / 2>(combine, get, has));
    return has(From + N / 2) ? both : left;
  }
}

}  // namespace warpfold
