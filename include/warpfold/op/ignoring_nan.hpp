/// @file
/// `minimum{}.ignoring_nan()`, `maximum{}.ignoring_nan()`: extrema of the elements that are not
/// NaN.
#pragma once

#include <limits>

#include <warpfold/op/extrema.hpp>

namespace warpfold {

/// `minimum` or `maximum` of the elements that are not NaN, as minimumNumber and maximumNumber of
/// IEEE 754-2019. NaN only if all elements are NaN. -0 is less than +0, and the result does not
/// depend on the order. For types without NaN it equals `Extremum`.
///
/// Identity: NaN, which an empty range therefore gives; for types without NaN that of `Extremum`.
template <class Extremum>
struct ignoring_nan_op {
  static constexpr auto needs = detail::operand_need::number;

  template <class T>
  using accumulator = T;

  template <class T>
    requires is_number_v<T>
  WARPFOLD_HD constexpr T identity() const {
    if constexpr (std::is_integral_v<T>) {
      return Extremum{}.template identity<T>();
    } else if constexpr (is_half_v<T>) {
      return static_cast<T>(nan<float>);
    } else {
      return nan<T>;
    }
  }

  template <class T>
    requires is_number_v<T>
  WARPFOLD_HD constexpr T operator()(const T& a, const T& b) const {
    if constexpr (!std::is_integral_v<T>) {
      if (is_nan(a)) return b;
      if (is_nan(b)) return a;
    }
    return Extremum{}(a, b);
  }
  template <class T, class U>
    requires(is_number_v<T> && is_number_v<U> && !std::is_same_v<T, U>)
  WARPFOLD_HD constexpr auto operator()(const T& a, const U& b) const {
    using R = decltype(Extremum{}(a, b));
    return (*this)(static_cast<R>(a), static_cast<R>(b));
  }

 private:
  template <class T>
  static constexpr T nan = std::numeric_limits<T>::quiet_NaN();

  template <class T>
  static WARPFOLD_HD constexpr bool is_nan(const T& x) {
    if constexpr (is_half_v<T>) {
      return is_nan(static_cast<float>(x));
    } else {
      return x != x;
    }
  }
};

template <class Op, bool IsGreatest>
WARPFOLD_HD constexpr ignoring_nan_op<Op> detail::extremum_op<Op, IsGreatest>::ignoring_nan()
    const {
  return {};
}

template <class Extremum, class A>
inline constexpr bool same_in_any_order<ignoring_nan_op<Extremum>, A> =
    same_in_any_order<Extremum, A>;

}  // namespace warpfold
