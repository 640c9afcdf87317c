/// @file
/// The sum of squares, without overflow or underflow.
///
/// Source: J. Blue, "A Portable Fortran Program to Find the Euclidean Norm of a Vector", 1978; the
/// constants are those of E. Anderson, "Algorithm 978", 2017, for binary64.
#pragma once

#include <cmath>
#include <type_traits>

#include <warpfold/op/complex.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/magnitude.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/view/transform.hpp>

namespace warpfold {

/// Sums of squares: those of large numbers scaled down, of small numbers scaled up, and of the rest
/// unscaled.
struct scaled_squares {
  double tiny;
  double medium;
  double large;

  static constexpr double least_medium = 0x1p-511;
  static constexpr double greatest_medium = 0x1p486;
  static constexpr double scale_small = 0x1p537;
  static constexpr double scale_large = 0x1p-538;

  /// The square root of the sum.
  WARPFOLD_HD double root() const {
    const bool any_medium = medium > 0 || medium != medium;
    if (large > 0) {
      const double rest = any_medium ? medium * scale_large * scale_large : 0;
      return std::sqrt(large + rest) / scale_large;
    }
    if (tiny > 0) {
      if (!any_medium) return std::sqrt(tiny) / scale_small;
      const double a = std::sqrt(medium), b = std::sqrt(tiny) / scale_small;
      const double greater = a < b ? b : a, less = a < b ? a : b;
      return medium != medium ? medium
                              : greater * std::sqrt(1 + (less / greater) * (less / greater));
    }
    return std::sqrt(medium);
  }

  friend WARPFOLD_HD constexpr bool operator==(const scaled_squares& a, const scaled_squares& b) {
    return a.tiny == b.tiny && a.medium == b.medium && a.large == b.large;
  }
};

/// Adds squares; for complex numbers those of both parts. The accumulator is `double` for `float`,
/// 16-bit floats and integers, whose squares fit it, and `scaled_squares` for `double`.
struct squares_op {
 private:
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
      return static_cast<double>(x) * static_cast<double>(x);
    }
    template <complex_number T>
    WARPFOLD_HD constexpr double operator()(const T& z) const {
      const auto parts = detail::parts_of(z);
      return (*this)(static_cast<double>(parts.first)) + (*this)(static_cast<double>(parts.second));
    }
  };

 public:
  using exactly = squares_op;

  template <class>
  static constexpr bool reads_batch_once = true;

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
      if (a < scaled_squares::least_medium) {
        return scaled_squares{square{}(a * scaled_squares::scale_small), 0, 0};
      }
      return scaled_squares{0, square{}(a), 0};
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

  /// For a long batch, on the host, of elements whose squares fit a `double`.
  WARPFOLD_ANY_SIDE
  template <class Batch>
    requires(Batch::most > 64)
  constexpr double fold_batch(double seen, const Batch& batch) const {
    return seen + batch.projected(square{}).fold(plus{});
  }

  /// Squares a batch without scaling, which is right if its sum is neither large nor near
  /// underflow: small numbers in it then do not matter.
  WARPFOLD_ANY_SIDE
  template <class Batch>
  WARPFOLD_HD constexpr scaled_squares fold_batch(const scaled_squares& seen,
                                                  const Batch& batch) const {
    const double sum = batch.projected(square{}).fold(plus{});
    if (sum <= greatest_safe && sum >= least_safe) [[likely]]
      return (*this)(seen, scaled_squares{0, sum, 0});
    const bool zeros = sum == 0 && batch.projected(magnitude{}).fold(maximum{}) == 0;
    return zeros ? seen : (*this)(seen, batch.fold(*this));
  }

 private:
  // 2^51 sums of this size do not overflow. Beside the other limit, even 2^51 squares of numbers
  // below 2^-511 are less than a rounding.
  static constexpr double greatest_safe =
      scaled_squares::greatest_medium * scaled_squares::greatest_medium;
  static constexpr double least_safe = 0x1p-900;
};

template <>
inline constexpr bool never_compares<squares_op> = true;

}  // namespace warpfold
