/// @file
/// Two ranges, element by element: `inner_product` with any two ops, and `dot`.
#pragma once

#include <cmath>
#include <type_traits>

#include <warpfold/transform_reduce.hpp>

namespace warpfold {

namespace detail {

template <class Op>
struct on_pair {
  Op op;

  WARPFOLD_ANY_SIDE
  template <class A, class B>
    requires(is_device_lambda<Op>() || std::is_invocable_v<const Op&, A, B>)
  WARPFOLD_HD constexpr op_result_t<Op, A, B> operator()(const tuple<A, B>& pair) const {
    return op(get<0>(pair), get<1>(pair));
  }
#if defined(__CUDACC__)
  template <class A, class B>
  WARPFOLD_DEVICE void name_user_functions(const tuple<A, B>& pair) const {
    name_call(op, get<0>(pair), get<1>(pair));
  }
#endif
};

// a * b in the type that their sum accumulates in; of complex numbers conj(a) * b.
struct product_for_sum {
  WARPFOLD_ANY_SIDE
  template <class A, class B>
  WARPFOLD_HD constexpr auto operator()(const A& a, const B& b) const {
    if constexpr ((is_number_v<A> || std::is_enum_v<A>) && (is_number_v<B> || std::is_enum_v<B>)) {
      using WA = wide_sum_t<A>;
      using WB = wide_sum_t<B>;
      // A signed and a narrower unsigned integer have a signed product.
      constexpr bool is_signed = std::is_integral_v<WA> && std::is_integral_v<WB> &&
                                 std::is_signed_v<WA> != std::is_signed_v<WB> &&
                                 sizeof(std::conditional_t<std::is_signed_v<WA>, B, A>) < 8;
      if constexpr (is_signed) {
        return multiplies{}(static_cast<long long>(a), static_cast<long long>(b));
      } else {
        return multiplies{}(static_cast<WA>(a), static_cast<WB>(b));
      }
    } else if constexpr (requires { conj(a) * b; }) {
      return conj(a) * b;
    } else {
      return a * b;
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

// a * b as its rounded value and what rounding dropped, in the wider of both types.
struct split_product {
  template <class A, class B>
  WARPFOLD_HD auto operator()(const A& a, const B& b) const {
    using T = std::common_type_t<wide_sum_t<A>, wide_sum_t<B>>;
    const T x = static_cast<T>(a), y = static_cast<T>(b);
    if constexpr (is_half_v<A> && is_half_v<B>) {
      return compensated_sum<T>{x * y, 0};  // exact: twice 11 bits, or 8
    } else {
      const T product = rounded(x, y);
      return compensated_sum<T>{product, error(x, y, product)};
    }
  }

 private:
  // A compiler that made one instruction of this product and the sum it goes into would not round it, and what rounding
  // dropped would be counted twice.
  template <class T>
  static WARPFOLD_HD T rounded(T x, T y) {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<T, float>) return __fmul_rn(x, y);
    if constexpr (std::is_same_v<T, double>) return __dmul_rn(x, y);
#elif defined(__FP_FAST_FMA)
    if constexpr (is_ieee_v<T>) return std::fma(x, y, T{0});
#endif
    return x * y;
  }

  template <class T>
  static WARPFOLD_HD T error(T x, T y, T product) {
#if !defined(__CUDA_ARCH__)
    // Without a call where the processor has no such instruction; a double holds the product.
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
  static_assert(
      floating,
      "warpfold: compensated scalar products are of floating-point numbers: integers round "
      "nothing, and the parts of complex ones are products of their own");
  return floating;
}

template <class ViewA, class ViewB>
void require_same_size(const ViewA& a, const ViewB& b, const char* what) {
  if (a.size() == b.size()) return;
  throw invalid_range("warpfold: ", what, " takes two ranges of the same size, and these have ",
                      a.size(), " and ", b.size(), " elements");
}

}  // namespace detail

/// `reduce` with `sum_op` from `init` on, of `product_op(x, y)` for each `x` of `a` and the `y` of `b` beside it.
///
/// One read of both ranges, as `zip` reads them; waits, costs and throws as `reduce` does. The type is that of
/// `sum_op(init, product_op(x, y))`; an empty range gives `init`. `product_op` gives what C++ does for the elements: two ints
/// are multiplied in 32 bits.
/// @throws invalid_range  also if the ranges are not of the same size; before anything is started
template <policy_like Policy, reducible_range A, reducible_range B, class Init, class SumOp = plus,
          class ProductOp = multiplies>
auto inner_product(const Policy& policy, const A& a, const B& b, Init init, SumOp sum_op = {},
                   ProductOp product_op = {}) {
  const auto va = as_view(a);
  const auto vb = as_view(b);
  detail::require_same_size(va, vb, "inner_product");
  if constexpr (detail::check_operands<ProductOp, typename decltype(va)::value_type,
                                       typename decltype(vb)::value_type>()) {
    return reduce(policy, project(zip(va, vb), detail::on_pair<ProductOp>{product_op}), init,
                  sum_op);
  } else {
    return detail::refused{};
  }
}

/// The sum of the products of two ranges, element by element; of complex numbers conj(x) * y.
///
/// The conjugate is what BLAS's dotc and NumPy's vdot take; `inner_product` takes none. Accumulated as sums are: integers
/// are multiplied and added in 64 bits, 16-bit floats in `float`; 0 of empty ranges. One read of both. Error: at most n
/// roundings of sum |x y|. Otherwise as `inner_product`.
///
/// `sum_op` is `plus{}` or `plus{}.compensated()`; `inner_product` takes any. With `plus{}.compensated()` the result is as if
/// computed in twice the precision of the wider element (of two 16-bit floats, of `float`) and rounded once: each product is
/// split into its rounded value and the rest, an exact pair, and both are summed. Elements must be real floating-point numbers.
/// Error: u |dot| + O(n u^2) sum |x y|, with u the unit roundoff and n as for `compensated_plus`, unless a product underflows.
/// Cost: that of a compensated sum, and one fused multiply-add an element.
/// Source: T. Ogita, S. Rump, S. Oishi, "Accurate Sum and Dot Product", 2005: Dot2.
///
/// Example: test/examples/vectors.cu; compensated: test/examples/everyday.cpp
template <policy_like Policy, reducible_range A, reducible_range B, class SumOp = plus>
auto dot(const Policy& policy, const A& a, const B& b, SumOp sum_op = {}) {
  constexpr bool adds = std::is_same_v<SumOp, plus> || std::is_same_v<SumOp, compensated_plus>;
  static_assert(adds,
                "warpfold: dot adds its products, by plus{} or plus{}.compensated(); inner_product "
                "takes any two ops");
  const auto va = as_view(a);
  const auto vb = as_view(b);
  detail::require_same_size(va, vb, "dot");
  if constexpr (std::is_same_v<SumOp, compensated_plus>) {
    if constexpr (detail::are_split<typename decltype(va)::value_type,
                                    typename decltype(vb)::value_type>()) {
      return reduce(policy, project(zip(va, vb), detail::on_pair<detail::split_product>{}), sum_op);
    } else {
      return detail::refused{};
    }
  } else if constexpr (!adds) {
    return detail::refused{};
  } else if constexpr (detail::are_multiplied<typename decltype(va)::value_type,
                                              typename decltype(vb)::value_type>()) {
    return reduce(policy, project(zip(va, vb), detail::on_pair<detail::product_for_sum>{}), sum_op);
  } else {
    return detail::refused{};
  }
}

// Misuse of the above is one error; see policy/call_check.hpp.
template <class Policy = detail::braces, class A = detail::braces, class B = detail::braces,
          class... Rest>
  requires detail::misused<Policy, A, B>
auto inner_product(const Policy&, const A& = {}, const B& = {}, const Rest&...) {
  return detail::refuse<Policy, A, B>();
}

// Misuse of the above is one error; see policy/call_check.hpp.
template <class Policy = detail::braces, class A = detail::braces, class B = detail::braces,
          class... Rest>
  requires detail::misused<Policy, A, B>
auto dot(const Policy&, const A& = {}, const B& = {}, const Rest&...) {
  return detail::refuse<Policy, A, B>();
}

}  // namespace warpfold
