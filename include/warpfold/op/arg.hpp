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
  static constexpr auto needs = detail::operand_need::order;
  template <class T>
  static constexpr bool has_keys = is_number_v<T> && sizeof(T) <= 8;

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

  /// The place is looked for only if there is something better than what was seen.
  WARPFOLD_ANY_SIDE
  template <class T, class Run>
  WARPFOLD_HD constexpr indexed<T> fold_run(const indexed<T>& seen, const Run& run) const {
    if constexpr (!finds_best_run<T>) {
      return (*this)(seen, run.fold(*this));
    } else {
      const T found = best_of_run(run);
      // Where nothing was seen, the identity's value is no reason to pass over an element that equals it.
      if (!is_better(found, seen.value) && seen.index != indexed<T>::nowhere) return seen;
      return place_of_best(found, run);
    }
  }

  /// Of several runs only the first of the best has the result, and the place is looked for in that one alone: `best_of_run`
  /// of each, `is_better` than what the runs before it gave, and `place_of_best`. Of numbers: of other elements none of which
  /// is before the other the run's extremum may be one, and the first of them another.
  template <class T>
  static constexpr bool finds_best_run = is_number_v<T>;

  WARPFOLD_ANY_SIDE
  template <class Run>
  WARPFOLD_HD constexpr auto best_of_run(const Run& run) const {
    return run.fold(Extremum{});
  }
  WARPFOLD_ANY_SIDE
  template <class T>
  WARPFOLD_HD constexpr bool is_better(const T& found, const T& before) const {
    return is_before(found, before);
  }
  WARPFOLD_ANY_SIDE
  template <class T, class Run>
  WARPFOLD_HD constexpr indexed<T> place_of_best(const T& best, const Run& run) const {
    return {best, run.place_of([&](const T& x) { return is_same(x, best); })};
  }

  /// The extremum, then the lowest index of those who have it.
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

  // A number's place in the order, as an integer: no branch, and no case of NaN or -0, where two are compared.
  template <class T>
  static WARPFOLD_HD constexpr auto key(const T& x) {
    if constexpr (is_half_v<T>) {
      return key(static_cast<float>(x));
    } else if constexpr (std::is_floating_point_v<T>) {
      using integer = std::make_signed_t<detail::bits_of<T>>;
      constexpr auto greatest = static_cast<integer>(static_cast<detail::bits_of<T>>(-1) >> 1);
      // Before all numbers or behind them: no number has these keys.
      if (x != x) return is_least != ignores_nan ? static_cast<integer>(-greatest - 1) : greatest;
      const integer bits = __builtin_bit_cast(integer, x);
      return bits < 0 ? static_cast<integer>(bits ^ greatest) : bits;
    } else {
      return x;
    }
  }

  // Whether `a` is found and not `b`, wherever they are.
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

  // Whether neither is before the other. An extremum of numbers is one of them to the bit, but for which NaN it is.
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

/// Where the extremum is: `reduce(policy, range, arg(maximum{}))` gives an `indexed<T>`. Any other op does not compile.
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

}  // namespace warpfold
