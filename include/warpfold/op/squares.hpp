/// @file
/// The sum of squares, without overflow or underflow.
///
/// Source: J. Blue, "A Portable Fortran Program to Find the Euclidean Norm of a Vector", 1978; the
/// scales are those of E. Anderson, "Algorithm 978", 2017, for binary64. There each number is in
/// one sum. Here small numbers are in two, so that a block of numbers whose plain sum is large
/// enough needs no second look.
#pragma once

#include <cmath>
#include <type_traits>

#include <warpfold/op/complex.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/magnitude.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/op/rounded_product.hpp>
#include <warpfold/view/transform.hpp>

namespace warpfold {

/// Sums of squares: of large numbers scaled down, of all others as they are, and of small numbers
/// scaled up, too. If the second sum is large enough, small numbers are in it with enough digits,
/// and the third does not matter. If it is not, all numbers are small and in the third.
struct scaled_squares {
  double tiny;
  double medium;
  double large;

  static constexpr double greatest_medium = 0x1p486;
  static constexpr double scale_large = 0x1p-538;
  static constexpr double greatest_tiny = 0x1p-350;  // its square has all digits
  static constexpr double scale_small = 0x1p537;

  /// The square root of the sum.
  WARPFOLD_HD double root() const {
    if (large > 0) return std::sqrt(large + medium * scale_large * scale_large) / scale_large;
    if (medium < greatest_tiny * greatest_tiny) return std::sqrt(tiny) / scale_small;
    return std::sqrt(medium);
  }

  friend WARPFOLD_HD constexpr bool operator==(const scaled_squares& a, const scaled_squares& b) {
    return a.tiny == b.tiny && a.medium == b.medium && a.large == b.large;
  }
};

/// Adds squares; for complex numbers those of both parts. The accumulator is `double` for `float`,
/// 16-bit floats and integers, whose squares fit it, and `scaled_squares` for `double`.
struct squares_op {
  /// The square of a number in `double`, or the sum of those of a complex number's parts.
  struct square {
    using exactly = square;

    // For vectors of doubles, on the host.
    template <class D>
    D in_double(const D& x) const {
      return x * x;
    }
    template <class T>
      requires(is_number_v<T>)
    WARPFOLD_HD constexpr double operator()(const T& x) const {
      const auto wide = static_cast<double>(x);
      // Of 26 bits or fewer: the product is exact, and a fused sum has the same bits.
      constexpr bool is_exact = sizeof(T) <= 2 || std::is_same_v<T, float>;
      return is_exact ? wide * wide : detail::rounded_product(wide, wide);
    }
    template <complex_number T>
    WARPFOLD_HD constexpr double operator()(const T& z) const {
      const auto parts = detail::parts_of(z);
      return (*this)(static_cast<double>(parts.first)) + (*this)(static_cast<double>(parts.second));
    }
  };

  using exactly = squares_op;

  template <class T>
  using accumulator = T;

  template <class T>
    requires(is_number_v<T> && !std::is_same_v<T, long double>)
  WARPFOLD_HD constexpr auto lift(const T& x) const {
    if constexpr (std::is_same_v<T, double>) {
      const double a = magnitude{}(x);
      if (a > scaled_squares::greatest_medium) {
        return scaled_squares{0, 0, square{}(a * scaled_squares::scale_large)};
      }
      return scaled_squares{
          a < scaled_squares::greatest_tiny ? square{}(a * scaled_squares::scale_small) : 0,
          square{}(a), 0};
    } else {
      return square{}(static_cast<double>(x));
    }
  }

  template <complex_number T>
    requires(!std::is_same_v<complex_part_t<T>, long double>)
  WARPFOLD_HD constexpr auto lift(const T& z) const {
    const auto parts = detail::parts_of(z);
    return (*this)(lift(parts.first), lift(parts.second));
  }

  template <class S>
    requires(std::is_same_v<S, double> || std::is_same_v<S, scaled_squares>)
  WARPFOLD_HD constexpr S identity() const {
    return S{};
  }

  WARPFOLD_HD constexpr double operator()(double a, double b) const { return a + b; }
  WARPFOLD_HD constexpr scaled_squares operator()(const scaled_squares& a,
                                                  const scaled_squares& b) const {
    return {a.tiny + b.tiny, a.medium + b.medium, a.large + b.large};
  }

  /// True if the plain sum of some squares is as good as their scaled sums.
  static WARPFOLD_HD constexpr bool is_plain(double sum) {
    return sum <= greatest_safe && sum >= least_safe;
  }

  /// Squares the few elements of a GPU thread without scaling, which is right if their sum is
  /// neither large nor near underflow: small numbers among them then do not matter.
  WARPFOLD_ANY_SIDE
  template <class Batch>
    requires(Batch::most <= 64)
  WARPFOLD_HD constexpr scaled_squares fold_batch(const scaled_squares& seen,
                                                  const Batch& batch) const {
    const double sum = batch.projected(square{}).fold(plus{});
    if (is_plain(sum)) [[likely]]
      return (*this)(seen, scaled_squares{0, sum, 0});
    const bool zeros = sum == 0 && batch.projected(magnitude{}).fold(maximum{}) == 0;
    return zeros ? seen : (*this)(seen, batch.fold(*this));
  }

 private:
  // 2^51 sums of this size do not overflow. From the other limit on, the sum of tiny numbers does
  // not matter.
  static constexpr double greatest_safe =
      scaled_squares::greatest_medium * scaled_squares::greatest_medium;
  static constexpr double least_safe =
      scaled_squares::greatest_tiny * scaled_squares::greatest_tiny;
};

template <>
inline constexpr bool never_compares<squares_op> = true;

}  // namespace warpfold
