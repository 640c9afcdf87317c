/// @file
/// Softmax and log-softmax of elements whose sum of exponentials is known, and ops that return
/// these functions: for `transform_axis`.
///
/// - Idea: `exponential_sum` has a power of two, and so has e^x (op/exponential_sum.hpp). The
///   reciprocal of the rest is found once a row. Then an element costs a polynomial, one product,
///   and an addition of exponents as integers: no exponential of the processor, no conversion.
/// - Subnormal results, infinities and NaN take a separate function. It converts from `double`,
///   which rounds subnormal results once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <warpfold/op/exponential_sum.hpp>
#include <warpfold/op/rounded_product.hpp>
#include <warpfold/op/traits.hpp>

namespace warpfold {

/// The softmax of the elements of one row: `softmax_term(sum)(x)` returns e^x / `sum`.
///
/// - Result: a `float` for `float` and 16-bit floats, otherwise a `double`. It has the same bits on
///   hosts and GPUs. Programs that flush subnormal numbers (`nvcc -ftz=true`) may get 0 instead.
/// - Error: at most 4 roundings of a `float`, 5 of a `double`; one more of a subnormal result.
/// - -infinity gives 0, NaN gives NaN. If the sum is infinite, finite elements give 0. Without
///   elements in the sum, -infinity gives NaN, as 0 / 0.
/// - Cost: one division in `double` to construct, and 32 bytes. A `float` element takes about 24
///   instructions on GPUs of compute capability 9.0, or 22 by `each`. Sums below 2^-384 or above
///   2^384 take longer, and so do `double` elements.
class softmax_term {
 public:
  softmax_term() = default;

  /// @param sum the sum of e^x for all elements of the row
  WARPFOLD_HD explicit softmax_term(const exponential_sum& sum)
      : exponent_(sum.exponent), scale_(0), cutoff_(-infinity), lowest_(no_exponent) {
    const auto bits = __builtin_bit_cast(std::uint64_t, sum.sum);
    const auto field = static_cast<int>(bits >> 52);
    if (field == 0 || field >= 0x7ff) [[unlikely]] {
      inverse_ = 1 / sum.sum;  // no sum, infinite, or NaN
      exponent_ = infinity;
      return;
    }
    if (__builtin_fabs(exponent_) >= 0x1p50) [[unlikely]] {
      inverse_ = 1 / sum.sum;  // the exponent has no place for that of the sum
      return;
    }
    const std::uint64_t mantissa = bits - (static_cast<std::uint64_t>(field - 1023) << 52);
    inverse_ = reciprocal(__builtin_bit_cast(double, mantissa));
    exponent_ += field - 1023;
    scale_ = static_cast<float>(inverse_) * 0x1p-124f;
    // Less than half of the least subnormal number, also after the rounding to `float`.
    const double least = exponent_ - 155 - __builtin_fabs(exponent_) * 0x1p-22;
    cutoff_ = static_cast<float>(least * 0x1.62e42fefa39efp-1);
    if (__builtin_fabs(exponent_) <= most_near) {
      lowest_ = split::bias - 124 + static_cast<std::uint32_t>(static_cast<int>(exponent_));
    }
  }

  /// e^x / sum.
  template <class T>
    requires is_number_v<T>
  WARPFOLD_HD auto operator()(const T& x) const {
    if constexpr (is_half_v<T> || std::is_same_v<T, float>) {
      return of_float(static_cast<float>(x));
    } else {
      return of_double(static_cast<double>(x));
    }
  }

