/// @file
/// Count, mean and the sum of squared deviations, in one pass.
///
/// Source: T. Chan, G. Golub, R. LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing Sample
/// Variances", 1979; B. Welford's update is the same with one element on one side.
#pragma once

#include <limits>
#include <type_traits>

#include <warpfold/op/plus.hpp>
#include <warpfold/view/transform.hpp>

namespace warpfold {

/// Of some numbers: how many, their mean, and the sum of the squares of what they deviate from it.
template <class R>
struct moments {
  unsigned long long count;
  R mean;
  R m2;  ///< the sum of the squared deviations

  /// NaN of no elements.
  R variance() const { return m2 / static_cast<R>(count); }
  /// Of a sample: divided by one less. NaN of fewer than two elements.
  R sample_variance() const {
    return count < 2 ? std::numeric_limits<R>::quiet_NaN() : m2 / static_cast<R>(count - 1);
  }

  friend WARPFOLD_HD constexpr bool operator==(const moments& a, const moments& b) {
    return a.count == b.count && a.mean == b.mean && a.m2 == b.m2;
  }
};

/// Merges moments: of parts of a range, those of the whole.
///
/// Folds `moments<double>`, of all numbers: of `float`, a mean of one element after the other would no longer move after
/// some millions. No sum is formed that the mean would be taken from, so nothing cancels where the mean is large beside
/// the deviations, and elements that are all equal have a variance of 0.
///
/// Error: of the mean at most about n roundings of `double` of the mean magnitude; of the variance about n times the
/// condition number sqrt(1 + mean^2 / variance), relative. Policies fold in trees whose leaves are a thread's or a run's
/// elements, so they come nowhere near; the same bits on every run.
/// Cost:  a state of 24 bytes; a division where parts of different sizes meet.
/// Identity: of no elements.
struct moments_op {
  template <class T>
  using accumulator = T;

  template <class T>
    requires is_number_v<T>
  WARPFOLD_HD constexpr auto lift(const T& x) const {
    const double mean = as_double(x);
    return moments<double>{1, mean, mean - mean};  // 0, or NaN of what is not finite
  }

  template <class Moments>
    requires requires(Moments m) {
      m.count;
      m.m2;
    }
  WARPFOLD_HD constexpr Moments identity() const {
    return {0, 0, 0};
  }

  template <class R>
  WARPFOLD_HD constexpr moments<R> operator()(const moments<R>& a, const moments<R>& b) const {
    // As parts of a tree are: no division.
    if (a.count == b.count) return merge(a, b, R{1} / 2, R{1} / 2);
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const R count = static_cast<R>(a.count + b.count);
    return merge(a, b, static_cast<R>(a.count) / count, static_cast<R>(b.count) / count);
  }

  /// On the host: the mean of a run, from its first element on, then its deviations from that.
  template <class R, class View, class Fold>
  moments<R> fold_run(const moments<R>& seen, const View& view, std::size_t first, std::size_t last,
                      const Fold& fold) const {
    const auto n = static_cast<R>(last - first);
    const R origin = as_double(view[first]);
    const auto from = [&](R center) {
      return project(view, [center](const auto& x) { return as_double(x) - center; });
    };
    const R mean = origin + fold(plus{}, from(origin), first, last) / n;
    const auto square = [mean](const auto& x) {
      const R apart = as_double(x) - mean;
      return apart * apart;
    };
    const R squares = fold(plus{}, project(view, square), first, last);
    if (mean - mean == 0 && squares - squares == 0) {
      return (*this)(seen, {last - first, mean, squares});
    }
    moments<R> total = seen;  // something is not finite, or too far apart
    for (std::size_t i = first; i < last; ++i) total = (*this)(total, lift(view[i]));
    return total;
  }

 private:
  template <class T>
  static WARPFOLD_HD constexpr double as_double(const T& x) {
    if constexpr (is_half_v<T>) {
      return static_cast<float>(x);
    } else {
      return static_cast<double>(x);
    }
  }

  // The shares are those of a and b in the whole.
  template <class R>
  static WARPFOLD_HD constexpr moments<R> merge(const moments<R>& a, const moments<R>& b,
                                                R share_of_a, R share_of_b) {
    const R apart = b.mean - a.mean;
    // Not finite: a mean that is not, or two that are too far apart; of equal ones this would not give theirs.
    const R mean = apart - apart == 0 ? a.mean + apart * share_of_b
                                      : a.mean * share_of_a + b.mean * share_of_b;
    return {a.count + b.count, mean,
            a.m2 + b.m2 + apart * apart * (static_cast<R>(a.count) * share_of_b)};
  }
};

}  // namespace warpfold
