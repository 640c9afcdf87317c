/// @file
/// A product that no compiler fuses with the sum that follows it.
///
/// A fused multiply-add does not round the product. Where processors have one, compilers may use it
/// (`-ffp-contract` of GCC and Clang, `-fmad` of nvcc), and elsewhere they cannot: other bits. The
/// library rounds its own products everywhere.
#pragma once

#include <type_traits>

#include <warpfold/core/config.hpp>
#include <warpfold/op/multiplies.hpp>

namespace warpfold::detail {

// x * y, rounded.
template <class T, class U>
WARPFOLD_HD constexpr auto rounded_product(T x, U y) {
  using product = decltype(x * y);
  if constexpr (std::is_same_v<product, float> || std::is_same_v<product, double>) {
    if (!__builtin_is_constant_evaluated()) {
      [[maybe_unused]] const auto a = static_cast<product>(x), b = static_cast<product>(y);
#if defined(__CUDA_ARCH__)
      if constexpr (std::is_same_v<product, float>) return __fmul_rn(a, b);
      if constexpr (std::is_same_v<product, double>) return __dmul_rn(a, b);
#elif defined(__FP_FAST_FMA) || defined(__FMA__)
      // Minus zero: the product keeps the sign of a zero.
      if constexpr (std::is_same_v<product, float>) return __builtin_fmaf(a, b, -0.0f);
      if constexpr (std::is_same_v<product, double>) return __builtin_fma(a, b, -0.0);
#endif
    }
  }
  return multiplies{}(x, y);
}

}  // namespace warpfold::detail
