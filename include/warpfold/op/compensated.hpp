/// @file
/// `plus{}.compensated()`: sums that also keep the rounding errors.
///
/// Sources: D. Knuth's two-sum. T. Dekker, "A Floating-Point Technique for Extending the Available
/// Precision", 1971: sums of pairs. T. Ogita, S. Rump, S. Oishi, "Accurate Sum and Dot Product",
/// 2005: Sum2, used here for a few elements at a time.
#pragma once

#include <limits>
#include <type_traits>

#include <warpfold/op/plus.hpp>

namespace warpfold {

/// A rounded sum and its accumulated rounding error, which is at most a few roundings of the sum.
template <class T>
struct compensated_sum {
  T sum;
  T dropped;

#if defined(__clang__) && !defined(__cpp_aggregate_paren_init)
  // Clang before 16 makes no aggregates by parentheses, as conversions of a number do.
  compensated_sum() = default;
  WARPFOLD_HD constexpr compensated_sum(T s, T d) : sum(s), dropped(d) {}
  WARPFOLD_HD constexpr explicit compensated_sum(T s) : sum(s), dropped{} {}
#endif

  WARPFOLD_HD constexpr explicit operator T() const {
    // A sum that is not finite has no meaningful error: it is inf - inf.
    return sum - sum == 0 ? sum + dropped : sum;
  }
};

/// Adds floating-point numbers as if in twice the precision, with one final rounding.
///
/// Every stage (thread, warp, block and grid) folds `compensated_sum<T>`, where T is `float` for
/// 16-bit floats. `reduce` returns a T.
///
/// Error: u |sum| + O(n u^2) sum|x|, with u the unit roundoff of T; plain sums have O(n u) sum|x|.
/// n is the longest chain of additions, far fewer than the number of elements. All digits of the
/// result are correct if the condition number, sum|x| / |sum|, is below about 1 / (n u).
/// Identity: 0.
/// - Order: as for `reduce`.
/// - Cost: eight additions per element on a GPU, eleven on a host; a state has twice the
///   bytes. Compile without -ffast-math, which removes the compensation.
struct compensated_plus {
  static constexpr auto needs = detail::operand_need::floating_point;
  using exactly = compensated_plus;

  template <class T>
  using accumulator = T;

  template <class T>
    requires(std::is_floating_point_v<T> || is_half_v<T>)
  WARPFOLD_HD constexpr auto lift(const T& x) const {
    return compensated_sum<wide_sum_t<T>>{static_cast<wide_sum_t<T>>(x), 0};
  }

  template <class S>
    requires requires(S s) { s.dropped; }
  WARPFOLD_HD constexpr S identity() const {
    return {0, 0};
  }

  template <class T>
  WARPFOLD_HD constexpr compensated_sum<T> operator()(const compensated_sum<T>& a,
                                                      const compensated_sum<T>& b) const {
    return carried(added(a, b));
  }

  /// Folds the few elements that a GPU thread loads at once. Their rounding errors are so small
  /// that one carry at the end is enough.
  WARPFOLD_ANY_SIDE
  template <class T, class Batch>
    requires(Batch::most <= 64)
  WARPFOLD_HD constexpr compensated_sum<T> fold_batch(const compensated_sum<T>& seen,
                                                      const Batch& batch) const {
    return carried(added(seen, batch.fold(of_few{})));
  }

  /// Folds the states of a warp's lanes in the same way.
  WARPFOLD_ANY_SIDE
  template <class States>
  WARPFOLD_HD constexpr auto fold_states(const States& states) const {
    return carried(states.fold(of_few{}));
  }

  template <class T>
  WARPFOLD_HD constexpr T finish(const compensated_sum<T>& s) const {
    return static_cast<T>(s);
  }

 private:
  // The rounded sum of both, and all rounding errors.
  template <class T>
  static WARPFOLD_HD constexpr compensated_sum<T> added(const compensated_sum<T>& a,
                                                        const compensated_sum<T>& b) {
    const T sum = a.sum + b.sum;
    const T of_b = sum - a.sum;
    const T of_a = sum - of_b;
    return {sum, a.dropped + b.dropped + ((a.sum - of_a) + (b.sum - of_b))};
  }

  // Adds the rounding errors to the sum, and keeps only the error of this addition. Otherwise
  // `dropped` grows with the sum and is rounded like a plain sum. Ten million times 0.1f, in a
  // loop: 1002001.75 without, 1000000 with it. A sum that is not finite stays unchanged.
  template <class T>
  static WARPFOLD_HD constexpr compensated_sum<T> carried(const compensated_sum<T>& s) {
    const T sum = s.sum + s.dropped;
    const T dropped = s.dropped - (sum - s.sum);
    return {sum == sum ? sum : s.sum, dropped};
  }

  // The op without the carry, for a few elements.
  struct of_few {
    template <class T>
    using accumulator = T;

    template <class T>
    WARPFOLD_HD constexpr auto lift(const T& x) const {
      return compensated_plus{}.lift(x);
    }
    template <class T>
    WARPFOLD_HD constexpr compensated_sum<T> operator()(const compensated_sum<T>& a,
                                                        const compensated_sum<T>& b) const {
      return added(a, b);
    }
  };
};

WARPFOLD_HD constexpr compensated_plus plus::compensated() const { return {}; }

template <>
inline constexpr bool never_compares<compensated_plus> = true;

}  // namespace warpfold
