/// @file
/// Count, mean and sum of squared deviations, in one pass.
///
/// Source: T. Chan, G. Golub, R. LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing
/// Sample Variances", 1979; B. Welford's update is the same with one element on one side.
#pragma once

#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

#include <warpfold/op/plus.hpp>
#include <warpfold/view/transform.hpp>

namespace warpfold {

/// The count, the mean and the sum of squared deviations of some numbers.
struct moments {
  static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

  unsigned long long count;
  double mean;
  double m2;  ///< sum of the squared deviations from the mean

  /// Variance of a population; NaN without elements.
  WARPFOLD_HD constexpr double variance() const { return m2 / static_cast<double>(count); }
  /// Variance of a sample, divided by count - 1; NaN for fewer than two elements.
  WARPFOLD_HD constexpr double sample_variance() const {
    return count < 2 ? nan : m2 / static_cast<double>(count - 1);
  }

  friend WARPFOLD_HD constexpr bool operator==(const moments& a, const moments& b) {
    return a.count == b.count && a.mean == b.mean && a.m2 == b.m2;
  }
};

namespace detail {

// A 16-bit float converts by way of `float`.
struct as_double {
  template <class T>
  WARPFOLD_HD constexpr double operator()(const T& x) const {
    if constexpr (is_half_v<T>) {
      return static_cast<float>(x);
    } else {
      return static_cast<double>(x);
    }
  }
};
struct share_of {
  double of;

  template <class T>
  WARPFOLD_HD constexpr double operator()(const T& x) const {
    return as_double{}(x)*of;
  }
};
struct difference_from {
  double from;

  template <class T>
  WARPFOLD_HD constexpr double operator()(const T& x) const {
    return as_double{}(x)-from;
  }
};

}  // namespace detail

/// Merges the moments of parts of a range to those of the whole.
///
/// Accumulates all numbers in `double`: a `float` mean would stop changing after some millions of
/// elements. Sums are those of deviations, so there is no cancellation when |mean| ≫ stddev, and
/// equal elements have a variance of 0.
///
/// - Error: for the mean at most about n roundings of `double` of the mean magnitude. For the
///   variance about n times the condition number sqrt(1 + mean^2 / variance), relative. The
///   policies fold in trees, so real errors are far smaller. Every run gives the same bits. The
///   result is infinite or NaN if elements differ by more than about 1e154, the root of the
///   greatest double.
/// - Cost: a state of 24 bytes; one division for each merge of parts of different sizes.
/// Identity: the moments of no elements.
struct moments_op {
 private:
  struct squared_difference {
    double from;

    template <class T>
    WARPFOLD_HD constexpr double operator()(const T& x) const {
      const double apart = detail::as_double{}(x)-from;
      return apart * apart;
    }
  };

  template <class D>
  struct sums {
    D sum;
    D squares;

    // For vectors of doubles, on the host only: nvcc rejects vector types in functions that could
    // be device code.
    sums<double> value(int l) const { return {sum[l], squares[l]}; }
    sums added(const sums& b) const { return {sum + b.sum, squares + b.squares}; }
  };
  // For vectors of doubles as well (host/vector_fold.hpp).
  struct deviation {
    using exactly = deviation;
    double from;

    template <class D>
    sums<D> in_double(const D& x) const {
      const D apart = x - from;
      return {apart, apart * apart};
    }
    template <class T>
    WARPFOLD_HD constexpr sums<double> operator()(const T& x) const {
      const double apart = detail::as_double{}(x)-from;
      return {apart, apart * apart};
    }
  };
  struct add_both {
    WARPFOLD_HD constexpr sums<double> operator()(const sums<double>& a,
                                                  const sums<double>& b) const {
      return {a.sum + b.sum, a.squares + b.squares};
    }
  };

 public:
  using exactly = moments_op;

  // A called function would be slower (16 MB, H100): 17.1 us inlined, 25.8 us called.
  template <class>
  static constexpr bool is_long = true;

  /// True where computing both sums in one pass is faster than in two: with vector instructions,
  /// and for wide integers. A batch with much cancellation takes a second pass.
  template <class Batch>
  static constexpr bool reads_batch_once =
      Batch::template projects_in_vectors<deviation, add_both> ||
      (std::is_integral_v<decltype(std::declval<const Batch&>().first())> &&
       sizeof(std::declval<const Batch&>().first()) >= 4);

  template <class T>
  using accumulator = T;

  template <class T>
    requires is_number_v<T>
  WARPFOLD_HD constexpr auto lift(const T& x) const {
    const double mean = detail::as_double{}(x);
    return moments{1, mean, mean - mean};  // 0, or NaN if x is not finite
  }

  template <std::same_as<moments> State>
  WARPFOLD_HD constexpr State identity() const {
    return {0, 0, 0};
  }

  WARPFOLD_HD constexpr moments operator()(const moments& a, const moments& b) const {
    // The usual case in a tree: no division.
    if (a.count == b.count) return merge(a, b, 0.5);
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    return merge(a, b, quotient(static_cast<double>(b.count), a.count + b.count));
  }

