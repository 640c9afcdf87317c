/// @file
/// Count, mean and sum of squared deviations, in one pass.
///
/// Source: T. Chan, G. Golub, R. LeVeque, "Updating Formulae and a Pairwise Algorithm for Computing
/// Sample Variances", 1979; B. Welford's update is the same with one element on one side.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <warpfold/op/fold_order.hpp>
#include <warpfold/op/rounded_product.hpp>
#include <warpfold/op/traits.hpp>

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

// Half of `n`, rounded once. The two halves of `n` become the low bits of two doubles: GPUs convert
// integers at a quarter of the rate of additions.
WARPFOLD_HD constexpr double half_of(unsigned long long n) {
  const auto high = __builtin_bit_cast(double, 0x4520000000000000 | n >> 32);
  const auto low = __builtin_bit_cast(double, 0x4320000000000000 | (n & 0xffffffff));
  return (high - (0x1p83 + 0x1p51)) + low;
}

// By its exponent: on GPUs, comparisons of doubles take as long as additions.
WARPFOLD_HD constexpr bool is_finite_number(double x) {
  return (__builtin_bit_cast(unsigned long long, x) >> 52 & 0x7ff) != 0x7ff;
}

}  // namespace detail

/// Merges the moments of parts of a range to those of the whole.
///
/// Accumulates all numbers in `double`: a `float` mean would stop changing after some millions of
/// elements. Sums are those of deviations, so there is no cancellation when |mean| ≫ stddev, and
/// equal elements have a variance of 0.
///
/// - Order: as for `reduce`. All products that a compiler could fuse with a sum are rounded, or
///   exact.
/// - Error: for the mean at most about log2 n roundings of `double` of the greatest magnitude. For
///   the variance about log2 n times the condition number sqrt(1 + mean^2 / variance), relative.
///   The result is infinite or NaN if elements differ by more than about 1e154, the root of the
///   greatest double.
/// - Cost: a state of 24 bytes; one division for each merge of parts of different sizes. Parts that
///   are nodes of 2^k neighbors need neither counts nor divisions: `fold_neighbors`.
/// Identity: the moments of no elements.
struct moments_op {
  using exactly = moments_op;

  // A called function would be slower (16 MB, H100): 17.1 us inlined, 25.8 us called.
  template <class>
  static constexpr bool is_long = true;

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
    using detail::half_of, detail::is_finite_number, detail::rounded_product;
    const double apart = b.mean - a.mean, square = rounded_product(apart, apart);
    // The usual case in a tree: no division.
    if (a.count == b.count) {
      const double sum = a.mean + b.mean;
      double mean = sum * 0.5;
      if (!is_finite_number(sum)) [[unlikely]]
        mean = a.mean * 0.5 + b.mean * 0.5;
      return {a.count + b.count, mean, (a.m2 + b.m2) + rounded_product(square, half_of(a.count))};
    }
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    const double share_of_b = quotient(2 * half_of(b.count), 2 * half_of(a.count + b.count));
    // Not finite: one mean is not, or the two are too far apart. For equal means the second formula
    // would round.
    const double mean = is_finite_number(apart) ? a.mean + rounded_product(apart, share_of_b)
                                                : rounded_product(a.mean, 1 - share_of_b) +
                                                      rounded_product(b.mean, share_of_b);
    return {a.count + b.count, mean,
            (a.m2 + b.m2) + rounded_product(square, 2 * half_of(a.count) * share_of_b)};
  }

  /// Folds `Count` neighbors, a power of two, with the bits of the merges of single elements
  /// (`folds_neighbors`, op/lift.hpp). Five operations for a merge, three or four of which are of
  /// two elements. If the result is not finite, it is merged again.
  WARPFOLD_ANY_SIDE
  template <int Count, class Element, class Lifted>
  WARPFOLD_HD constexpr moments fold_neighbors(const Element& element, const Lifted&) const {
    static_assert(Count > 1);
    using T = std::remove_cvref_t<decltype(element(0))>;
    if constexpr (is_exact<T>) {
      static_assert(Count <= longest_exact);
      exact_sums<T> all{};
      WARPFOLD_UNROLL
      for (int k = 0; k < Count; ++k) all.add(element(k));
      return all.of(Count);
    } else {
      double x[std::size_t{Count}] = {};
      WARPFOLD_UNROLL
      for (int k = 0; k < Count; ++k) x[k] = detail::as_double{}(element(k));
      const sums all = fold_sums<Count, has_sums<T>>(x);
      // An element that is not finite makes the squares not finite.
      if (std::is_integral_v<T> ||
          detail::is_finite_number(has_sums<T> ? all.squares : all.center + all.squares))
          [[likely]] {
        constexpr double scale = has_sums<T> ? 1.0 / Count : 1;
        return {Count, all.center * scale, all.squares * scale};
      }
      return detail::fold_node<Count>(*this, [&](std::size_t k) { return lift(x[k]); }, 0);
    }
  }

  /// True if n elements can be folded as their sum, and n times their squared deviations: no square
  /// of a sum of differences overflows or underflows. Then these two are the mean and the squared
  /// deviations times powers of two, and have the same bits. Otherwise the two are as in `moments`.
  template <class T>
  static constexpr bool has_sums = std::is_integral_v<T> || sizeof(T) < sizeof(double);

  /// True if nothing is rounded in the merges of up to `longest_exact` neighbors: every number is
  /// an integer of at most 52 bits, divided by the number of neighbors. So any formula gives its
  /// bits.
  template <class T>
  static constexpr bool is_exact = std::is_integral_v<T> && sizeof(T) <= 2;
  static constexpr std::size_t longest_exact = 2048;

  /// The sum and the sum of the squares of such elements.
  template <class T>
  struct exact_sums {
    using wide = std::conditional_t<sizeof(T) == 1, unsigned, unsigned long long>;
    int sum;
    wide squares;

    WARPFOLD_HD constexpr void add(T x) {
      const auto own = static_cast<unsigned>(static_cast<int>(x));  // signs vanish in the square
      sum += static_cast<int>(x);
      squares += own * own;
    }
    /// The moments of the `n` elements, a power of two.
    WARPFOLD_HD constexpr moments of(unsigned n) const {
      const double share = 1.0 / n;
      const auto all = static_cast<long long>(sum);
      return {n, sum * share,
              static_cast<double>(static_cast<long long>(squares) * n - all * all) * share};
    }
  };

  /// A node without its count (op/group_terms.hpp): for a power of two of elements as in
  /// `has_sums`, and otherwise the mean and the squared deviations.
  template <class T>
    requires(is_half_v<T> || std::is_same_v<T, float>)
  struct group_terms;

 private:
  struct sums {
    double center;  // the sum or the mean
    double squares;
  };
  // The elements must be in registers on a GPU.
  template <int Count, bool HasSums>
  static WARPFOLD_HD constexpr sums fold_sums(const double* x) {
    if constexpr (Count == 1) {
      return {*x, 0};
    } else {
      constexpr int half = Count / 2;
      const sums a = fold_sums<half, HasSums>(x), b = fold_sums<half, HasSums>(x + half);
      const double apart = b.center - a.center, both = a.center + b.center;
      const double square = detail::rounded_product(apart, apart);
      if constexpr (HasSums) {
        return {both, half == 1 ? square : (a.squares + b.squares) * 2 + square};
      } else {
        return {both * 0.5, half == 1 ? detail::rounded_product(square, 0.5)
                                      : (a.squares + b.squares) + square * (half * 0.5)};
      }
    }
  }

  // x / y, correctly rounded, for counts x < y. The GPU's own division has the same steps, but
  // branches for rare operands, and other parts of `all` cannot overlap it.
  static WARPFOLD_HD constexpr double quotient(double x, double y) {
#if defined(__CUDA_ARCH__)
#if defined(__CUDA__)  // Clang asks for a constant value; nvcc would change its code
    if (std::is_constant_evaluated()) return x / y;
#endif
    double inverse;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(y));
    const double off = fma(-y, inverse, 1.0);
    inverse = fma(inverse, fma(off, off, off), inverse);  // 20 -> 60 bits
    inverse = fma(inverse, fma(-y, inverse, 1.0), inverse);
    const double q = x * inverse;
    return fma(inverse, fma(-y, q, x), q);
