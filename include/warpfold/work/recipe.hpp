/// @file
/// Types that an op and an element type determine, for all groupings.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <warpfold/core/error.hpp>
#include <warpfold/op/lift.hpp>
#include <warpfold/op/traits.hpp>

namespace warpfold::detail {

// The type that an op folds for an element of type T.
template <class Op, class T>
using lifted_t = std::remove_cvref_t<decltype(lift_by(std::declval<const Op&>(),
                                                      std::declval<const T&>(), std::size_t{}))>;

// The type of a result without an init, and the type that the op folds elements of type T in.
template <class Op, class T>
using folded_t = typename op_traits<Op, lifted_t<Op, T>>::accumulator;
template <class Op, class T>
using accumulator_t = typename op_traits<Op, folded_t<Op, T>>::accumulator;

// The type of a result for an accumulator `A`.
template <class Op, class A>
using finished_t =
    std::remove_cvref_t<decltype(finished(std::declval<const Op&>(), std::declval<const A&>()))>;

// Returns an element as the op must see it (op/in_register.hpp): `x` itself if it needs no guard.
WARPFOLD_ANY_SIDE
template <bool IsComputed, class Op, class T>
WARPFOLD_HD constexpr auto guarded_for(const in_register& keep, const T& x)
    -> std::conditional_t<IsComputed && !never_compares<Op>, T, const T&> {
  if constexpr (IsComputed && !never_compares<Op>) {
    return keep(x);
  } else {
    return x;
  }
}

// @throws empty_range if folds along an axis have no elements, and `Work`'s op no identity
template <class Work>
void require_elements(const Work& work) {
  if (work.has_identity || work.layout.length != 0) return;
  throw_error<empty_range>(
      "warpfold: cannot fold along an axis of extent 0: the op has no identity. Give it one: "
      "wf::with_identity(op, value)");
}

}  // namespace warpfold::detail