  /// Computes the sum of the deviations and of their squares together, with one division. In a
  /// short batch the deviations are those from the mean of `seen`. The share of the squares that
  /// then cancels is at most n / (k + n), where k elements were seen before these n. Without
  /// earlier elements it is at most all but one n-th.
  ///
  /// In a long batch, on the host, the deviations are those from its first element. If more than
  /// 15/16 of the squares cancel, a second pass sums the deviations from the batch's mean and
  /// corrects them. For normal deviates this happens once in 10,000 batches. Chars, shorts and
  /// projected elements always take two passes, which is faster (host): 0.91 -> 0.57 ns per char.
  WARPFOLD_ANY_SIDE
  template <class Batch>
  WARPFOLD_HD constexpr moments fold_batch(const moments& seen, const Batch& batch) const {
    moments all;
    if constexpr (Batch::most <= 64) {
      const double center = seen.count != 0 ? seen.mean : detail::as_double{}(batch.first());
      const sums<double> apart = batch.projected(deviation{center}).fold(add_both{});
      all.count = seen.count + batch.size();
      const double shift = quotient(apart.sum, all.count);
      all.mean = center + shift;
      all.m2 = seen.m2 + (apart.squares - apart.sum * shift);
    } else {
      all = (*this)(seen, of_long_batch(batch));
    }
    if (all.mean - all.mean == 0 && all.m2 - all.m2 == 0) [[likely]]
      return all;
    // A value is not finite, or the values are too far apart for squares.
    const auto n = batch.size();
    const double mean = batch.projected(detail::share_of{1 / static_cast<double>(n)}).fold(plus{});
    const double infinity = 1e300 * 1e300;
    return (*this)(seen, {n, mean, mean - mean == 0 ? infinity : mean - mean});
  }

  /// Sums the deviations of the means and of the squares from one of the means, together, with one
  /// division.
  ///
  /// Error: that of the squares is N / n times that of pairwise merging, where the lane with this
  /// mean has n of all N elements. It is 32 times as large if all lanes have the same number.
  WARPFOLD_ANY_SIDE
  template <class States>
  WARPFOLD_HD constexpr moments fold_states(const States& states) const {
    const double center = states.find(has_seen{}).mean;
    const auto count = states.projected(count_of{}).fold(plus{});
    const double apart = states.projected(apart_from{center}).fold(plus{});
    const double squares = states.projected(squares_about{center}).fold(plus{});
    const double shift = count != 0 ? quotient(apart, count) : 0;
    const moments all{count, center + shift, squares - apart * shift};
    // Unless a value is not finite, or the values are too far apart for squares.
    const bool is_finite = all.mean - all.mean == 0 && all.m2 - all.m2 == 0;
    if (!states.any(!is_finite)) [[likely]]
      return all;
    return states.fold(*this);
  }

 private:
  WARPFOLD_ANY_SIDE
  template <class Batch>
  static WARPFOLD_HD constexpr moments of_long_batch(const Batch& batch) {
    const auto n = batch.size();
    const auto count = static_cast<double>(n);
    const double origin = detail::as_double{}(batch.first());
    if constexpr (reads_batch_once<Batch>) {
      const sums<double> apart = batch.projected(deviation{origin}).fold(add_both{});
      const double shift = apart.sum / count;
      moments own{n, origin + shift, apart.squares - apart.sum * shift};
      if (!(apart.squares <= 1e300 && 16 * own.m2 >= apart.squares)) {
        const sums<double> about = batch.projected(deviation{own.mean}).fold(add_both{});
        own.m2 = about.squares - about.sum * (about.sum / count);
      }
      return own;
    } else {
      const double mean =
          origin + batch.projected(detail::difference_from{origin}).fold(plus{}) / count;
      return {n, mean, batch.projected(squared_difference{mean}).fold(plus{})};
    }
  }

  // x / n for n above 0, correct to the last bit but one; NaN for an infinite x, which the callers
  // handle. The GPU's own division branches for rare operands, and other parts of `all` cannot
  // overlap it. 16 MB, H100, own division -> this: five ops 17.0 -> 16.5 us, moments 15.1 -> 14.7
  // us.
  static WARPFOLD_HD constexpr double quotient(double x, unsigned long long n) {
    const auto by = static_cast<double>(n);
#if defined(__CUDA_ARCH__)
    double inverse;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(by));
    // 20 bits, 40 bits, all.
    inverse = fma(inverse, fma(-by, inverse, 1.0), inverse);
    inverse = fma(inverse, fma(-by, inverse, 1.0), inverse);
    const double q = x * inverse;
    return fma(inverse, fma(-by, q, x), q);
#else
    return x / by;
#endif
  }

  struct has_seen {
    WARPFOLD_HD constexpr bool operator()(const moments& m) const { return m.count != 0; }
  };
  struct count_of {
    WARPFOLD_HD constexpr unsigned long long operator()(const moments& m) const { return m.count; }
  };
  struct apart_from {
    double center;

    WARPFOLD_HD constexpr double operator()(const moments& m) const {
      return static_cast<double>(m.count) * (m.mean - center);
    }
  };
  struct squares_about {
    double center;

    WARPFOLD_HD constexpr double operator()(const moments& m) const {
      const double apart = m.mean - center;
      return m.m2 + static_cast<double>(m.count) * (apart * apart);
    }
  };

  // share_of_b is the share of b in the count.
  static WARPFOLD_HD constexpr moments merge(const moments& a, const moments& b,
                                             double share_of_b) {
    const double apart = b.mean - a.mean;
    // Not finite: one mean is not, or the two are too far apart. For equal means the second formula
    // would round.
    const double mean = apart - apart == 0 ? a.mean + apart * share_of_b
                                           : a.mean * (1 - share_of_b) + b.mean * share_of_b;
    return {a.count + b.count, mean,
            a.m2 + b.m2 + apart * apart * (static_cast<double>(a.count) * share_of_b)};
  }
};

template <>
inline constexpr bool never_compares<moments_op> = true;

}  // namespace warpfold
