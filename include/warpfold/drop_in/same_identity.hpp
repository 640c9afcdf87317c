/// @file
/// The identity of another library's function object.
#pragma once

#include <warpfold/op/multiplies.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/op/traits.hpp>

namespace warpfold::detail {

// The traits of `Theirs`, a function object of another library that computes what `Ours` computes.
// Their function object runs; only the identity is ours.
template <class Theirs, class Ours, class T>
struct same_identity {
  using accumulator = op_result_t<Theirs, T, T>;
  static constexpr bool has_identity = op_traits<Ours, T>::has_identity;
  static WARPFOLD_HD constexpr T identity(const Theirs&) {
    return op_traits<Ours, T>::identity(Ours{});
  }
};

}  // namespace warpfold::detail
