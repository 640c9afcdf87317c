/// @file
/// Where the least or greatest element is: `arg(minimum{})`, `arg(maximum{})`.
#pragma once

#include <cstddef>

#include <warpfold/op/ignoring_nan.hpp>

namespace warpfold {

/// A value and its place in the range. 64 bits, counted in elements from 0.
template <class T>
struct indexed {
  /// The place in a range that has none.
  static constexpr std::size_t nowhere = ~std::size_t{0};

  T value;
  std::size_t index;

  friend WARPFOLD_HD constexpr bool operator==(const indexed& a, const indexed& b) {
    return a.value == b.value && a.index == b.index;
  }
};

/// The extremum that `Extremum` (`minimum` or `maximum`) finds, and the lowest index at which it is. A NaN is found before
/// any number, or, with `minimum{}.ignoring_nan()`, after all of them; -0 is less than +0. The result
/// does not depend on the order, so it is the same from every policy.
///
/// Folds `indexed<T>`: 16 bytes for elements of up to 8.
/// Identity: the extremum's, at `indexed<T>::nowhere`; none for a class type, which is compared with `<`.
template <class Extremum>
struct arg_op {
  static constexpr bool ignores_nan = std::is_same_v<Extremum, ignoring_nan_op<minimum>> ||
                                      std::is_same_v<Extremum, ignoring_nan_op<maximum>>;
  static constexpr bool is_least =
      std::is_same_v<Extremum, minimum> || std::is_same_v<Extremum, ignoring_nan_op<minimum>>;
  static_assert(is_least || ignores_nan || std::is_same_v<Extremum, maximum>,
                "warpfold: arg takes wf::minimum or wf::maximum");

  template <class T>
  using accumulator = T;

  template <class T>
  WARPFOLD_HD constexpr indexed<T> lift(const T& value, std::size_t index) const {
    return {value, index};
  }

  template <class Indexed>
    requires(op_traits<Extremum, decltype(Indexed::value)>::has_identity &&
             is_number_v<decltype(Indexed::value)>)
  WARPFOLD_HD constexpr Indexed identity() const {
    return {Extremum{}.template identity<decltype(Indexed::value)>(), Indexed::nowhere};
  }

  WARPFOLD_ANY_SIDE
  template <class T>
    requires(is_number_v<T> || requires(const T& a, const T& b) { static_cast<bool>(a < b); })
  WARPFOLD_HD constexpr indexed<T> operator()(const indexed<T>& a, const indexed<T>& b) const {
    if (is_before(a.value, b.value)) return a;
    if (is_before(b.value, a.value)) return b;
    return b.index < a.index ? b : a;
  }

  /// On the host: places are looked for only in a run that has something better.
  template <class T, class View, class Fold>
  indexed<T> fold_run(const indexed<T>& seen, const View& view, std::size_t first, std::size_t last,
                      const Fold& fold) const {
    const T found = fold(Extremum{}, view, first, last);
    if (!is_before(found, seen.value)) return seen;
    std::size_t i = first;
    if constexpr (std::is_arithmetic_v<T>) {
      // Some at a time, which is a vector's comparison. A NaN equals nothing, and is looked for one by one.
      constexpr std::size_t some = 32;
      bool here = found != found;
      while (!here && i + some < last) {
        for (std::size_t k = 0; k < some; ++k) here |= view[i + k] == found;
        if (!here) i += some;
      }
    }
    for (; i + 1 < last; ++i) {
      const T x = view[i];
      if (!is_before(x, found) && !is_before(found, x)) break;
    }
    return {found, i};
  }

 private:
  // Whether `a` is found and not `b`, wherever they are.
  WARPFOLD_ANY_SIDE
  template <class T>
  static WARPFOLD_HD constexpr bool is_before(const T& a, const T& b) {
    if constexpr (is_half_v<T>) {
      return is_before(static_cast<float>(a), static_cast<float>(b));
    } else if constexpr (std::is_floating_point_v<T>) {
      if (a != a || b != b) return ignores_nan ? a == a && b != b : a != a && b == b;
      if (a == b) return is_negative(a) != is_negative(b) && is_negative(a) == is_least;
      return is_least ? a < b : b < a;
    } else {
      return is_least ? a < b : b < a;
    }
  }

  template <class T>
  static WARPFOLD_HD constexpr bool is_negative(T x) {
    if constexpr (detail::is_ieee_v<T>) {
      using bits = detail::bits_of<T>;
      return (__builtin_bit_cast(bits, x) >> (8 * sizeof(T) - 1)) != 0;
    } else {
      return __builtin_signbit(x) != 0;
    }
  }
};

/// Where the extremum is: `reduce(policy, range, arg(maximum{}))` gives an `indexed<T>`.
template <class Extremum>
WARPFOLD_HD constexpr arg_op<Extremum> arg(Extremum) {
  return {};
}

}  // namespace warpfold
