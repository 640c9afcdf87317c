/// @file
/// `arg(minimum{})`, `arg(maximum{})`: the value and the index of the least or greatest element.
#pragma once

#include <cstddef>
#include <iosfwd>

#include <warpfold/op/ignoring_nan.hpp>

namespace warpfold {

namespace detail {

// A number that streams print as one: they print 8-bit integers as characters.
template <class T>
constexpr decltype(auto) printable(const T& x) {
  if constexpr (std::is_same_v<T, signed char> || std::is_same_v<T, unsigned char>) {
    return int{x};
  } else {
    return (x);
  }
}
// True if a stream prints values of a type. The class of the stream may be incomplete here.
template <class Stream, class T>
concept is_printed = requires(Stream& out, const T& x, const std::size_t& index) {
  out << printable(x);
  out << index;
};

}  // namespace detail

/// A value and its index in the range: 64 bits, counted in elements from 0.
template <class T>
struct indexed {
  /// The index for a range without elements.
  static constexpr std::size_t nowhere = ~std::size_t{0};

  T value;
  std::size_t index;

  /// The same value with an index that is `by` greater, unless it is `nowhere`.
  WARPFOLD_HD constexpr indexed moved(std::size_t by) const {
    return {value, index == nowhere ? nowhere : index + by};
  }

  friend WARPFOLD_HD constexpr bool operator==(const indexed& a, const indexed& b) {
    return a.value == b.value && a.index == b.index;
  }
};

/// Prints the value and the index: `9 at 3`.
template <class Char, class Traits, class T>
  requires detail::is_printed<std::basic_ostream<Char, Traits>, T>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out,
                                             const indexed<T>& x) {
  return out << detail::printable(x.value) << " at " << x.index;
}

/// The value that `Extremum` (`minimum` or `maximum`) selects, and the lowest index at which it
/// occurs. A NaN is selected before any number or, with `minimum{}.ignoring_nan()`, only if there
/// is no number. -0 is less than +0. The result does not depend on the order, so every policy gives
/// the same result.
///
/// Accumulator: `indexed<T>`, 16 bytes for elements of up to 8 bytes.
/// Identity: that of the extremum, at `indexed<T>::nowhere`; none for a class type, which is
/// compared with `<`.
template <class Extremum>
struct arg_op {
  static constexpr bool ignores_nan = std::is_same_v<Extremum, ignoring_nan_op<minimum>> ||
                                      std::is_same_v<Extremum, ignoring_nan_op<maximum>>;
  static constexpr bool is_least =
      std::is_same_v<Extremum, minimum> || std::is_same_v<Extremum, ignoring_nan_op<minimum>>;
  static constexpr auto needs = detail::operand_need::order;
  template <class T>
  static constexpr bool has_keys = is_number_v<T> && sizeof(T) <= 8;

  template <class T>
  using accumulator = T;

  /// Returns an op that finds the last of equal elements; defined in op/arg_by.hpp.
  constexpr auto last() const;

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

  template <class T>
  WARPFOLD_HD constexpr indexed<T> moved(const indexed<T>& a, std::size_t by) const {
    return a.moved(by);
  }

  WARPFOLD_ANY_SIDE
  template <class T>
    requires(is_number_v<T> || requires(const T& a, const T& b) { static_cast<bool>(a < b); })
  WARPFOLD_HD constexpr indexed<T> operator()(const indexed<T>& a, const indexed<T>& b) const {
    if constexpr (has_keys<T>) {
      const auto of_a = key(a.value), of_b = key(b.value);
      return (of_a == of_b ? b.index < a.index : is_least ? of_b < of_a : of_a < of_b) ? b : a;
    } else {
      if (is_before(a.value, b.value)) return a;
      if (is_before(b.value, a.value)) return b;
      return b.index < a.index ? b : a;
    }
  }

#if defined(__CUDACC__)
  template <class T>
  WARPFOLD_DEVICE void name_user_functions(const indexed<T>& a, const indexed<T>& b) const {
    detail::name_call(Extremum{}, a.value, b.value);
  }
#endif

  /// Searches for the index only if the batch has a better value than those before it.
  WARPFOLD_ANY_SIDE
  template <class T, class Batch>
  WARPFOLD_HD constexpr indexed<T> fold_batch(const indexed<T>& seen, const Batch& batch) const {
    if constexpr (!finds_best_batch<T>) {
      return (*this)(seen, batch.fold(*this));
    } else {
      const T found = best_of_batch(batch);
      // Before the first element, an element equal to the identity's value must still be selected.
      if (!is_better(found, seen.value) && seen.index != indexed<T>::nowhere) return seen;
      return index_of_best(found, batch);
    }
  }

  /// Of several batches, only the first one with the best value contains the result, so only that
  /// one is searched for the index. `best_of_batch` returns the value of a batch, `is_better`
  /// compares it with those of earlier batches, and `index_of_best` finds the index. Numbers only:
  /// among equivalent elements of other types, the batch's extremum need not be the first one.
  template <class T>
  static constexpr bool finds_best_batch = is_number_v<T>;
  static constexpr bool may_repeat_elements = true;