#else
    return x / y;
#endif
  }
};

template <class T>
  requires(is_half_v<T> || std::is_same_v<T, float>)
struct moments_op::group_terms {
  using node = sums;

  static constexpr bool has_reference = false;
  static constexpr bool is_sum = false;

  WARPFOLD_ANY_SIDE
  template <int Count, class Element, class There>
  static WARPFOLD_HD constexpr sums fold(const Element& element, const There& there) {
    double x[std::size_t{Count}] = {};
    WARPFOLD_UNROLL
    for (int k = 0; k < Count; ++k) x[k] = detail::as_double{}(element(k));
    if constexpr (std::is_same_v<There, unsigned>) {
      return fold_part<Count>(x, there);
    } else {
      return fold_sums<Count, true>(x);
    }
  }

  static WARPFOLD_HD constexpr sums merge(const sums& a, unsigned of_a, const sums& b,
                                          unsigned of_b) {
    if (of_a == of_b) [[likely]] {
      const double apart = b.center - a.center;
      const double square = detail::rounded_product(apart, apart);
      return {a.center + b.center, (a.squares + b.squares) * 2 + square};
    }
    return merged_states(a, of_a, b, of_b);
  }

  /// False if an element is not finite.
  static WARPFOLD_HD constexpr bool set_state(moments& state, const sums& node, unsigned count,
                                              unsigned) {
    state = moments_of(node, count);
    return detail::is_finite_number(node.center + node.squares);
  }

 private:
  // The node of the first `there` elements, at least one.
  template <int Count>
  static WARPFOLD_HD constexpr sums fold_part(const double* x, unsigned there) {
    if constexpr (Count == 1) {
      return {*x, 0};
    } else {
      constexpr unsigned half = Count / 2;
      const sums a = fold_part<int{half}>(x, there < half ? there : half);
      if (there <= half) return a;
      const sums b = fold_part<int{half}>(x + half, there - half);
      return there < Count ? merge_unequal(a, half, b, there - half) : merge(a, half, b, half);
    }
  }
  // By value, and not inlined: there is one such merge for each level.
  WARPFOLD_NOINLINE static WARPFOLD_HD constexpr sums merge_unequal(sums a, unsigned of_a, sums b,
                                                                    unsigned of_b) {
    return of_a == of_b ? merge(a, of_a, b, of_b) : merged_states(a, of_a, b, of_b);
  }
  static WARPFOLD_HD constexpr sums merged_states(const sums& a, unsigned of_a, const sums& b,
                                                  unsigned of_b) {
    const moments m = moments_op{}(moments_of(a, of_a), moments_of(b, of_b));
    return {m.mean, m.m2};
  }
  static WARPFOLD_HD constexpr moments moments_of(const sums& node, unsigned count) {
    if ((count & (count - 1)) != 0) return {count, node.center, node.squares};
    // The reciprocal of a power of two by its bits.
    const auto floating = __builtin_bit_cast(std::uint32_t, static_cast<float>(count));
    const double share = __builtin_bit_cast(float, (254u << 23) - floating);
    return {count, node.center * share, node.squares * share};
  }
};

template <>
inline constexpr bool never_compares<moments_op> = true;

}  // namespace warpfold
