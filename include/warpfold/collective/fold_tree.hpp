/// @file
/// Combines a few values in the registers of one thread.
#pragma once

#include <warpfold/config.hpp>

namespace warpfold::collective {

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

}  // namespace warpfold::collective
