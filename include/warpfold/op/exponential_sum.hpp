/// @file
/// The sum of the exponentials of numbers, which neither overflows nor underflows: for softmax and
/// `log_sum_exp`.
///
/// - Idea: e^x is 2^k times a number near 1, with an integer k. The exponent of a sum is the
///   greatest k of its terms. A merge scales by powers of two, which is exact, and then adds. There
///   is one exponential for each element, and none for a merge.
/// - `float` elements of 256 or more, of either sign, have a remainder in `double`. So `lift` and
///   `fold_neighbors` decide by the element alone, and give the same bits.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <warpfold/op/exponential_terms.hpp>
#include <warpfold/op/fold_order.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/rounded_product.hpp>
#include <warpfold/op/split_exponential.hpp>
#include <warpfold/op/traits.hpp>

namespace warpfold {

/// A sum of exponentials: `sum` times 2^`exponent`.
struct exponential_sum {
  double sum;
  double exponent;  ///< an integer; any number if elements exceed 2^50

  /// The natural logarithm; -infinity without elements.
  WARPFOLD_HD double log() const {
    return detail::rounded_product(exponent, 0x1.62e42fefa39efp-1) + ::log(sum);
  }

  friend WARPFOLD_HD constexpr bool operator==(const exponential_sum& a, const exponential_sum& b) {
    return a.sum == b.sum && a.exponent == b.exponent;
  }
};

/// Adds the exponentials of numbers. Its result is the natural logarithm of the sum, a `double`; an
/// output of `exponential_sum` gets the sum.
///
/// - Order: as for `reduce`. `finish` takes a logarithm of the processor, so the last bit of the
///   result may differ between a GPU and a host.
/// - Error: an exponential has at most 3 roundings, of `float` for `float` and 16-bit floats, and
///   of `double` for others; at most 1.71 for floats below 256. For elements above 10^6, the
///   remainder has the rounding of the element. Sums are in `double`. Elements beyond 1.24e308
///   count as 1.24e308, of either sign.
/// - Cost: a state of 16 bytes. A GPU of compute capability 9.0 executes 25 instructions for a
///   `float` element and 46 for a `double`, if it folds 8 neighbors. Groups with a `float` of 256
///   or more, or a `double` of 2^29 or more, of either sign, take longer.
/// - Identity: the sum of no exponentials, whose logarithm is -infinity.
struct log_sum_exp_op {
  using exactly = log_sum_exp_op;

  template <class>
  using accumulator = exponential_sum;

  template <class T>
    requires is_number_v<T>
  WARPFOLD_HD constexpr exponential_sum lift(const T& number) const {
    using R = term<T>;
    using split = detail::split_exponential<R>;
    if constexpr (std::is_same_v<R, float>) {
      const auto x = static_cast<float>(number);
      if (split::admits(x)) [[likely]] {
        const split e = split::of(x);
        const float near_1 = detail::exponential_near_1(e.remainder);
        return {detail::scaled(near_1, 0), detail::exponent_of<float>(e.biased)};
      }
    }
    const double x = detail::as_double{}(number);
    if (x < 0x1p50 && x > -0x1p50) [[likely]] {
      const double k = detail::nearest_exponent(x);
      const auto r = static_cast<R>(detail::remainder_for(x, k));
      return {static_cast<double>(detail::exponential_near_1(r)), k};
    }
    // So large that the remainder is less than the rounding of the element; infinite; or NaN.
    if (x >= -greatest && x <= greatest) {
      const double power = detail::rounded_product(x, 0x1.71547652b82fep0);
      return {1, power < -greatest ? -greatest : power > greatest ? greatest : power};
    }
    if (x < 0) return {0, -infinity};
    return {x, 0};
  }

  template <std::same_as<exponential_sum> State>
  WARPFOLD_HD constexpr State identity() const {
    return {0, -infinity};
  }

