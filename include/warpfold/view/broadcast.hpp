/// @file
/// `broadcast<Dims...>(array)`: an array that repeats along the other dimensions of an expression.
#pragma once

#include <cstddef>
#include <type_traits>

#include <warpfold/view/as_view.hpp>
#include <warpfold/view/layout.hpp>
#include <warpfold/view/mdspan.hpp>
#include <warpfold/view/range_check.hpp>

namespace warpfold {

/// An array whose dimensions are the dimensions `Dims` of an expression. The elements repeat along
/// all others: the strides there are 0. `broadcast` makes one.
template <class Array, int... Dims>
struct broadcast_array {
  static constexpr bool is_array_expression = true;
  using value_type = detail::array_element_t<Array>;

  Array array;
};

namespace detail {

template <class T>
struct strided_array {
  static constexpr bool is_array_expression = true;
  using value_type = std::remove_cv_t<T>;

  const T* data;
  array_shape shape;
};

template <int... Dims>
constexpr bool distinct_dimensions() {
  unsigned seen = 0;
  bool distinct = true;
  const int dims[] = {Dims..., 0};
  for (std::size_t i = 0; i < sizeof...(Dims); ++i) {
    const int d = dims[i];
    distinct = distinct && d >= 0 && d < max_array_rank && (seen >> d) % 2 == 0;
    if (distinct) seen |= 1u << d;
  }
  return distinct;
}

}  // namespace detail

/// Returns an expression in which dimension `Dims[k]` is dimension `k` of `array`. The elements
/// repeat along all other dimensions. It stands beside an mdspan in `zip`:
/// `zip(m, broadcast<1>(x))` pairs element (i, j) of a matrix with `x[j]`, and
/// `zip(m, broadcast<0>(y))` with `y[i]`.
///
/// @tparam Dims distinct dimensions of the expression, from 0 to 7; as many as `array` has
/// @param array an mdspan with any strides, or a contiguous range, which has one dimension; its
///     memory must outlive the call
/// @return the expression; nothing is stored or copied. Its rank is that of the mdspans beside it,
///     or the largest of `Dims` plus 1 if there are none
///
/// Cost: an element that repeats along the dimension that a kernel loads contiguously is loaded
/// once for each chunk. Repeated loads hit the caches.
///
/// Example: test/examples/expressions.cpp
template <int... Dims, class Array>
  requires(detail::mdspan_like<std::remove_cvref_t<Array>> || reducible_range<Array>)
auto broadcast(Array&& array) {
  WARPFOLD_REQUIRE_LASTING("broadcast", Array);
  using plain = std::remove_cvref_t<Array>;
  constexpr bool distinct = detail::distinct_dimensions<Dims...>();
  static_assert(distinct,
                "warpfold: the dimensions of broadcast are from 0 to 7, each one once; "
                "broadcast<1>(v) repeats v along dimension 0");
  if constexpr (detail::mdspan_like<plain>) {
    constexpr bool all = plain::rank() == sizeof...(Dims);
    static_assert(all,
                  "warpfold: broadcast<Dims...>(mdspan) needs one dimension for each of the "
                  "mdspan's");
    return broadcast_array<plain, Dims...>{array};
  } else {
    constexpr bool one = sizeof...(Dims) == 1;
    static_assert(one, "warpfold: broadcast<Dim>(range) needs exactly one dimension");
    constexpr bool contiguous = requires { requires view_of_t<plain>::is_contiguous; };
    static_assert(contiguous,
                  "warpfold: broadcast takes an mdspan or a contiguous range; copy the elements "
                  "into one");
    if constexpr (contiguous) {
      const auto v = as_view(array);
      using T = std::remove_cvref_t<decltype(*v.data())>;
      return broadcast_array<detail::strided_array<T>, Dims...>{
          {v.data(), detail::shape_of_line(v.size(), 1)}};
    } else {
      return detail::refused{};
    }
  }
}

// Misuse of the above is one error; see view/range_check.hpp.
template <int... Dims, class Array = detail::braces>
  requires(!detail::mdspan_like<Array> && !reducible_range<Array>)
auto broadcast(const Array&) {
  return detail::refuse_ranges<Array>();
}

}  // namespace warpfold

template <class Array, int... Dims>
inline constexpr bool
    std::ranges::enable_borrowed_range<warpfold::broadcast_array<Array, Dims...>> = true;
