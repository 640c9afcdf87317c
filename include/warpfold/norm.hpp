/// @file
/// Norms of a vector of numbers.
#pragma once

#include <cmath>

#include <warpfold/op/squares.hpp>
#include <warpfold/transform_reduce.hpp>

namespace warpfold {

namespace detail {

struct magnitude {
  template <class T>
  WARPFOLD_HD constexpr auto operator()(const T& x) const {
    if constexpr (is_half_v<T>) {
      const auto wide = static_cast<float>(x);
      return wide < 0 ? -wide : wide;
    } else if constexpr (std::is_integral_v<T>) {
      // Unsigned: of the least value, too.
      using U = unsigned long long;
      return x < 0 ? U{0} - static_cast<U>(x) : static_cast<U>(x);
    } else {
      return x < 0 ? -x : x + T{0};  // + 0: of -0 too
    }
  }
};

struct magnitude_to_power {
  double p;

  template <class T>
  WARPFOLD_HD double operator()(const T& x) const {
    return ::pow(static_cast<double>(magnitude{}(x)), p);
  }
};

}  // namespace detail

/// The sum of the magnitudes; in the type of a sum of them. 0 of an empty range. One read; waits, costs and throws as
/// `reduce` does, and so do the other norms.
template <policy_like Policy, reducible_range Range>
auto norm_1(const Policy& policy, const Range& range) {
  return transform_reduce(policy, range, plus{}, detail::magnitude{});
}

/// The square root of the sum of the squares, in `double`; neither squares nor their sum overflow or underflow. NaN if any
/// element is, else infinity if any is; 0 of an empty range.
///
/// Error: about n / 2 roundings of `double` at the most, of `seq`; log2(n) where policies fold in trees.
/// Cost:  one read. A state is 8 bytes, of `double` 24.
template <policy_like Policy, reducible_range Range>
double norm_2(const Policy& policy, const Range& range) {
  const auto squares = reduce(policy, range, squares_op{});
  if constexpr (std::is_same_v<std::remove_const_t<decltype(squares)>, double>) {
    return std::sqrt(squares);
  } else {
    return squares.root();
  }
}

/// The greatest magnitude; NaN if any element is, 0 of an empty range.
template <policy_like Policy, reducible_range Range>
auto norm_infinity(const Policy& policy, const Range& range) {
  using M =
      decltype(detail::magnitude{}(std::declval<const typename view_of_t<Range>::value_type&>()));
  return transform_reduce(policy, range, M{0}, maximum{}, detail::magnitude{});
}

/// The `p`-th root of the sum of the magnitudes to the power `p`, in `double`, where powers may overflow: `norm_2` is for
/// 2, and infinity is `norm_infinity`.
/// @throws invalid_range  if p is not a number above 0
template <policy_like Policy, reducible_range Range>
double norm_p(const Policy& policy, const Range& range, double p) {
  if (!(p > 0) || std::isinf(p)) {
    throw invalid_range(
        "warpfold: norm_p takes a finite p above 0, and was given another; of infinity it is "
        "norm_infinity");
  }
  return std::pow(transform_reduce(policy, range, plus{}, detail::magnitude_to_power{p}), 1 / p);
}

}  // namespace warpfold
