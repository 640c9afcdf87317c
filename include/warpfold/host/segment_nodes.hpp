/// @file
/// How ops fold short segments of numbers in vector registers (vector_segments.hpp): sums, sums of
/// products and of squares, and extrema.
#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>

#include <warpfold/host/vector_accumulators.hpp>
#include <warpfold/host/vector_segments.hpp>
#include <warpfold/host/vector_tree.hpp>

namespace warpfold::host {

namespace detail {

/// The fold of short segments of a view by an op: by nodes of type `node` (vector_tree.hpp), of
/// elements that `source(view)` loads. Empty if vectors do not fold them.
template <class Op, class View>
struct short_segments {};

}  // namespace detail

/// True if vectors fold short segments of `View`'s elements by `Op`.
template <class Op, class View>
concept folds_short_segments = requires { typename detail::short_segments<Op, View>::node; };

#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)

namespace detail {

// Sets a number, or each number of a vector, from sign and magnitude to two's complement, or back.
template <class Number, class Lanes>
WARPFOLD_HOST_INLINE constexpr void reorder(Lanes& x) {
  x ^= (x >> (sizeof(Number) * 8 - 1)) & (std::numeric_limits<Number>::max)();
}

// Nodes of extrema. Floating-point numbers become integers of the same order, with -0 before +0 and
// NaN as the extremum.
// @tparam Element the type of the elements, which may be narrower than `T`
template <class Op, class T, class Element>
struct extremum_node {
  using lane = std::conditional_t<warpfold::detail::is_ieee_v<T>,
                                  std::make_signed_t<warpfold::detail::bits_of<T>>, T>;
  using value = T;
  static constexpr std::size_t parts = 1;
  static constexpr bool commutes = true;
  static constexpr bool is_maximum = std::is_same_v<Op, maximum>;
  static constexpr bool folds_long = std::is_same_v<lane, T>;
  static constexpr T missing = Op{}.template identity<Element>();
  static constexpr lane missing_fold = [] {
    if constexpr (std::is_same_v<lane, T>) {
      return missing;
    } else {
      auto fold = __builtin_bit_cast(lane, missing);
      reorder<lane>(fold);
      return fold;
    }
  }();

  template <class Vector, class V>
  static WARPFOLD_HOST_INLINE void lift(V (&to)[1], const Vector& x) {
    if constexpr (std::is_same_v<lane, T>) {
      to[0] = x;
    } else {
      constexpr lane nan =
          is_maximum ? (std::numeric_limits<lane>::max)() : (std::numeric_limits<lane>::min)();
      to[0] = (V)x;
      reorder<lane>(to[0]);
      to[0] = x == x ? to[0] : V{} + nan;
    }
  }
  template <std::size_t Count, class V>
  static WARPFOLD_HOST_INLINE void combine(V (&to)[1], const V (&a)[1], const V (&b)[1]) {
    to[0] = (is_maximum ? a[0] > b[0] : a[0] < b[0]) ? a[0] : b[0];
  }
  template <class V, class Lengths>
  static WARPFOLD_HOST_INLINE void finish(V& x, const Lengths&) {
    if constexpr (!std::is_same_v<lane, T>) reorder<lane>(x);
  }
};

template <class Op, class View>
  requires(is_extremum<Op> && has_numbers<View> &&
           (warpfold::detail::is_ieee_v<typename View::value_type> ||
            lane_integer<typename View::value_type>))
struct short_segments<Op, View> {
  using element = typename View::value_type;
  using lane = std::conditional_t<(sizeof(element) < 4), int, element>;
  using node = extremum_node<Op, lane, element>;
  static auto source(const View& view) {
    if constexpr (std::is_same_v<lane, element>) {
      return numbers_source<element>{view.data()};
    } else {
      return converted_source<element, lane>{view.data()};
    }
  }
};

template <class View>
  requires(has_numbers<View> && warpfold::detail::is_ieee_v<typename View::value_type>)
struct short_segments<plus, View> {
  using element = typename View::value_type;
  using node = sum_node<element>;
  static numbers_source<element> source(const View& view) { return {view.data()}; }
};

// Sums of integers, in 64 bits that wrap.
template <class T>
struct integers_node : sum_node<unsigned long long> {
  using value = plus::accumulator<T>;

  template <class Vector, class V>
  static WARPFOLD_HOST_INLINE void lift(V (&to)[1], const Vector& x) {
    to[0] = (V)x;
  }
};
template <class View>
  requires(has_numbers<View> && lane_integer<typename View::value_type>)
struct short_segments<plus, View> {
  using element = typename View::value_type;
  using node = integers_node<element>;
  static auto source(const View& view) {
    if constexpr (sizeof(element) == 8) {
      return numbers_source<element>{view.data()};
    } else {
      return converted_source<element, unsigned long long>{view.data()};
    }
  }
};

// Sums of products.
template <class A, class B, class F>
  requires(tree_fold<plus, transform_view<zip_view<A, B>, F>>::adds_products)
struct short_segments<plus, transform_view<zip_view<A, B>, F>> {
  using view = transform_view<zip_view<A, B>, F>;
  using node = sum_node<typename A::value_type>;
  static products_source<typename A::value_type> source(const view& products) {
    return tree_fold<plus, view>::source(products);
  }
};

// Sums of squares, in `double`.
template <class Op, class View>
  requires(std::is_same_v<Op, squares_op> && has_numbers<View> &&
           (std::is_same_v<typename View::value_type, float> ||
            std::is_same_v<typename View::value_type, int>))
struct short_segments<Op, View> {
  using element = typename View::value_type;
  using node = squares_node;
  static converted_source<element, double> source(const View& view) { return {view.data()}; }
};

}  // namespace detail

#endif

}  // namespace warpfold::host
