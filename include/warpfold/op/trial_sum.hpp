/// @file
/// An exact sum held as two doubles, or as three for products of doubles. If they cannot hold the
/// sum, it is marked. They fit registers, and hold most sums of numbers with similar exponents.
///
/// Source: D. Knuth's two-sum; J. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast
/// Robust Geometric Predicates", 1997, with parts that may overlap. The rounding: S. Boldo and
/// G. Melquiond, "Emulation of FMA and Correctly Rounded Sums", 2008.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <warpfold/core/config.hpp>
#include <warpfold/op/double_bits.hpp>
#include <warpfold/op/exact_bins.hpp>
#include <warpfold/op/exact_product.hpp>
#include <warpfold/op/exact_sum.hpp>
#include <warpfold/op/inexact_flag.hpp>
#include <warpfold/op/rounded_product.hpp>

namespace warpfold::detail {

// Adds `x` to `sum`, and makes `x` the rounding error. Without infinities, NaN and overflow, both
// together are what they were.
WARPFOLD_HD constexpr void add_with_error(double& sum, double& x) {
  const double before = sum;
  sum = unfused_sum(before, x);
  const double of_x = sum - before;
  x = (before - (sum - of_x)) + unfused_sum(x, -of_x);
}

// The sum of `x` and `y` with a last bit that is 1 if it is not exact. A later rounding to fewer
// digits then sees on which side of a tie the exact sum is.
WARPFOLD_HD constexpr double sum_to_odd(double x, double y) {
  add_with_error(x, y);
  const auto bits = __builtin_bit_cast(std::uint64_t, x);
  if (is_zero(y) || (bits & 1) != 0) return x;
  return __builtin_bit_cast(double, (x < 0) == (y < 0) ? bits + 1 : bits - 1);
}

// True if sums of doubles have exact errors. On hosts, some compiler flags and rounding modes
// change them: the emulation then marks every sum.
WARPFOLD_HD constexpr bool has_exact_errors() {
#if !defined(__CUDA_ARCH__)
  if (!__builtin_is_constant_evaluated()) return has_strict_math && has_default_rounding();
  return true;
#elif defined(__clang__)
  return has_strict_math;
#else
  return true;  // flags of nvcc do not change sums of doubles
#endif
}

// The sum of some numbers of type T, or of products of two.
template <class T, int Factors = 1>
class trial_sum {
 public:
  using exact_type = exact_sum<T, Factors>;
  static constexpr int digit_words = exact_type::digit_words;  // ops add numbers to it
  static constexpr bool has_products_of_doubles = Factors == 2 && std::is_same_v<T, double>;
  static constexpr int parts = has_products_of_doubles ? 3 : 2;
  // True if a batch of numbers is added at once; see `batch`.
  static constexpr bool has_batches = Factors == 1 && std::is_same_v<T, float>;
  // True if one double often is the sum.
  static constexpr bool is_often_single = has_batches;

  // No number. The first part is -0, as for the sum of only -0; the last part is -0, too, until a
  // number is added. The signs of other zeros mean nothing.
  WARPFOLD_HD constexpr trial_sum() : parts_{-0.0, -0.0} { parts_[parts - 1] = -0.0; }
  // The sum of one zero, which an exact sum of no number is, too.
  static WARPFOLD_HD constexpr trial_sum zero() { return of_single(0); }

  WARPFOLD_HD constexpr void add(T x)
    requires(Factors == 1)
  {
    if constexpr (std::is_same_v<T, float>) {
      add_number(wide_double(x));
    } else {
      add_number(x);
    }
  }
  WARPFOLD_HD constexpr void add(T x, T y)
    requires(Factors == 2)
  {
    if constexpr (has_products_of_doubles) {
      const double product = rounded_product(x, y);
      const double size = product < 0 ? -product : product;
      if (size < least_product && !is_zero(x) && !is_zero(y)) return mark();
      add_number(product);
      add_part<1>(fused(x, y, product));
    } else {
      add_number(wide_double(x) * wide_double(y));
    }
  }
  // Adds a number, or the sum of some.
  WARPFOLD_HD constexpr void add_number(double x) {
    if (!has_exact_errors()) return mark();
    add_part<0>(x);
  }
  WARPFOLD_HD constexpr void add(const trial_sum& other) {
    if (!has_exact_errors()) return mark();
    add_parts_of<0>(other);
  }
  // True if no number was added.
  WARPFOLD_HD constexpr bool is_empty() const { return is_negative_zero(parts_[parts - 1]); }

  // The sum as one double, or NaN.
  WARPFOLD_HD constexpr double single() const {
    bool is_single = true;
    for (int i = 1; i < parts; ++i) is_single = is_single && is_zero(parts_[i]);
    return is_single ? parts_[0] : float_format<double>::nan();
  }
  // The sum of two such, or NaN if a double does not hold it.
  static WARPFOLD_HD constexpr double add_singles(double a, double b) {
    const double sum = a + b;
    return sum - a == b && sum - b == a ? sum : float_format<double>::nan();
  }
  static WARPFOLD_HD constexpr trial_sum of_single(double x) {
    trial_sum sum;
    sum.parts_[0] = x;
    sum.parts_[parts - 1] = 0;
    return sum;
  }

