/// @file
/// Sums that keep what rounding drops: `plus{}.compensated()`.
///
/// Source: D. Knuth's two-sum; T. Ogita, S. Rump, S. Oishi, "Accurate Sum and Dot Product", 2005, whose Sum2 this is, in
/// whatever tree a policy folds.
#pragma once

#include <type_traits>

#include <warpfold/op/plus.hpp>

namespace warpfold {

/// A rounded sum, and the sum of what its roundings dropped.
template <class T>
struct compensated_sum {
  T sum;
  T dropped;

  WARPFOLD_HD constexpr explicit operator T() const {
    // Nothing was dropped of a sum that is not finite, and what stands there is inf - inf.
    return sum - sum == 0 ? sum + dropped : sum;
  }
};

/// Sums of floating-point numbers as if formed in twice the precision and rounded once.
///
/// Folds `compensated_sum<T>`, with T `float` for 16-bit floats, through every stage: thread, warp, block and grid.
/// `reduce` gives a T.
/// Error: u |sum| + O(n u)^2 sum|x|, with u the unit roundoff of T; plain sums have O(n u) sum|x|. So the result has all its
/// digits up to a condition number, sum|x| / |sum|, of about 1 / (n^2 u), and in trees, where n is the depth, of more.
/// Identity: 0. Order: any; the same bits on every run, and other bits where plain sums would have them.
/// Cost:  eight additions an element, twice the bytes a state. Compile without -ffast-math, which leaves out what it does.
struct compensated_plus {
  static constexpr auto needs = detail::operand_need::floating_point;

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
    const T sum = a.sum + b.sum;
    const T of_b = sum - a.sum;
    const T of_a = sum - of_b;
    return {sum, a.dropped + b.dropped + ((a.sum - of_a) + (b.sum - of_b))};
  }

  template <class T>
  WARPFOLD_HD constexpr T finish(const compensated_sum<T>& s) const {
    return static_cast<T>(s);
  }
};

WARPFOLD_HD constexpr compensated_plus plus::compensated() const { return {}; }

template <>
inline constexpr bool never_compares<compensated_plus> = true;

}  // namespace warpfold
