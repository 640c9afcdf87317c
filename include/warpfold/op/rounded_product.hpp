/// @file
/// Products that no compiler fuses with the sum that follows them.
///
/// A fused multiply-add does not round the product. Where processors have one, compilers may use it
/// (`-ffp-contract` of GCC and Clang, `-fmad` of nvcc), and elsewhere they cannot: other bits. The
/// library rounds its own products everywhere.
#pragma once

#include <type_traits>
#include <utility>

#include <warpfold/core/config.hpp>
#include <warpfold/op/complex.hpp>

namespace warpfold::detail {

// x + y, where `x` and `y` are rounded first if they are products.
WARPFOLD_HD constexpr double unfused_sum(double x, double y) {
  if (!__builtin_is_constant_evaluated()) {
#if defined(__CUDA_ARCH__)
    return __dadd_rn(x, y);
#elif defined(__x86_64__) && defined(__GNUC__)
    asm("" : "+x"(x), "+x"(y));
#elif defined(__aarch64__) && defined(__GNUC__)
    asm("" : "+w"(x), "+w"(y));
#endif
  }
  return x + y;
}

// x * y, rounded.
template <class T, class U>
  requires(std::is_arithmetic_v<T> && std::is_arithmetic_v<U> &&
           (std::is_floating_point_v<T> || std::is_floating_point_v<U>))
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

template <class A, class B>
using product_of =
    std::remove_cvref_t<decltype(std::declval<const A&>() * std::declval<const B&>())>;

// Two numbers with a complex product, at least one of them complex.
template <class A, class B>
concept rounds_complex_product =
    (complex_of_library<A> || complex_of_library<B>) &&
    (complex_of_library<A> || std::is_arithmetic_v<A>) &&
    (complex_of_library<B> || std::is_arithmetic_v<B>) && complex_of_library<product_of<A, B>>;

// Products of complex numbers, each product of parts rounded. Both parts may be NaN where the class
// makes an infinity of them; further products keep both.
struct unchecked_multiplies {
  template <class A>
  using accumulator = A;

  template <class A, class B>
    requires rounds_complex_product<A, B>
  WARPFOLD_HD constexpr product_of<A, B> operator()(const A& a, const B& b) const {
    using parts = complex_parts<complex_part_t<product_of<A, B>>>;
    const auto of = [](const auto& x, const auto& y) {
      if constexpr (!complex_of_library<A>) {
        return parts{rounded_product(x, y.first), rounded_product(x, y.second)};
      } else if constexpr (!complex_of_library<B>) {
        return parts{rounded_product(x.first, y), rounded_product(x.second, y)};
      } else {
        return parts{rounded_product(x.first, y.first) - rounded_product(x.second, y.second),
                     rounded_product(x.first, y.second) + rounded_product(x.second, y.first)};
      }
    };
    return __builtin_bit_cast(product_of<A, B>, (of(parts_or_number(a), parts_or_number(b))));
  }

  // False if a fold must be made again with `multiplies`.
  template <class A>
  static WARPFOLD_HD constexpr bool is_right(const A& a) {
    const auto parts = parts_of(a);
    return !(__builtin_isnan(parts.first) && __builtin_isnan(parts.second));
  }

 private:
  template <class T>
  static WARPFOLD_HD constexpr auto parts_or_number(const T& x) {
    if constexpr (complex_of_library<T>) {
      return parts_of(x);
    } else {
      return x;
    }
  }
};

// a * b with each product of parts rounded.
WARPFOLD_ANY_SIDE
template <class A, class B>
  requires rounds_complex_product<A, B>
WARPFOLD_HD constexpr auto rounded_product(const A& a, const B& b) {
  const auto z = unchecked_multiplies{}(a, b);
  if constexpr (complex_of_library<A> && complex_of_library<B>) {
    // Perhaps an infinity, as the class defines it.
    if (!unchecked_multiplies::is_right(z)) return a * b;
  }
  return z;
}

// a * b, rounded if both are numbers.
WARPFOLD_ANY_SIDE
template <class A, class B>
WARPFOLD_HD constexpr auto product_rounded_if_numbers(const A& a, const B& b) {
  if constexpr (requires { rounded_product(a, b); }) {
    return rounded_product(a, b);
  } else {
    return a * b;
  }
}

}  // namespace warpfold::detail