  // True if the parts are not the sum, which stays so, or if they are so large that the rounding
  // may overflow.
  WARPFOLD_HD constexpr bool is_marked() const {
    constexpr double largest = 0x1p1022;
    const bool is_large =
        std::is_same_v<T, double> && !(parts_[0] < largest && -parts_[0] < largest);
    return !is_finite(parts_[parts - 1]) || is_large;
  }
  WARPFOLD_HD constexpr void mark() { parts_[parts - 1] = float_format<double>::nan(); }

  // The sum as an exact one; it is not marked.
  WARPFOLD_HD constexpr exact_type exact() const {
    exact_type sum;
    if (is_empty()) return sum;
    add_double(sum, parts_[0]);
    for (int i = 1; i < parts; ++i) {
      if (!is_zero(parts_[i])) add_double(sum, parts_[i]);
    }
    return sum;
  }
  // The sum as a `To`, rounded once; it is not marked.
  template <class To>
  WARPFOLD_HD constexpr To rounded() const {
    double upper = parts_[0], lower = parts_[1];
    if constexpr (parts == 3) {
      double last = parts_[2];
      add_with_error(lower, last);
      if (!is_zero(lower)) add_with_error(upper, lower);  // a sum of only -0 stays -0
      lower = sum_to_odd(lower, last);
    }
    if (is_zero(lower)) {
      if (is_empty()) upper = 0;
      if constexpr (std::is_same_v<To, double>) return upper;
    } else if constexpr (std::is_same_v<To, double>) {
      return upper + lower;
    } else {
      upper = sum_to_odd(upper, lower);
    }
    if constexpr (std::is_same_v<To, float>) return narrow_number(upper);
  }

  // The numbers that a thread has loaded. Their sum in double is exact if the exponents of the
  // least and the largest number are close.
  // @tparam Most the most numbers
  template <unsigned Most>
  class batch {
   public:
    static constexpr int digit_words = trial_sum::digit_words;

    WARPFOLD_HD constexpr void add(float x) {
      const std::uint32_t size = __builtin_bit_cast(std::uint32_t, x) << 1;
      sum_ += wide_double(x);
      largest_ = size > largest_ ? size : largest_;
      least_ = size - 1 < least_ ? size - 1 : least_;  // a zero is no number here
    }
    // Adds them to a sum; false if they must be added one by one.
    WARPFOLD_HD constexpr bool add_to(trial_sum& sum) const {
      constexpr unsigned field = float_format<float>::fraction_bits + 1;
      constexpr unsigned differ = 53 - 24 - bit_count(Most - 1);
      if ((least_ >> field) + differ < largest_ >> field) return false;
      sum.add_number(sum_);
      return true;
    }

   private:
    double sum_ = -0.0;
    std::uint32_t least_ = ~std::uint32_t{0}, largest_ = 0;
  };

 private:
  // From here on, the error of a product is a double.
  static constexpr double least_product = 0x1p-916;

  static WARPFOLD_HD constexpr float narrow_number(double x) {
#if defined(__CUDA_ARCH__)
    if (!__builtin_is_constant_evaluated()) {
      float f;
      asm("cvt.rn.f32.f64 %0, %1;" : "=f"(f) : "d"(x));
      return f;
    }
#endif
    return static_cast<float>(x);
  }
  static WARPFOLD_HD constexpr double fused(double x, double y, double product) {
#if defined(__CUDA_ARCH__)
    return __fma_rn(x, y, -product);
#else
    return __builtin_fma(x, y, -product);
#endif
  }

  // @tparam Sign -1 if `x` is subtracted, from the last part
  template <int At, int Sign = 1>
  WARPFOLD_HD constexpr void add_part(double x) {
    if constexpr (At + 1 < parts) {
      add_with_error(parts_[At], x);
      add_part<At + 1>(x);
    } else {
      const double before = parts_[At], sum = Sign > 0 ? before + x : before - x;
      const double added = sum - before;
      const bool is_exact = added == (Sign > 0 ? x : -x) && sum - added == before;
      parts_[At] = is_exact ? sum : float_format<double>::nan();
    }
  }
  // Adds part `At` of another sum. An error of 0 is subtracted: -0 then stays -0.
  template <int At>
  WARPFOLD_HD constexpr void add_part_of_other(double x) {
    if constexpr (At + 2 < parts) {
      add_with_error(parts_[At], x);
      add_part_of_other<At + 1>(x);
    } else if constexpr (At + 2 == parts) {
      const double before = parts_[At], sum = before + x, of_x = sum - before;
      parts_[At] = sum;
      add_part<At + 1, -1>(((sum - of_x) - before) + (of_x - x));
    } else {
      add_part<At>(x);
    }
  }
  template <int At>
  WARPFOLD_HD constexpr void add_parts_of(const trial_sum& other) {
    add_part_of_other<At>(other.parts_[At]);
    if constexpr (At + 1 < parts) add_parts_of<At + 1>(other);
  }

  double parts_[std::size_t{parts}];
};

}  // namespace warpfold::detail
