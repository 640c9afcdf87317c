/// @file
/// Norms of a vector of numbers, real or complex.
#pragma once

#include <cmath>

#include <warpfold/op/magnitude.hpp>
#include <warpfold/op/squares.hpp>
#include <warpfold/transform_reduce.hpp>

namespace warpfold {

namespace detail {

template <class Range>
constexpr bool are_normed() {
  using T = typename view_of_t<Range>::value_type;
  constexpr bool numbers = (is_number_v<T> && !std::is_same_v<T, long double>) ||
                           (complex_number<T> && !std::is_same_v<complex_part_t<T>, long double>);
  static_assert(
      numbers,
      "warpfold: norms are of numbers that a double holds; of others project the magnitude");
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

/// The sum of the magnitudes; in the type of a sum of them: unsigned and modulo 2^64 of integers, that of the parts of
/// complex numbers (op/complex.hpp: any library's). NaN if any element or part of one is, else infinity if any is; 0 of an
/// empty range. One read; waits, costs and throws as `reduce` does, and so do the other norms.
///
/// Error: n roundings of the sum at the most, and of complex numbers those of `hypot`.
template <policy_like Policy, reducible_range Range>
auto norm_1(const Policy& policy, const Range& range) {
  if constexpr (detail::are_normed<Range>()) {
    return transform_reduce(policy, range, plus{}, magnitude{});
  } else {
    return detail::refused{};
  }
}

/// The square root of the sum of the squares, of complex numbers of both parts', in `double`; neither squares nor their sum
/// overflow or underflow. NaN if any element is, else infinity if any is; 0 of an empty range.
///
/// Error: about n / 2 roundings of `double` at the most, of complex numbers n.
/// Cost:  one read. A state is 8 bytes, of `double` 24. No square root but the last.
///
/// Example: test/examples/vectors.cu
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

/// The greatest magnitude; NaN if any element is, 0 of an empty range.
template <policy_like Policy, reducible_range Range>
auto norm_infinity(const Policy& policy, const Range& range) {
  if constexpr (detail::are_normed<Range>()) {
    using M = decltype(magnitude{}(std::declval<const typename view_of_t<Range>::value_type&>()));
    return transform_reduce(policy, range, M{0}, maximum{}, magnitude{});
  } else {
    return detail::refused{};
  }
}

/// The `p`-th root of the sum of the magnitudes to the power `p`, in `double`, where powers may overflow and underflow:
/// `norm_2` is for 2, and infinity is `norm_infinity`. NaN if any element is; 0 of an empty range. A power an element.
/// @throws invalid_argument  if p is not a number above 0
template <policy_like Policy, reducible_range Range>
double norm_p(const Policy& policy, const Range& range, double p) {
  if constexpr (detail::are_normed<Range>()) {
    if (!(p > 0) || std::isinf(p)) {
      throw invalid_argument("warpfold: norm_p takes a finite p above 0, and was given ",
                             p > 0    ? "infinity"
                             : p < 0  ? "a negative one"
                             : p == 0 ? "0"
                                      : "NaN",
                             "; of infinity it is norm_infinity");
    }
    return std::pow(transform_reduce(policy, range, plus{}, detail::magnitude_to_power{p}), 1 / p);
  } else {
    return 0;
  }
}

WARPFOLD_REFUSE_MISUSE(norm_1)
WARPFOLD_REFUSE_MISUSE(norm_2)
WARPFOLD_REFUSE_MISUSE(norm_infinity)
WARPFOLD_REFUSE_MISUSE(norm_p)

}  // namespace warpfold
