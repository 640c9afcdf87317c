/// @file
/// Sums that keep what rounding drops: `plus{}.compensated()`.
///
/// Source: D. Knuth's two-sum; T. Dekker, "A Floating-Point Technique for Extending the Available Precision", 1971: sums of
/// pairs. T. Ogita, S. Rump, S. Oishi, "Accurate Sum and Dot Product", 2005: Sum2, of a few elements.
#pragma once

#include <limits>
#include <type_traits>

#include <warpfold/op/plus.hpp>

namespace warpfold {

/// A rounded sum, and what its roundings dropped, which is a few roundings of it at most.
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
/// Error: u |sum| + O(n u^2) sum|x|, with u the unit roundoff of T; plain sums have O(n u) sum|x|. n is the most additions that an
/// element goes through: all of them on `wf::seq`, in trees far fewer. So the result has all its digits up to a condition
/// number, sum|x| / |sum|, of about 1 / (n u), for 2^40 elements as for few.
/// Identity: 0. Order: any; the same bits on every run, and other bits where plain sums would have them.
/// Cost:  eight additions an element on a GPU, ten on a host; twice the bytes a state. Compile without -ffast-math, which
///        leaves out what it does.
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
    const compensated_sum<T> both = added(a, b);
#if !defined(__CUDA_ARCH__)
    // One after the other, each addition would wait for all of the one before: eight times as long.
    if (!(size_of(both.dropped) > 4 * std::numeric_limits<T>::epsilon() * size_of(both.sum))) {
      return both;
    }
#endif
    return carried(both);
  }

  /// The same in lanes of a host.
  template <class T>
  constexpr compensated_sum<T> without_branches(const compensated_sum<T>& a,
                                                const compensated_sum<T>& b) const {
    return carried(added(a, b));
  }

  /// The few elements that a thread of a GPU loads at once: in a tree of them little is dropped, and is carried once.
  WARPFOLD_ANY_SIDE
  template <class T, class Run>
    requires(Run::most <= 64)
  WARPFOLD_HD constexpr compensated_sum<T> fold_run(const compensated_sum<T>& seen,
                                                    const Run& run) const {
    return carried(added(seen, run.fold(of_few{})));
  }

  /// Those of a warp's lanes, likewise.
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
  template <class T>
  static WARPFOLD_HD constexpr T size_of(T x) {
    return x < 0 ? -x : x;
  }

  // Both sums' sum, and all that is dropped.
  template <class T>
  static WARPFOLD_HD constexpr compensated_sum<T> added(const compensated_sum<T>& a,
                                                        const compensated_sum<T>& b) {
    const T sum = a.sum + b.sum;
    const T of_b = sum - a.sum;
    const T of_a = sum - of_b;
    return {sum, a.dropped + b.dropped + ((a.sum - of_a) + (b.sum - of_b))};
  }

  // What was dropped is added to the sum, and only what that drops is kept: else it grows with the sum, and is itself rounded
  // as a plain sum is. (Ten million times 0.1f, one after the other: 1000000; without it 1002001.75.) A sum that is not finite
  // stays as it is.
  template <class T>
  static WARPFOLD_HD constexpr compensated_sum<T> carried(const compensated_sum<T>& s) {
    const T sum = s.sum + s.dropped;
    const T dropped = s.dropped - (sum - s.sum);
    return {sum == sum ? sum : s.sum, dropped};
  }

  // The same sum, of a few elements.
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
