/// @file
/// Count, mean and the sum of squared deviations, in one pass.
///
/// Source: T. Chan, G. Golub, R. LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample
/// Variances", 1979; B. Welford's update is the same with one element on one side.
#pragma once

#include <limits>
#include <type_traits>

#include <warpfold/op/traits.hpp>

namespace warpfold {

/// Of some numbers: how many, their mean, and the sum of the squares of what they deviate from it.
template <class R>
struct moments {
  unsigned long long count;
  R mean;
  R squares;

  /// NaN of no elements.
  R variance() const { return squares / static_cast<R>(count); }
  /// Of a sample: divided by one less. NaN of fewer than two elements.
  R sample_variance() const {
    return count < 2 ? std::numeric_limits<R>::quiet_NaN() : squares / static_cast<R>(count - 1);
  }

  friend WARPFOLD_HD constexpr bool operator==(const moments& a, const moments& b) {
    return a.count == b.count && a.mean == b.mean && a.squares == b.squares;
  }
};

/// Merges moments: of parts of a range, those of the whole.
///
/// Folds `moments<R>`, where R is `float` for `float` and 16-bit floats, `double` for `double` and integers. No sum is
/// formed that the mean would be taken from, so nothing cancels where the mean is large beside the deviations, and
/// elements that are all equal have a variance of 0.
///
/// Error: relative to the variance, about log2(n) roundings of R where policies fold in trees (`seq`, one after the
/// other: n), each larger by up to the condition number sqrt(1 + mean^2 / variance); the same bits on every run.
/// Identity: of no elements.
struct moments_op {
  template <class T>
  using accumulator = T;

  template <class T>
    requires is_number_v<T>
  WARPFOLD_HD constexpr auto lift(const T& x) const {
    using R = std::conditional_t<is_half_v<T> || std::is_same_v<T, float>, float, double>;
    const R mean = static_cast<R>(x);
    return moments<R>{1, mean, mean - mean};  // 0, or NaN of what is not finite
  }

  template <class Moments>
    requires requires(Moments m) {
      m.count;
      m.squares;
    }
  WARPFOLD_HD constexpr Moments identity() const {
    return {0, 0, 0};
  }

  template <class R>
  WARPFOLD_HD constexpr moments<R> operator()(const moments<R>& a, const moments<R>& b) const {
    // As parts of a tree are: no division.
    if (a.count == b.count) return merge(a, b, R{1} / 2);
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    return merge(a, b, static_cast<R>(b.count) / static_cast<R>(a.count + b.count));
  }

 private:
  // `share`: of b in the whole.
  template <class R>
  static WARPFOLD_HD constexpr moments<R> merge(const moments<R>& a, const moments<R>& b, R share) {
    const R apart = b.mean - a.mean;
    // Not finite: a mean that is not, or two that are too far apart; of equal ones this would not give theirs.
    const R mean =
        apart - apart == 0 ? a.mean + apart * share : a.mean * (1 - share) + b.mean * share;
    return {a.count + b.count, mean,
            a.squares + b.squares + apart * apart * (static_cast<R>(a.count) * share)};
  }
};

}  // namespace warpfold