  /// Calls `write(k, e^x / sum)` for `Count` elements x = `element(k)`, with the bits of single
  /// ones: compilers vectorize it, and GPUs overlap the elements. `element(k)` has no side effects.
  WARPFOLD_ANY_SIDE
  template <int Count, class Element, class Write>
  WARPFOLD_HD void each(const Element& element, const Write& write) const {
    using T = std::remove_cvref_t<decltype(element(0))>;
    if constexpr (is_half_v<T> || std::is_same_v<T, float>) {
      float results[std::size_t{Count}] = {};
      int others = 0;  // not a bool: compilers vectorize the loop
      WARPFOLD_UNROLL
      for (int k = 0; k < Count; ++k) {
        const split e = split::of(static_cast<float>(element(k)));
        const std::uint32_t power = e.biased - lowest_;
        others |= static_cast<int>(power > greatest_power);
        results[k] = product(e, power);
      }
      if (others != 0) [[unlikely]] {
        float x[std::size_t{Count}];
        WARPFOLD_UNROLL
        for (int k = 0; k < Count; ++k) x[k] = static_cast<float>(element(k));
        replace_each(x);
        WARPFOLD_UNROLL
        for (int k = 0; k < Count; ++k) results[k] = x[k];
      }
      WARPFOLD_UNROLL
      for (int k = 0; k < Count; ++k) write(k, results[k]);
    } else {
      WARPFOLD_UNROLL
      for (int k = 0; k < Count; ++k) write(k, (*this)(element(k)));
    }
  }

  /// The function of terms of the sum: `of_terms(a)` returns a times a factor.
  struct of_terms {
    float scale;
    WARPFOLD_HD float operator()(float term) const { return detail::rounded_product(term, scale); }
  };
  /// The reciprocal of the sum of terms, from 0.5 to 2^100.
  static WARPFOLD_HD float scale_of_terms(double sum) {
    const auto bits = __builtin_bit_cast(std::uint64_t, sum);
    const auto power = static_cast<std::uint32_t>(bits >> 52) - 1023;
    const double mantissa =
        __builtin_bit_cast(double, bits - (static_cast<std::uint64_t>(power) << 52));
    return static_cast<float>(reciprocal(mantissa)) *
           __builtin_bit_cast(float, (127 - power) << 23);
  }

 private:
  using split = detail::split_exponential<float>;

  static constexpr float infinity = std::numeric_limits<float>::infinity();

  // With other exponents of a normal result, k may have more than 9 bits (split_exponential).
  static constexpr double most_near = 384;
  // No sum of `split_exponential::of` has such bits: those of a subnormal number.
  static constexpr std::uint32_t no_exponent = 256;

  // Exponents of normal results, plus 124: the product of `of_float` may be less than 1/2. Elements
  // that are not finite, and those with |k| too large, have others.
  static constexpr std::uint32_t greatest_power = 251;

  WARPFOLD_HD float product(const split& e, std::uint32_t power) const {
    const float scaled = detail::rounded_product(detail::exponential_near_1(e.remainder), scale_);
    return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, scaled) + (power << 23));
  }
  WARPFOLD_HD float of_float(float x) const {
    const split e = split::of(x);
    const std::uint32_t power = e.biased - lowest_;
    if (power <= greatest_power) [[likely]] {
      return product(e, power);
    }
    return rare_or_0(x, exponent_, inverse_, cutoff_);
  }
  // In one function, so that each element has one call.
  WARPFOLD_NOINLINE static WARPFOLD_HD float rare_or_0(float x, double of_sum, double inverse,
                                                       float cutoff) {
    if (x < cutoff) return 0;  // for masks
    return rare(x, of_sum, inverse);
  }
  template <std::size_t Count>
  WARPFOLD_NOINLINE WARPFOLD_HD void replace_each(float (&x)[Count]) const {
    WARPFOLD_NO_UNROLL
    for (std::size_t k = 0; k < Count; ++k) x[k] = of_float(x[k]);
  }

  WARPFOLD_HD double of_double(double x) const {
    const double k = detail::nearest_exponent(x), power = k - exponent_;
    if (__builtin_fabs(x) < 0x1p50 && __builtin_fabs(power) < 1000) [[likely]] {
      const double near_1 = detail::exponential_near_1(detail::remainder_for(x, k));
      const double scaled = detail::rounded_product(near_1, inverse_);
      const auto integer = __builtin_bit_cast(std::uint64_t, power + 0x1.8p52);
      return __builtin_bit_cast(double,
                                __builtin_bit_cast(std::uint64_t, scaled) + (integer << 52));
    }
    return rare(x, exponent_, inverse_);
  }

  // Elements and results of any size. Not a member: then GPUs keep this object in registers.
  template <class R>
  WARPFOLD_NOINLINE static WARPFOLD_HD R rare(R x, double of_sum, double inverse) {
    const exponential_sum e = log_sum_exp_op{}.lift(x);
    // The term of a `float` is a `float`, and so is the product.
    const R product = detail::rounded_product(static_cast<R>(e.sum), static_cast<R>(inverse));
    const double power = e.exponent - of_sum;
    constexpr double limit = 2000;
    const auto exponent = static_cast<int>(power < limit ? power > -limit ? power : -limit : limit);
    // Two products, of which the first is exact. So the result is rounded once.
    const int half = exponent / 2;
    return static_cast<R>(static_cast<double>(product) * power_of_2(half) *
                          power_of_2(exponent - half));
  }

  static WARPFOLD_HD double power_of_2(int k) {
    return __builtin_bit_cast(double, static_cast<std::uint64_t>(1023 + k) << 52);
  }
  static WARPFOLD_HD double reciprocal(double x) {
#if defined(__CUDA_ARCH__)
    return __drcp_rn(x);
#else
    return 1 / x;
#endif
  }

  double exponent_, inverse_;
  float scale_;  // the inverse times 2^-124
  float cutoff_;
  std::uint32_t lowest_;
};

