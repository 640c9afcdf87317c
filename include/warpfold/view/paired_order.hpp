/// @file
/// Whether mdspans whose elements are paired in memory order have the same order.
#pragma once

#include <warpfold/core/error.hpp>
#include <warpfold/view/mdspan.hpp>

namespace warpfold::detail {

// The mdspan whose order a view follows: itself, or the first one of an expression.
template <class Range>
struct ordering_mdspan {
  static constexpr bool exists = false;
};
template <mdspan_like Mdspan>
struct ordering_mdspan<Mdspan> {
  static constexpr bool exists = true;
  using type = Mdspan;
  static const Mdspan& of(const Mdspan& m) { return m; }
};

// @throws invalid_range if two mdspans of the same extents have another order in memory
template <mdspan_like A, mdspan_like B>
void require_one_order_of(const A& a, const B& b) {
  constexpr auto rank = static_cast<int>(A::rank());
  if constexpr (rank > 1 && rank <= max_array_rank && rank == static_cast<int>(B::rank()) &&
                A::is_always_strided() && B::is_always_strided()) {
    const array_shape of_a = shape_of(a), of_b = shape_of(b);
    for (int d = 0; d < rank; ++d) {
      if (of_a.extent[d] != of_b.extent[d] || of_a.extent[d] == 0) return;
    }
    if (of_a.order() == of_b.order()) return;
    message m(
        "warpfold: elements are paired in memory order, but two mdspans of the same extents have "
        "different layouts, strides of ");
    of_a.list_strides(m);
    m << " and of ";
    of_b.list_strides(m);
    m << "; pass mdspans of one layout, or pair by index: reduce_axes over all axes of zip(a, b), "
         "or transform to an mdspan";
    throw_error<invalid_range>(m);
  }
}

template <class A, class B>
void require_one_order_of_two(const A& a, const B& b) {
  if constexpr (ordering_mdspan<A>::exists && ordering_mdspan<B>::exists) {
    require_one_order_of(ordering_mdspan<A>::of(a), ordering_mdspan<B>::of(b));
  }
}

// Checks each pair among ranges whose elements are paired.
// @throws invalid_range if two mdspans of the same extents have another order in memory
template <class First, class... More>
void require_one_order(const First& first, const More&... more) {
  (require_one_order_of_two(first, more), ...);
  if constexpr (sizeof...(More) > 1) require_one_order(more...);
}

}  // namespace warpfold::detail
