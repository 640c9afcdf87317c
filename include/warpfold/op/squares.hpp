/// @file
/// The sum of squares, without overflow or underflow.
///
/// Source: J. Blue, "A Portable Fortran Program to Find the Euclidean Norm of a Vector", 1978; the constants are those of
/// E. Anderson, "Algorithm 978", 2017, for binary64.
#pragma once

#include <cmath>
#include <type_traits>

#include <warpfold/op/traits.hpp>

namespace warpfold {

/// Sums of squares: of large numbers scaled down, of small ones scaled up, and of the rest as they are.
struct scaled_squares {
  double small;
  double medium;
  double large;

  static constexpr double least_medium = 0x1p-511;
  static constexpr double greatest_medium = 0x1p486;
  static constexpr double scale_small = 0x1p537;
  static constexpr double scale_large = 0x1p-538;

  /// The square root of the sum.
  double root() const {
    const bool any_medium = medium > 0 || medium != medium;
    if (large > 0 || large != large) {
      const double rest = any_medium ? medium * scale_large * scale_large : 0;
      return std::sqrt(large + rest) / scale_large;
    }
    if (small > 0) {
      if (!any_medium) return std::sqrt(small) / scale_small;
      const double a = std::sqrt(medium), b = std::sqrt(small) / scale_small;
      const double greater = a < b ? b : a, less = a < b ? a : b;
      return medium != medium ? medium
                              : greater * std::sqrt(1 + (less / greater) * (less / greater));
    }
    return std::sqrt(medium);
  }

  friend WARPFOLD_HD constexpr bool operator==(const scaled_squares& a, const scaled_squares& b) {
    return a.small == b.small && a.medium == b.medium && a.large == b.large;
  }
};

/// Adds squares. Folds `double` for `float`, 16-bit floats and integers, whose squares fit it, and `scaled_squares` for
/// `double`.
struct squares_op {
  template <class T>
  using accumulator = T;

  template <class T>
    requires is_number_v<T>
  WARPFOLD_HD constexpr auto lift(const T& x) const {
    if constexpr (std::is_same_v<T, double>) {
      const double a = x < 0 ? -x : x;
      if (a > scaled_squares::greatest_medium) {
        return scaled_squares{0, 0, square(a * scaled_squares::scale_large)};
      }
      if (a < scaled_squares::least_medium) {
        return scaled_squares{square(a * scaled_squares::scale_small), 0, 0};
      }
      return scaled_squares{0, square(a), 0};
    } else {
      return square(static_cast<double>(x));
    }
  }

  template <class S>
    requires(std::is_same_v<S, double> || std::is_same_v<S, scaled_squares>)
  WARPFOLD_HD constexpr S identity() const {
    return S{};
  }

  WARPFOLD_HD constexpr double operator()(double a, double b) const { return a + b; }
  WARPFOLD_HD constexpr scaled_squares operator()(const scaled_squares& a,
                                                  const scaled_squares& b) const {
    return {a.small + b.small, a.medium + b.medium, a.large + b.large};
  }

 private:
  static WARPFOLD_HD constexpr double square(double x) { return x * x; }
};

}  // namespace warpfold
