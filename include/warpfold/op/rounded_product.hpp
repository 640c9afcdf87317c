/// @file
/// Products that no compiler fuses with the sum that follows them.
///
/// A fused multiply-add does not round the product. Where processors have one, compilers may use it
/// (`-ffp-contract` of GCC and Clang, `-fmad` of nvcc), and elsewhere they cannot: other bits. The
/// library rounds its own products everywhere.
#pragma once

#include <concepts>
#include <type_traits>

#include <warpfold/core/config.hpp>
#include <warpfold/op/complex.hpp>

namespace warpfold::detail {

// x * y, rounded.
template <class T, class U>
  requires std::is_floating_point_v<decltype(T() * U())>
WARPFOLD_HD constexpr auto rounded_product(T x, U y) {
  using product = decltype(x * y);
  const auto a = static_cast<product>(x), b = static_cast<product>(y);
  if constexpr (std::is_same_v<product, float> || std::is_same_v<product, double>) {
    if (!__builtin_is_constant_evaluated()) {
#if defined(__CUDA_ARCH__)
      if constexpr (std::is_same_v<product, float>) return __fmul_rn(a, b);
      if constexpr (std::is_same_v<product, double>) return __dmul_rn(a, b);
#elif defined(__clang__) && (defined(__FMA__) || defined(__aarch64__))
      // Clang takes fma(a, b, -0.0) for a product, which it may fuse. This hides the product.
      product p = a * b;
#if defined(__aarch64__)
      asm("" : "+w"(p));
#else
      asm("" : "+x"(p));
#endif
      return p;
#elif defined(__FP_FAST_FMA) || defined(__FMA__)
      // Minus zero: the product keeps the sign of a zero.
      if constexpr (std::is_same_v<product, float>) return __builtin_fmaf(a, b, -0.0f);
      if constexpr (std::is_same_v<product, double>) return __builtin_fma(a, b, -0.0);
#endif
    }
  }
  return a * b;
}

// A complex number, as the libraries have them (`arg` tells it from other pairs with a product),
// times `B`: another one, or a real number.
template <class A, class B>
concept rounds_complex_product = complex_number<A> && std::is_floating_point_v<complex_part_t<A>> &&
                                 (std::is_same_v<A, B> || std::is_same_v<complex_part_t<A>, B>) &&
                                 requires(const A& a, const B& b) {
                                   { a* b } -> std::same_as<A>;
                                   conj(a);
                                   arg(a);
                                 };

// Products of complex numbers, each product of parts rounded. Both parts may be NaN where the class
// makes an infinity of them; further products keep both.
struct unchecked_multiplies {
  template <class A>
  using accumulator = A;

  template <class A>
    requires rounds_complex_product<A, A>
  WARPFOLD_HD constexpr A operator()(const A& a, const A& b) const {
    using parts = complex_parts<complex_part_t<A>>;
    const parts x = parts_of(a), y = parts_of(b);
    return __builtin_bit_cast(
        A, (parts{rounded_product(x.first, y.first) - rounded_product(x.second, y.second),
                  rounded_product(x.first, y.second) + rounded_product(x.second, y.first)}));
  }

  // False if a fold must be made again with `multiplies`.
  template <class A>
  static WARPFOLD_HD constexpr bool is_right(const A& a) {
    const auto parts = parts_of(a);
    return !(__builtin_isnan(parts.first) && __builtin_isnan(parts.second));
  }
};

// a * b with each product of parts rounded.
template <class A, class B>
  requires rounds_complex_product<A, B>
WARPFOLD_HD constexpr A rounded_product(const A& a, const B& b) {
  if constexpr (std::is_same_v<A, B>) {
    const A z = unchecked_multiplies{}(a, b);
    if (unchecked_multiplies::is_right(z)) return z;
    return a * b;  // perhaps an infinity, as the class defines it
  } else {
    using parts = complex_parts<complex_part_t<A>>;
    const parts x = parts_of(a);
    return __builtin_bit_cast(A,
                              (parts{rounded_product(x.first, b), rounded_product(x.second, b)}));
  }
}

}  // namespace warpfold::detail
