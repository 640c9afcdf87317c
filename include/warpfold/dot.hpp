/// @file
/// `dot` and `inner_product`: a reduction over two ranges, element by element. `dot_async` and
/// `inner_product_async` write the result and do not wait.
#pragma once

#include <cmath>
#include <type_traits>

#include <warpfold/op/rounded_product.hpp>
#include <warpfold/transform_reduce.hpp>

namespace warpfold {

namespace detail {

// a * b in the accumulator type of their sum; for complex numbers conj(a) * b.
struct product_for_sum {
  static constexpr bool is_cheap = true;       // view/transform.hpp
  using multiplies_numbers = product_for_sum;  // host/vector_lines.hpp

  WARPFOLD_ANY_SIDE
  template <class A, class B>
  WARPFOLD_HD constexpr auto operator()(const A& a, const B& b) const {
    if constexpr ((is_number_v<A> || std::is_enum_v<A>) && (is_number_v<B> || std::is_enum_v<B>)) {
      using WA = wide_sum_t<A>;
      using WB = wide_sum_t<B>;
      // A signed integer times a narrower unsigned integer is a signed product.
      constexpr bool is_signed = std::is_integral_v<WA> && std::is_integral_v<WB> &&
                                 std::is_signed_v<WA> != std::is_signed_v<WB> &&
                                 sizeof(std::conditional_t<std::is_signed_v<WA>, B, A>) < 8;
      if constexpr (is_signed) {
        return multiplies{}(static_cast<long long>(a), static_cast<long long>(b));
      } else {
        return multiplies{}(static_cast<WA>(a), static_cast<WB>(b));
      }
    } else if constexpr (requires { conj(a) * b; }) {
      return product_rounded_if_numbers(conj(a), b);
    } else {
      return product_rounded_if_numbers(a, b);
    }
  }
#if defined(__CUDACC__)
  template <class A, class B>
    requires(!is_number_v<A> && !std::is_enum_v<A>)
  WARPFOLD_DEVICE void name_user_functions(const A& a, const B& b) const {
    if constexpr (!computes_on_gpu<A>() || !computes_on_gpu<B>()) {
      return;
    } else if constexpr (requires { conj(a) * b; }) {
      (void)(conj(a) * b);
    } else {
      (void)(a * b);
    }
  }
#endif
};

// a * b as its rounded value and its rounding error, in the wider of both types.
struct split_product {
  static constexpr bool is_cheap = true;  // view/transform.hpp

  template <class A, class B>
  WARPFOLD_HD auto operator()(const A& a, const B& b) const {
    using T = std::common_type_t<wide_sum_t<A>, wide_sum_t<B>>;
    const T x = static_cast<T>(a), y = static_cast<T>(b);
    if constexpr (is_half_v<A> && is_half_v<B>) {
      // exact: two significands of 11 bits (half) or 8 bits (bfloat16)
      return compensated_sum<T>{x * y, 0};
    } else {
      const T product = rounded_product(x, y);  // if fused, its error would be counted twice
      return compensated_sum<T>{product, error(x, y, product)};
    }
  }