/// The log-softmax of the elements of one row: `log_softmax_term(sum)(x)` returns x - log(`sum`).
///
/// - Result: a `float` for `float` and 16-bit floats, otherwise a `double`. The logarithm is that
///   of the processor, so the last bit of the result may differ between a GPU and a host.
/// - Error: two roundings of `float`, or one of `double`; besides, that of the logarithm in
///   `double`.
/// - Cost: a logarithm in `double` to construct. An element takes one subtraction in `double`, or
///   two in `float`.
class log_softmax_term {
 public:
  log_softmax_term() = default;

  /// @param sum the sum of e^x for all elements of the row
  WARPFOLD_HD explicit log_softmax_term(const exponential_sum& sum)
      : log_(sum.log()), high_(static_cast<float>(log_)) {
    const double low = log_ - static_cast<double>(high_);
    low_ = __builtin_fabs(low) < 0x1p110 ? static_cast<float>(low) : 0;  // the sum may be infinite
  }

  /// x - log(sum).
  template <class T>
    requires is_number_v<T>
  WARPFOLD_HD auto operator()(const T& x) const {
    if constexpr (is_half_v<T> || std::is_same_v<T, float>) {
      return (static_cast<float>(x) - high_) - low_;
    } else {
      return static_cast<double>(x) - log_;
    }
  }

 private:
  double log_;
  float high_, low_;
};

/// `log_sum_exp_op` with a function as its result: `softmax_term`, for the softmax of rows.
///
/// - Cost: `transform_axis` without a function computes one exponential for each `float` on a GPU,
///   because it keeps the terms of the sum. With a function it computes two.
///
/// ```cpp
/// const std::vector<float> v{0, 0, 0, 0};
/// const wf::softmax_term softmax = wf::reduce(wf::seq, v, wf::softmax_op{});
/// float share = softmax(v[1]);  // 0.25
/// ```
struct softmax_op : log_sum_exp_op {
  using exactly = softmax_op;

  /// The function of terms e^x 2^-`exponent` that are kept (op/group_terms.hpp): they are
  /// multiplied by 2^`exponent` / sum, with the bits of `softmax_term`.
  using keeps_terms_of = softmax_op;
  static WARPFOLD_HD auto kept_function(const exponential_sum& sum) {
    return softmax_term::of_terms{softmax_term::scale_of_terms(sum.sum)};
  }

  WARPFOLD_HD softmax_term finish(const exponential_sum& a) const { return softmax_term(a); }
};

/// `log_sum_exp_op` with a function as its result: `log_softmax_term`, for the log-softmax of rows.
struct log_softmax_op : log_sum_exp_op {
  using exactly = log_softmax_op;

  WARPFOLD_HD log_softmax_term finish(const exponential_sum& a) const {
    return log_softmax_term(a);
  }
};

}  // namespace warpfold
