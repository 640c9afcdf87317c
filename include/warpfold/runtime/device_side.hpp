/// @file
/// needs: cuda
/// Makes nvcc refuse what cannot run on the GPU.
#pragma once

#include <warpfold/config.hpp>

namespace warpfold::runtime {

/// Names every function of the user's that a kernel with this reduction calls: the op, and the functions
/// and iterators of its view. The library's own functions are for both sides and silence nvcc's check of
/// sides (WARPFOLD_ANY_SIDE); without this, a `__host__` op would be compiled to nothing, and the result
/// be wrong without a word. Never executed.
template <class Reduction>
WARPFOLD_DEVICE void name_user_functions(const Reduction& r,
                                         const typename Reduction::accumulator* a) {
  (void)r.op(*a, *a);
  if constexpr (requires { r.view.name_user_functions(); }) r.view.name_user_functions();
}

}  // namespace warpfold::runtime