  WARPFOLD_ANY_SIDE
  template <class Batch>
  WARPFOLD_HD constexpr auto best_of_batch(const Batch& batch) const {
    return batch.fold(Extremum{});
  }
  WARPFOLD_ANY_SIDE
  template <class T>
  WARPFOLD_HD constexpr bool is_better(const T& found, const T& before) const {
    return is_before(found, before);
  }
  WARPFOLD_ANY_SIDE
  template <class T, class Batch>
  WARPFOLD_HD constexpr indexed<T> index_of_best(const T& best, const Batch& batch) const {
    if constexpr (requires { batch.index_of_same(best); }) {
      return {best, batch.index_of_same(best)};
    } else {
      return {best, batch.index_of([&](const T& x) { return is_same(x, best); })};
    }
  }

  /// The extremum, then the lowest index among the states that have it.
  WARPFOLD_ANY_SIDE
  template <class States>
    requires has_keys<decltype(std::declval<const States&>().first().value)>
  WARPFOLD_HD constexpr auto fold_states(const States& states) const {
    const auto found = states.projected(key_of{}).fold(extremum_of_keys{});
    const auto index = states.projected(index_of<decltype(found)>{found}).fold(minimum{});
    return states.find(is_at<decltype(found)>{found, index});
  }

 private:
  using extremum_of_keys = std::conditional_t<is_least, minimum, maximum>;
  struct key_of {
    template <class T>
    WARPFOLD_HD constexpr auto operator()(const indexed<T>& x) const {
      return key(x.value);
    }
  };
  template <class Key>
  struct index_of {
    Key found;

    template <class T>
    WARPFOLD_HD constexpr std::size_t operator()(const indexed<T>& x) const {
      return key(x.value) == found ? x.index : indexed<T>::nowhere;
    }
  };
  template <class Key>
  struct is_at {
    Key found;
    std::size_t index;

    template <class T>
    WARPFOLD_HD constexpr bool operator()(const indexed<T>& x) const {
      return key(x.value) == found && x.index == index;
    }
  };

  // Maps a number to an integer with the same order, so that comparisons need no branch and no
  // special case for NaN and -0.
  template <class T>
  static WARPFOLD_HD constexpr auto key(const T& x) {
    if constexpr (is_half_v<T>) {
      return key(static_cast<float>(x));
    } else if constexpr (std::is_floating_point_v<T>) {
      using integer = std::make_signed_t<detail::bits_of<T>>;
      constexpr auto greatest = static_cast<integer>(static_cast<detail::bits_of<T>>(-1) >> 1);
      // Keys before or after those of all numbers.
      if (x != x) return is_least != ignores_nan ? static_cast<integer>(-greatest - 1) : greatest;
      const integer bits = __builtin_bit_cast(integer, x);
      return bits < 0 ? static_cast<integer>(bits ^ greatest) : bits;
    } else {
      return x;
    }
  }

 public:
  /// True if `a` is selected and `b` is not, whatever their indices are.
  WARPFOLD_ANY_SIDE
  template <class T>
  static WARPFOLD_HD constexpr bool is_before(const T& a, const T& b) {
    if constexpr (has_keys<T>) {
      return is_least ? key(a) < key(b) : key(b) < key(a);
    } else if constexpr (std::is_floating_point_v<T>) {
      if (a != a || b != b) return ignores_nan ? a == a && b != b : a != a && b == b;
      if (a == b) {
        return __builtin_signbit(a) != __builtin_signbit(b) &&
               (__builtin_signbit(a) != 0) == is_least;
      }
      return is_least ? a < b : b < a;
    } else {
      return is_least ? a < b : b < a;
    }
  }

 private:
  // True if neither is before the other. The extremum of numbers is bitwise one of them, except
  // that any NaN may represent NaN.
  WARPFOLD_ANY_SIDE
  template <class T>
  static WARPFOLD_HD constexpr bool is_same(const T& a, const T& b) {
    if constexpr (detail::is_ieee_v<T>) {
      using bits = detail::bits_of<T>;
      return b != b ? a != a : __builtin_bit_cast(bits, a) == __builtin_bit_cast(bits, b);
    } else if constexpr (std::is_integral_v<T>) {
      return a == b;
    } else {
      return !is_before(a, b) && !is_before(b, a);
    }
  }
};

/// Returns an op that finds the value and the index of an extremum:
/// `reduce(policy, range, arg(maximum{}))` returns an `indexed<T>`.
///
/// Any other op does not compile.
///
/// @tparam Extremum `minimum` or `maximum`, also with `.ignoring_nan()`
template <class Extremum>
WARPFOLD_HD constexpr auto arg(Extremum) {
  constexpr bool is_extremum = std::is_same_v<Extremum, minimum> ||
                               std::is_same_v<Extremum, maximum> || arg_op<Extremum>::ignores_nan;
  static_assert(is_extremum,
                "warpfold: arg takes wf::minimum or wf::maximum, or one of them ignoring_nan(); to "
                "fold with another op, pass the op itself");
  // After the error, an op that any policy can fold: it causes no second error.
  return arg_op<std::conditional_t<is_extremum, Extremum, minimum>>{};
}

template <class Extremum, class T>
inline constexpr bool same_in_any_order<arg_op<Extremum>, indexed<T>> =
    same_in_any_order<Extremum, T>;

}  // namespace warpfold
