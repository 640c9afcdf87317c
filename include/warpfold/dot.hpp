/// @file
/// Two ranges, element by element: `inner_product` with any two ops, and `dot`.
#pragma once

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
};

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
  return reduce(policy, project(zip(va, vb), detail::on_pair<ProductOp>{product_op}), init, sum_op);
}

/// The sum of the products of two ranges, element by element; of complex numbers conj(x) * y.
///
/// The conjugate is what BLAS's dotc and NumPy's vdot take; `inner_product` takes none. Accumulated as sums are: integers
/// are multiplied and added in 64 bits, 16-bit floats in `float`; 0 of empty ranges. One read of both. Error: at most n
/// roundings of sum |x y|. Otherwise as `inner_product`.
///
/// Example: test/examples/vectors.cu
template <policy_like Policy, reducible_range A, reducible_range B>
auto dot(const Policy& policy, const A& a, const B& b) {
  const auto va = as_view(a);
  const auto vb = as_view(b);
  detail::require_same_size(va, vb, "dot");
  return reduce(policy, project(zip(va, vb), detail::on_pair<detail::product_for_sum>{}), plus{});
}

}  // namespace warpfold
