/// @file
/// Count, mean, and the sums of the second, third and fourth powers of the deviations, in one pass:
/// for skewness and kurtosis.
///
/// Source: P. Pébay, "Formulas for Robust, One-Pass Parallel Computation of Covariances and
/// Arbitrary-Order Statistical Moments", 2008; with shares of the count instead of counts.
#pragma once

#include <cmath>
#include <concepts>
#include <limits>

#include <warpfold/op/moments.hpp>

namespace warpfold {

/// The count, the mean and the sums of powers of the deviations of some numbers.
struct moments_to_4 {
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  unsigned long long count;
  double mean;
  double m2;  ///< sum of the squared deviations from the mean
  double m3;  ///< sum of their third powers
  double m4;  ///< sum of their fourth powers

  /// Variance of a population; NaN without elements.
  WARPFOLD_HD double variance() const { return m2 / size(); }
  /// Variance of a sample, divided by count - 1; NaN for fewer than two elements.
  WARPFOLD_HD double sample_variance() const { return count < 2 ? nan : m2 / (size() - 1); }

  /// Skewness of a population: the mean third power of the deviations, divided by the third power
  /// of the standard deviation. NaN if all elements are equal.
  WARPFOLD_HD double skewness() const { return std::sqrt(size()) * (m3 / m2) / std::sqrt(m2); }
  /// The adjusted Fisher-Pearson coefficient of a sample; NaN for fewer than three elements.
  WARPFOLD_HD double sample_skewness() const {
    return count < 3 ? nan : skewness() * std::sqrt(size() * (size() - 1)) / (size() - 2);
  }

  /// Excess kurtosis of a population: the mean fourth power of the deviations, divided by the
  /// squared variance, minus 3. It is 0 for a normal distribution, and NaN if all elements are
  /// equal.
  WARPFOLD_HD double kurtosis() const { return size() * (m4 / m2) / m2 - 3; }
  /// Excess kurtosis of a sample, corrected for bias; NaN for fewer than four elements.
  WARPFOLD_HD double sample_kurtosis() const {
    if (count < 4) return nan;
    const double sum = detail::rounded_product(size() + 1, kurtosis()) + 6;
    return (size() - 1) / ((size() - 2) * (size() - 3)) * sum;
  }

  friend WARPFOLD_HD constexpr bool operator==(const moments_to_4& a, const moments_to_4& b) {
    return a.count == b.count && a.mean == b.mean && a.m2 == b.m2 && a.m3 == b.m3 && a.m4 == b.m4;
  }

 private:
  WARPFOLD_HD double size() const { return static_cast<double>(count); }
};

/// Merges the moments of parts of a range to those of the whole, up to the fourth; otherwise like
/// `moments_op`, which is faster and has smaller states.
///
/// All sums are those of deviations from a mean, so there is no cancellation when |mean| ≫ stddev.
///
/// - Error: that of the mean is as in `moments_op`. It moves the deviations by about
///   u |mean| / stddev standard deviations, where u is the rounding of `double`. The sums are not
///   finite if elements differ by more than about 1e77, the fourth root of the greatest double. The
///   sums lose digits, and then everything, if all elements differ by less than about 1e-73.
/// - Cost: a state of 40 bytes; one division for each merge of parts of different sizes.
/// Identity: the moments of no elements.
struct moments_to_4_op {
  using exactly = moments_to_4_op;

  template <class>
  static constexpr bool is_long = true;

  template <class T>
  using accumulator = T;

  template <class T>
    requires is_number_v<T>
  WARPFOLD_HD constexpr auto lift(const T& x) const {
    const double mean = detail::as_double{}(x), none = mean - mean;  // 0, or NaN if x is not finite
    return moments_to_4{1, mean, none, none, none};
  }

  template <std::same_as<moments_to_4> State>
  WARPFOLD_HD constexpr State identity() const {
    return {0, 0, 0, 0, 0};
  }

  WARPFOLD_HD constexpr moments_to_4 operator()(const moments_to_4& a,
                                                const moments_to_4& b) const {
    // The usual case in a tree: no division.
    if (a.count == b.count) return merge_equal(a, b);
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const auto all = static_cast<double>(a.count + b.count);
    return merge(a, b, static_cast<double>(a.count) / all, static_cast<double>(b.count) / all);
  }

 private:
  // Rounded: no compiler fuses it with a sum.
  static WARPFOLD_HD constexpr double times(double x, double y) {
    return detail::rounded_product(x, y);
  }

  static WARPFOLD_HD constexpr moments_to_4 merge_equal(const moments_to_4& a,
                                                        const moments_to_4& b) {
    const double apart = b.mean - a.mean, square = times(apart, apart), sum = a.mean + b.mean;
    const double half = detail::half_of(a.count);
    return {a.count + b.count,
            detail::is_finite_number(sum) ? sum * 0.5 : a.mean * 0.5 + b.mean * 0.5,
            a.m2 + b.m2 + times(square, half), a.m3 + b.m3 + times(apart, 1.5 * (b.m2 - a.m2)),
            a.m4 + b.m4 + times(square, times(square, half * 0.25) + times(1.5, a.m2 + b.m2)) +
                times(apart, 2 * (b.m3 - a.m3))};
  }
  // Each share is that of the count of both.
  static WARPFOLD_HD constexpr moments_to_4 merge(const moments_to_4& a, const moments_to_4& b,
                                                  double share_of_a, double share_of_b) {
    const double apart = b.mean - a.mean;
    // Not finite: one mean is not, or the two are too far apart. For equal means the second formula
    // would round.
    const double mean = detail::is_finite_number(apart)
                            ? a.mean + times(apart, share_of_b)
                            : times(a.mean, share_of_a) + times(b.mean, share_of_b);
    const double both = times(share_of_a, share_of_b), square = times(apart, apart);
    // The square that the means contribute.
    const double between = times(square, static_cast<double>(a.count) * share_of_b);
    const double third = times(between, share_of_a - share_of_b) +
                         times(3, times(share_of_a, b.m2) - times(share_of_b, a.m2));
    const double fourth =
        times(between, 1 - times(3, both)) +
        times(6, times(share_of_a * share_of_a, b.m2) + times(share_of_b * share_of_b, a.m2));
    return {a.count + b.count, mean, a.m2 + b.m2 + between, a.m3 + b.m3 + times(apart, third),
            a.m4 + b.m4 + times(square, fourth) +
                times(4 * apart, times(share_of_a, b.m3) - times(share_of_b, a.m3))};
  }
};

template <>
inline constexpr bool never_compares<moments_to_4_op> = true;

}  // namespace warpfold