  WARPFOLD_HD constexpr exponential_sum operator()(const exponential_sum& a,
                                                   const exponential_sum& b) const {
    const bool b_is_more = a.exponent < b.exponent;
    const double more = b_is_more ? b.sum : a.sum, less = b_is_more ? a.sum : b.sum;
    // NaN for two sums of nothing, which constant evaluation refuses.
    const double distance =
        __builtin_is_constant_evaluated() && a.exponent == b.exponent ? 0 : a.exponent - b.exponent;
    // The product is exact, also if it is fused.
    return {more + less * detail::power_of_half(distance), b_is_more ? b.exponent : a.exponent};
  }

  /// Folds `Count` neighbors with the bits of the merges (`folds_neighbors`, op/lift.hpp): all are
  /// scaled by one power of two each. Loops that compilers vectorize.
  WARPFOLD_ANY_SIDE
  template <int Count, class Element, class Lifted>
  WARPFOLD_HD exponential_sum fold_neighbors(const Element& element, const Lifted&) const {
    return fold_first<Count>(element, std::integral_constant<unsigned, unsigned{Count}>{});
  }
  /// The same for the first `there` elements (`folds_first_neighbors`, op/lift.hpp).
  WARPFOLD_ANY_SIDE
  template <int Count, class Element>
  WARPFOLD_HD exponential_sum fold_first_neighbors(const Element& element, unsigned there) const {
    return fold_first<Count>(element, there);
  }

  template <class T>
    requires(is_half_v<T> || std::is_same_v<T, float>)
  using group_terms = detail::exponential_terms<log_sum_exp_op, T>;

  WARPFOLD_HD double finish(const exponential_sum& a) const { return a.log(); }