 private:
  template <class T>
  static WARPFOLD_HD T error(T x, T y, T product) {
#if !defined(__CUDA_ARCH__)
    // Avoids a library call where the processor has no fma; a double holds the product exactly.
    if constexpr (std::is_same_v<T, float>) {
      return static_cast<float>(static_cast<double>(x) * static_cast<double>(y) -
                                static_cast<double>(product));
    }
#endif
    return std::fma(x, y, -product);
  }
};

template <class A, class B>
constexpr bool are_multiplied() {
  constexpr bool numbers =
      (is_number_v<A> || std::is_enum_v<A>) && (is_number_v<B> || std::is_enum_v<B>);
  constexpr bool multiply = numbers || requires(const A& a, const B& b) { a* b; } ||
                            requires(const A& a, const B& b) { conj(a) * b; };
  static_assert(multiply,
                "warpfold: dot needs operator* for the elements of its two ranges; define it, or "
                "pass a product of your own to inner_product");
  return multiply;
}

template <class A, class B>
constexpr bool are_split() {
  constexpr bool floating = (std::is_floating_point_v<A> || is_half_v<A>) &&
                            (std::is_floating_point_v<B> || is_half_v<B>);
  static_assert(floating,
                "warpfold: dot(..., plus{}.compensated()) requires real floating-point elements; "
                "use plus{} for integers and complex numbers");
  return floating;
}

template <class SumOp, class A, class B>
constexpr bool are_multiplied_exactly() {
  constexpr bool floating =
      requires(const typename SumOp::product_for_dot& f, const A& a, const B& b) { f(a, b); };
  static_assert(floating,
                "warpfold: dot(..., plus{}.exact()) requires floating-point elements, both real or "
                "both complex; use plus{} for integers");
  return floating;
}

template <class Policy, class ViewA, class ViewB>
void require_same_size(const Policy& policy, const ViewA& a, const ViewB& b, const char* what) {
  if (a.size() == b.size()) return;
  refuse_on_all_ranks(
      policy,
      invalid_range("warpfold: ", what, " needs two ranges of the same size, but they have ",
                    a.size(), " and ", b.size(), " elements; pass ranges of equal size"));
}

// Calls `then` with the view of the products.
template <class Policy, class A, class B, class ProductOp, class Then>
auto with_products(const Policy& policy, const A& a, const B& b, const ProductOp& product_op,
                   const Then& then) {
  require_one_order(a, b);
  const auto va = as_view(a);
  const auto vb = as_view(b);
  require_same_size(policy, va, vb, "inner_product");
  if constexpr (!check_unmasked<view_of_t<A>, view_of_t<B>>()) {
    return refused{};
  } else if constexpr (check_operands<ProductOp, typename decltype(va)::value_type,
                                      typename decltype(vb)::value_type>()) {
    return then(project(zip(va, vb), product_op));
  } else {
    return refused{};
  }
}

// Calls `then` with the view of the products that `dot` adds.
template <class SumOp, class Policy, class A, class B, class Then>
auto with_dot(const Policy& policy, const A& a, const B& b, const Then& then) {
  constexpr bool adds = is_sum_op<SumOp>;
  static_assert(adds,
                "warpfold: dot adds its products: pass plus{}, plus{}.compensated() or "
                "plus{}.exact(), or call inner_product for other ops");
  require_one_order(a, b);
  const auto va = as_view(a);
  const auto vb = as_view(b);
  require_same_size(policy, va, vb, "dot");
  using Left = typename decltype(va)::value_type;
  using Right = typename decltype(vb)::value_type;
  if constexpr (!check_unmasked<view_of_t<A>, view_of_t<B>>()) {
    return refused{};
  } else if constexpr (std::is_same_v<SumOp, compensated_plus>) {
    if constexpr (are_split<Left, Right>()) {
      return then(project(zip(va, vb), split_product{}));
    } else {
      return refused{};
    }
  } else if constexpr (is_exact_plus<SumOp>) {
    if constexpr (are_multiplied_exactly<SumOp, Left, Right>()) {
      return then(project(zip(va, vb), typename SumOp::product_for_dot{}));
    } else {
      return refused{};
    }
  } else if constexpr (!adds) {
    return refused{};
  } else if constexpr (are_multiplied<Left, Right>()) {
    return then(project(zip(va, vb), product_for_sum{}));
  } else {
    return refused{};
  }
}

}  // namespace detail

/// Returns `init` combined by `sum_op` with `product_op(a[i], b[i])` for every index `i`.
///
/// @param policy as for `reduce`
/// @param a,b readable from the policy, with the same number of elements
/// @param init the start value
/// @param sum_op as for `reduce`
/// @param product_op called once for each pair. Its result has the type that C++ gives it: the
///     product of two `int` has 32 bits
/// @return the result in the type of `sum_op(init, product_op(a[i], b[i]))`; `init` for empty
///     ranges
///
/// Stream, order and cost: as `reduce`, with one read of both ranges.
/// @throws invalid_range if the sizes differ, before anything starts, or if two mdspans have the
///     same extents and another order of strides; otherwise as `reduce`
///
/// ```cpp
/// std::vector<double> a{1, 2}, b{3, 4};
/// double s = wf::inner_product(wf::seq, a, b, 0.0);  // 11
/// ```
template <policy_like Policy, reducible_range A, reducible_range B, class Init, class SumOp = plus,
          class ProductOp = multiplies>
auto inner_product(const Policy& policy, const A& a, const B& b, Init init, SumOp sum_op = {},
                   ProductOp product_op = {}) {
  return detail::with_products(policy, a, b, product_op, [&](const auto& products) {
    return reduce(policy, products, init, sum_op);
  });
}

/// Returns the sum of the products of two ranges, element by element: the scalar product.
/// Conjugates the elements of `a` if they are complex.
///
/// Each complex product is conj(x) * y, as in BLAS `dotc` and NumPy `vdot`. `inner_product` does
/// not conjugate, like std's, Thrust's, BLAS `dotu` and NumPy `dot`. Integers are multiplied and
/// added in 64 bits, 16-bit floats in `float`.
///
/// @param policy,a,b as for `inner_product`
/// @param sum_op `plus{}`, `plus{}.compensated()` or `plus{}.exact()`; `inner_product` takes any op
/// @return the sum in its accumulator type; 0 for empty ranges
///
/// With `plus{}` the error is at most n roundings of sum |x y|.
///
/// With `plus{}.compensated()` elements must be real floating-point numbers. Each product is split
/// exactly into its rounded value and its rounding error, and both are summed. The result is as
/// accurate as if computed in twice the precision of the wider element and rounded once. For two
/// 16-bit floats that precision is twice that of `float`. The error is u |dot| + O(n u^2) sum |x
/// y|, unless a product underflows. u is the unit roundoff, and n is as for `compensated_plus`.
/// Source: T. Ogita, S. Rump, S. Oishi, "Accurate Sum and Dot Product", 2005: Dot2.
///
/// With `plus{}.exact()` (op/exact.hpp) the result is the nearest number to the mathematical one,
/// on every policy. Elements are floating-point numbers, both real or both complex. No product is
/// rounded, overflows or underflows. The result has the type of the wider element, `float` for
/// 16-bit floats; `plus{}.exact<double>()` rounds to `double` instead.
///
/// Stream, order and errors: as `inner_product`. Cost: one read of both ranges; `compensated()`
/// adds the cost of a compensated sum and one fused multiply-add for each element. A state of
/// `exact()` has 200 bytes, for `double` 1112, and twice as many for complex numbers.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<double> x{1e200, 1, -1e200}, y{1e200, 1, 1e200};
/// auto plain = wf::dot(wf::seq, x, y);  // NaN: infinity minus infinity
/// auto compensated = wf::dot(wf::seq, x, y, wf::plus{}.compensated());  // NaN
/// auto exact = wf::dot(wf::seq, x, y, wf::plus{}.exact());  // 1
/// ```
template <policy_like Policy, reducible_range A, reducible_range B, class SumOp = plus>
auto dot(const Policy& policy, const A& a, const B& b, SumOp sum_op = {}) {
  return detail::with_dot<SumOp>(
      policy, a, b, [&](const auto& products) { return reduce(policy, products, sum_op); });
}

/// Writes `dot` of two ranges to `*out`, without waiting. Conjugates complex elements of `a`.
///
/// @param policy,a,b as for `dot`
/// @param sum_op as for `dot`; may be left out
/// @param out as for `reduce_async`; the sum is converted to the type of `*out`
/// @throws invalid_range if the sizes differ; otherwise as `reduce_async`
///
/// Stream and order: as `reduce_async`. Cost: as `dot`, one read of both ranges.
///
/// ```cpp
/// std::vector<float> x{1, 2, 3}, y{4, 5, 6};
/// float s = 0;
/// wf::dot_async(wf::seq, x, y, &s);  // s is 32
/// wf::dot_async(wf::seq, x, y, wf::plus{}.compensated(), &s);  // s is 32
/// ```
template <policy_like Policy, reducible_range A, reducible_range B, class SumOp, class Out>
void dot_async(const Policy& policy, const A& a, const B& b, SumOp sum_op, Out&& out) {
  detail::with_dot<SumOp>(policy, a, b, [&](const auto& products) {
    reduce_async(policy, products, sum_op, static_cast<Out&&>(out));
  });
}
template <policy_like Policy, reducible_range A, reducible_range B, class Out>
void dot_async(const Policy& policy, const A& a, const B& b, Out&& out) {
  dot_async(policy, a, b, plus{}, static_cast<Out&&>(out));
}

/// Writes `inner_product` of two ranges to `*out`, without waiting. Does not conjugate.
///
/// @param policy,a,b,init as for `inner_product`
/// @param sum_op,product_op as for `inner_product`; both may be left out
/// @param out as for `reduce_async`
/// @throws invalid_range if the sizes differ; otherwise as `reduce_async`
///
/// Stream, order and cost: as `reduce_async`, with one read of both ranges.
///
/// ```cpp
/// std::vector<int> a{1, 5, 3}, b{4, 2, 6};
/// const auto distance = [](int x, int y) { return x < y ? y - x : x - y; };
/// int greatest = 0;
/// wf::inner_product_async(wf::seq, a, b, 0, wf::maximum{}, distance, &greatest);  // 3
/// wf::inner_product_async(wf::seq, a, b, 0, &greatest);  // 32, the sum of the products
/// ```
template <policy_like Policy, reducible_range A, reducible_range B, class Init, class SumOp,
          class ProductOp, class Out>
void inner_product_async(const Policy& policy, const A& a, const B& b, Init init, SumOp sum_op,
                         ProductOp product_op, Out&& out) {
  detail::with_products(policy, a, b, product_op, [&](const auto& products) {
    reduce_async(policy, products, init, sum_op, static_cast<Out&&>(out));
  });
}
template <policy_like Policy, reducible_range A, reducible_range B, class Init, class Out>
void inner_product_async(const Policy& policy, const A& a, const B& b, Init init, Out&& out) {
  inner_product_async(policy, a, b, init, plus{}, multiplies{}, static_cast<Out&&>(out));
}

/// Returns `inner_product` of the elements in [first1, last1) and those from `first2` on, in the
/// type of `init`, as in the standard library.
///
/// @param policy,sum_op,product_op as for `inner_product` of two ranges
/// @param first1,last1,first2 random-access iterators
/// @param init the start value
/// @return the result in the type of `init`; `init` for an empty range
///
/// Stream, order, cost and errors: as `reduce`, with one read of both ranges.
///
/// ```cpp
/// std::vector<double> a{1, 2}, b{3, 4};
/// double s = wf::inner_product(wf::seq, a.begin(), a.end(), b.begin(), 0.0);  // 11
/// ```
template <policy_like Policy, reducible_iterator It, reducible_iterator It2, class Init,
          class SumOp = plus, class ProductOp = multiplies>
auto inner_product(const Policy& policy, It first1, It last1, It2 first2, Init init,
                   SumOp sum_op = {}, ProductOp product_op = {}) {
  return detail::with_two(first1, last1, first2, [&](const auto& a, const auto& b) {
    return detail::with_products(policy, a, b, product_op, [&](const auto& products) {
      return detail::reduce_to_init(policy, products, init, sum_op);
    });
  });
}

/// Returns the inner product of two ranges, under the name that the standard library gives it.
///
/// @param policy,first1,last1,first2,init,sum_op,product_op as for `inner_product` of iterators
/// @return the result in the type of `init`; `init` for an empty range
///
/// Stream, order, cost and errors: as `reduce`, with one read of both ranges.
///
/// ```cpp
/// std::vector<double> a{1, 2}, b{3, 4};
/// double s = wf::transform_reduce(wf::seq, a.begin(), a.end(), b.begin(), 0.0);  // 11
/// ```
template <policy_like Policy, reducible_iterator It, reducible_iterator It2, class Init,
          class SumOp = plus, class ProductOp = multiplies>
auto transform_reduce(const Policy& policy, It first1, It last1, It2 first2, Init init,
                      SumOp sum_op = {}, ProductOp product_op = {}) {
  return warpfold::inner_product(policy, first1, last1, first2, init, sum_op, product_op);
}

WARPFOLD_FORMS_OF_TWO(dot, 0, 1, "dot(policy, range1, range2)")
WARPFOLD_FORMS_OF_TWO(inner_product, 1, 3, "inner_product(policy, range1, range2, init)")
WARPFOLD_FORMS_OF_TWO(dot_async, 1, 2, "dot_async(policy, range1, range2, &result)")
WARPFOLD_FORMS_OF_TWO(inner_product_async, 2, 4,
                      "inner_product_async(policy, range1, range2, init, &result)")

}  // namespace warpfold
