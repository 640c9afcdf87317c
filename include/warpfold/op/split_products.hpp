/// @file
/// Products of doubles as their rounded values and their errors, in the vector registers of one
/// host thread.
///
/// Source: T. Dekker, "A Floating-Point Technique for Extending the Available Precision", 1971,
/// with factors split by their bits, which neither overflows nor depends on contraction.
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpfold/core/config.hpp>
#include <warpfold/op/double_vectors.hpp>

namespace warpfold::detail {

// The elements that `split_products` takes at once: the arrays have a multiple of them.
inline constexpr std::size_t split_at_once = 4;

#if defined(__GNUC__)

template <int Bytes>
struct product_vectors {
  using numbers = typename double_vectors<Bytes>::numbers;
  using bits = typename double_vectors<Bytes>::bits;
  static constexpr std::size_t count = double_vectors<Bytes>::count;

  // The digits that the lower part of a factor has, and half of the last digit of its upper part.
  static constexpr long long lower_mask = (1LL << 27) - 1, to_nearest = 1LL << 26;
  static constexpr long long size_mask = 0x7fffffffffffffff;
  // Bounds of factors and products. Up to `greatest`, upper parts are finite. From `least` on, the
  // error of a product is a double.
  static constexpr double greatest = 0x1p1000, least = 0x1p-960;

  __attribute__((always_inline)) static bool split(const double* a, const double* b,
                                                   double* products, double* errors,
                                                   std::size_t n) {
#if defined(__clang__)
#pragma clang fp reassociate(off)
#endif
    bits are_exact = bits{} - 1;  // nvcc 13.0 aborts on ~bits{}
    for (std::size_t i = 0; i < n; i += count) {
      numbers x, y;
      __builtin_memcpy(&x, a + i, Bytes);
      __builtin_memcpy(&y, b + i, Bytes);
      const numbers p = x * y;
      const numbers size_x = (numbers)((bits)x & size_mask),
                    size_y = (numbers)((bits)y & size_mask);
      const numbers size_p = (numbers)((bits)p & size_mask);
      const bits are_factors = (bits)(size_x <= greatest) & (bits)(size_y <= greatest);
      const bits is_product = (bits)(size_p >= least) & (bits)(size_p <= greatest);
      are_exact &= are_factors & (is_product | (bits)(x == 0.0) | (bits)(y == 0.0));
      // 26 digits in each part, so that the products of parts are exact.
      const numbers c = (numbers)(((bits)x + to_nearest) & ~lower_mask), low_x = x - c;
      const numbers d = (numbers)(((bits)y + to_nearest) & ~lower_mask), low_y = y - d;
      const numbers error = ((c * d - p) + c * low_y + low_x * d) + low_x * low_y;
      __builtin_memcpy(products + i, &p, Bytes);
      __builtin_memcpy(errors + i, &error, Bytes);
    }
    long long each[count], all = -1;
    __builtin_memcpy(each, &are_exact, Bytes);
    for (const long long own : each) all &= own;
    return all != 0;
  }
};

struct split_in_vectors {
  template <int Bytes>
  __attribute__((always_inline)) static void run(const double* const& a, const double* const& b,
                                                 double* const& products, double* const& errors,
                                                 const std::size_t& n, bool& are_exact) {
    are_exact = product_vectors<Bytes>::split(a, b, products, errors, n);
  }
};

// Writes a[i] * b[i], rounded, and what rounding drops.
// @param n a multiple of `split_at_once`
// @return false if a product may not be the sum of both: of very large or small numbers, and NaN
inline bool split_products(const double* a, const double* b, double* products, double* errors,
                           std::size_t n) {
  bool are_exact = false;
  run_in_vectors<split_in_vectors>(a, b, products, errors, n, are_exact);
  return are_exact;
}

#else

// Then the caller adds product by product.
inline bool split_products(const double*, const double*, double*, double*, std::size_t) {
  return false;
}

#endif

}  // namespace warpfold::detail