 private:
  // Elements that are left out are copies of the first one, whose terms become 0.
  WARPFOLD_ANY_SIDE
  template <int Count, class Element, class There>
  WARPFOLD_HD exponential_sum fold_first(const Element& element, const There& there) const {
    constexpr bool has_all = !std::is_same_v<There, unsigned>;
    const auto is_left_out = [&]([[maybe_unused]] int k) {
      if constexpr (has_all) {
        return false;
      } else {
        return static_cast<unsigned>(k) >= there;
      }
    };
    using R = term<std::remove_cvref_t<decltype(element(0))>>;
    using split = detail::split_exponential<R>;
    R x[std::size_t{Count}] = {};
    int refused = 0;  // not a bool: compilers vectorize the loop
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k) {
      x[k] = static_cast<R>(element(is_left_out(k) ? 0 : k));
      refused |= static_cast<int>(!split::admits(x[k]));
    }
    if (refused != 0) [[unlikely]] {
      WARPFOLD_UNROLL
      for (int k = 0; k < Count; ++k) {
        if (is_left_out(k)) x[k] = -std::numeric_limits<R>::infinity();
      }
      return fold_any<Count>(x);
    }
    std::uint32_t biased[std::size_t{Count}] = {};
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k) {
      const split e = split::of(x[k]);
      x[k] = detail::exponential_near_1(e.remainder);
      biased[k] = e.biased;
    }
    std::uint32_t most = biased[0];
    WARPFOLD_UNROLL
    for (int k = 1; k < Count; ++k) most = most < biased[k] ? biased[k] : most;
    double terms[std::size_t{Count}] = {};
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k) {
      const std::uint32_t distance = most - biased[k];
      // Near exponents of floats need no limit.
      const bool is_limited = sizeof(R) == 8 && distance > 1000;
      terms[k] = is_left_out(k) ? 0 : detail::scaled(x[k], is_limited ? 1000 : distance);
    }
    const auto add = [](double a, double b) { return a + b; };
    return {detail::fold_levels<std::size_t{Count}>(add, terms), detail::exponent_of<R>(most)};
  }

  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr double greatest = 0x1.fffffffffffffp1023;

  template <class T>
  using term = std::conditional_t<is_half_v<T> || std::is_same_v<T, float>, float, double>;

  // The bits of merges for elements of any size, outside the caller's code: such groups are rare.
  // Simple loops, which compilers vectorize for hosts, and which need few registers on GPUs.
  template <int Count, class R>
  WARPFOLD_NOINLINE WARPFOLD_HD exponential_sum fold_any(const R (&x)[std::size_t{Count}]) const {
    using wide = detail::split_exponential<double>;
    // A term of an element below -2^30 changes no sum with one above -2^29: the masks of softmax.
    constexpr R masked = -0x1p30f;
    int wide_ones = 0, others = 0;
    WARPFOLD_NO_UNROLL
    for (int k = 0; k < Count; ++k) {
      const int is_wide =
          static_cast<int>(x[k] < R{0x1p29f}) & static_cast<int>(x[k] > R{-0x1p29f});
      wide_ones |= is_wide;
      others |= ~is_wide & ~static_cast<int>(x[k] < masked);
    }
    if (wide_ones != 0 && (others & 1) == 0) {
      R own[std::size_t{Count}], near_1[std::size_t{Count}];
      std::uint32_t biased[std::size_t{Count}], most = 0;
      WARPFOLD_NO_UNROLL
      for (int k = 0; k < Count; ++k) own[k] = x[k] < masked ? 0 : x[k];
      WARPFOLD_NO_UNROLL
      for (int k = 0; k < Count; ++k) {
        const wide e = wide::of(static_cast<double>(own[k]));
        near_1[k] = static_cast<R>(e.remainder);
        biased[k] = e.biased;
      }
      if constexpr (sizeof(R) == 4) take_near<Count>(own, near_1, biased);
      WARPFOLD_NO_UNROLL
      for (int k = 0; k < Count; ++k) {
        near_1[k] = detail::exponential_near_1(near_1[k]);
        biased[k] = x[k] < masked ? 0 : biased[k];
      }
      WARPFOLD_NO_UNROLL
      for (int k = 0; k < Count; ++k) most = most < biased[k] ? biased[k] : most;
      double terms[std::size_t{Count}];
      WARPFOLD_NO_UNROLL
      for (int k = 0; k < Count; ++k) {
        const std::uint32_t distance = most - biased[k];
        terms[k] = detail::scaled(near_1[k], distance < 1000 ? distance : 1000);
      }
      const auto add = [](double a, double b) { return a + b; };
      return {detail::fold_levels<std::size_t{Count}>(add, terms),
              detail::exponent_of<double>(most)};
    }
    exponential_sum nodes[std::size_t{Count}];
    WARPFOLD_NO_UNROLL
    for (int k = 0; k < Count; ++k) nodes[k] = lift(x[k]);
    WARPFOLD_NO_UNROLL
    for (int size = Count / 2; size > 0; size /= 2) {
      WARPFOLD_NO_UNROLL
      for (int k = 0; k < size; ++k) nodes[k] = (*this)(nodes[2 * k], nodes[2 * k + 1]);
    }
    return nodes[0];
  }

  // Replaces remainders and exponents where `lift` computes in `float`.
  template <int Count>
  static WARPFOLD_HD void take_near(const float (&x)[std::size_t{Count}],
                                    float (&remainders)[std::size_t{Count}],
                                    std::uint32_t (&biased)[std::size_t{Count}]) {
    using near = detail::split_exponential<float>;
    constexpr std::uint32_t more = detail::split_exponential<double>::bias - near::bias;
    WARPFOLD_NO_UNROLL
    for (int k = 0; k < Count; ++k) {
      const near n = near::of(x[k]);
      // By masks: GCC does not vectorize a choice of computed floats.
      const std::uint32_t mask = near::admits(x[k]) ? ~std::uint32_t{0} : 0;
      const float far = remainders[k];
      const auto own_bits = __builtin_bit_cast(std::uint32_t, n.remainder) & mask;
      const auto far_bits = __builtin_bit_cast(std::uint32_t, far) & ~mask;
      remainders[k] = __builtin_bit_cast(float, own_bits | far_bits);
      biased[k] = ((n.biased + more) & mask) | (biased[k] & ~mask);
    }
  }
};

}  // namespace warpfold
