/// @file
/// Whether mdspans whose elements are paired in memory order have the same order.
#pragma once

#include <cstddef>

#include <warpfold/core/error.hpp>
#include <warpfold/view/mdspan.hpp>

namespace warpfold::detail {

// The mdspan whose order the view of an array follows: the mdspan itself, or the first one of an
// expression of arrays. Other ranges have none.
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

// Adds the layout's name to a message, or the strides if it has none.
template <int Rank>
void name_layout(message& m, const dimension (&dims)[std::size_t{Rank}]) {
  bool right = true, left = true;
  std::size_t from_right = 1, from_left = 1;
  for (int d = 0; d < Rank; ++d) {
    left &= dims[d].stride == from_left;
    from_left *= dims[d].extent;
    right &= dims[Rank - 1 - d].stride == from_right;
    from_right *= dims[Rank - 1 - d].extent;
  }
  if (right || left) {
    m << (right ? "layout_right" : "layout_left");
    return;
  }
  m << "strides of ";
  for (int d = 0; d < Rank; ++d) m << (d == 0 ? "" : ", ") << dims[d].stride;
}

// @throws invalid_range if two mdspans of the same extents have another order in memory
template <mdspan_like A, mdspan_like B>
void require_one_order_of(const A& a, const B& b) {
  constexpr auto rank = static_cast<int>(A::rank());
  if constexpr (rank > 1 && rank == static_cast<int>(B::rank()) && A::is_always_strided() &&
                B::is_always_strided()) {
    dimension of_a[std::size_t{rank}], of_b[std::size_t{rank}];
    for (int d = 0; d < rank; ++d) {
      of_a[d] = dimension_of(a, d);
      of_b[d] = dimension_of(b, d);
      if (of_a[d].extent != of_b[d].extent || of_a[d].extent == 0) return;
    }
    // Of equal strides the last index varies fastest, as in `memory_order`.
    const auto is_outer = [](const dimension* dims, int d, int e) {
      return dims[d].stride >= dims[e].stride;
    };
    for (int d = 0; d < rank; ++d) {
      for (int e = d + 1; e < rank; ++e) {
        if (of_a[d].extent == 1 || of_a[e].extent == 1) continue;
        if (is_outer(of_a, d, e) == is_outer(of_b, d, e)) continue;
        message m(
            "warpfold: elements are paired in memory order, but two mdspans of the same "
            "extents have different layouts, ");
        name_layout<rank>(m, of_a);
        m << " and ";
        name_layout<rank>(m, of_b);
        m << "; pass mdspans of one layout, or pair by index: reduce_axes over all axes of "
             "zip(a, b), or transform to an mdspan";
        throw invalid_range(m);
      }
    }
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
