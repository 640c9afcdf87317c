/// @file
/// Norms of a vector of real or complex numbers: `norm_1`, `norm_2`, `norm_infinity`, `norm_p`.
///
/// All four read the range once, return 0 for an empty range, and return NaN if any element is NaN.
/// Complex numbers may be those of any library (op/complex.hpp). Stream, order, cost and errors are
/// those of `reduce`.
#pragma once

#include <cmath>

#include <warpfold/op/magnitude.hpp>
#include <warpfold/op/squares.hpp>
#include <warpfold/transform_reduce.hpp>

namespace warpfold {

namespace detail {

template <class Range>
constexpr bool are_normed() {
  using T = reduced_t<view_of_t<Range>>;
  constexpr bool numbers = (is_number_v<T> && !std::is_same_v<T, long double>) ||
                           (complex_number<T> && !std::is_same_v<complex_part_t<T>, long double>);
  static_assert(numbers,
                "warpfold: norms are of numbers that a double holds: real or complex, but not long "
                "double; project other elements to their magnitude");
  return numbers;
}

struct magnitude_to_power {
  double p;

  template <class T>
  WARPFOLD_HD double operator()(const T& x) const {
    return ::pow(static_cast<double>(magnitude{}(x)), p);
  }
};

}  // namespace detail

/// Returns the sum of the magnitudes.
///
/// @param policy,range as for `reduce`
/// @return the sum, in the accumulator type of the magnitudes: unsigned modulo 2^64 for integers,
///     the type of the parts for complex numbers. Infinity if any element is infinite and none is
///     NaN
///
/// Error: at most n roundings of the sum; for complex numbers also those of `hypot`.
///
/// ```cpp
/// std::vector<float> v{3, -4};
/// auto s = wf::norm_1(wf::seq, v);  // 7
/// ```
template <policy_like Policy, reducible_range Range>
auto norm_1(const Policy& policy, const Range& range) {
  if constexpr (detail::are_normed<Range>()) {
    return transform_reduce(policy, range, plus{}, magnitude{});
  } else {
    return detail::refused{};
  }
}

/// Returns the square root of the sum of the squares of the magnitudes, as a `double`: the
/// Euclidean norm.
///
/// @param policy,range as for `reduce`
/// @return the norm. Squares and their sum neither overflow nor underflow. Infinity if any element
///     is infinite and none is NaN
///
/// - Error: at most about n / 2 roundings of `double`; for complex numbers n.
/// - Cost: one read and a single square root. A state has 8 bytes; for `double` 24 bytes.
///
/// ```cpp
/// std::vector<float> v{3, 4};
/// double n = wf::norm_2(wf::seq, v);  // 5
/// ```
template <policy_like Policy, reducible_range Range>
double norm_2(const Policy& policy, const Range& range) {
  if constexpr (detail::are_normed<Range>()) {
    const auto squares = reduce(policy, range, squares_op{});
    if constexpr (std::is_same_v<std::remove_const_t<decltype(squares)>, double>) {
      return std::sqrt(squares);
    } else {
      return squares.root();
    }
  } else {
    return 0;
  }
}

/// Returns the greatest magnitude, in the magnitude's type.
///
/// @param policy,range as for `reduce`
/// @return the greatest magnitude; NaN if any element is NaN
template <policy_like Policy, reducible_range Range>
auto norm_infinity(const Policy& policy, const Range& range) {
  if constexpr (detail::are_normed<Range>()) {
    using M = decltype(magnitude{}(std::declval<const detail::reduced_t<view_of_t<Range>>&>()));
    return transform_reduce(policy, range, M{0}, maximum{}, magnitude{});
  } else {
    return detail::refused{};
  }
}

/// Returns the `p`-th root of the sum of the magnitudes to the power `p`, as a `double`.
///
/// @param policy,range as for `reduce`
/// @param p a finite number above 0. Use `norm_2` for 2 and `norm_infinity` for infinity
/// @return the norm; powers may overflow or underflow
///
/// Cost: one read and one `pow` for each element.
/// @throws invalid_argument if `p` is not a finite number above 0
template <policy_like Policy, reducible_range Range>
double norm_p(const Policy& policy, const Range& range, double p) {
  if constexpr (detail::are_normed<Range>()) {
    if (!(p > 0) || std::isinf(p)) {
      throw invalid_argument("warpfold: norm_p takes a finite p above 0, but p is ",
                             p > 0    ? "infinity"
                             : p < 0  ? "a negative number"
                             : p == 0 ? "0"
                                      : "NaN",
                             "; use norm_infinity for infinity");
    }
    return std::pow(transform_reduce(policy, range, plus{}, detail::magnitude_to_power{p}), 1 / p);
  } else {
    return 0;
  }
}

WARPFOLD_FORMS(norm_1, 0)
WARPFOLD_FORMS(norm_2, 0)
WARPFOLD_FORMS(norm_infinity, 0)
WARPFOLD_FORMS(norm_p, 1)

}  // namespace warpfold
