/// @file
/// Expressions of arrays: `project`, `zip` and `broadcast` of mdspans keep the dimensions, for
/// calls that fold along some of them.
#pragma once

#include <type_traits>

#include <warpfold/view/matrix.hpp>

namespace warpfold::detail {

// A function of arrays: it declares `is_array_expression` and the type of its elements.
template <class A>
concept array_expression = requires {
  requires A::is_array_expression;
  typename A::value_type;
};

// An mdspan or a function of mdspans.
template <class A>
concept has_axes = mdspan_like<A> || array_expression<A>;

template <class A>
struct array_element {
  using value_type = typename A::value_type;
};
template <mdspan_like A>
struct array_element<A> {
  using value_type = std::remove_cv_t<typename A::element_type>;
};
// The type of the elements of an array or of a function of arrays.
template <has_axes A>
using array_element_t = typename array_element<A>::value_type;

// True if the elements can be taken as a range, in memory order.
template <class A>
concept converts_to_view = mdspan_like<A> || requires(const A& a) { a.view(); };

}  // namespace warpfold::detail
