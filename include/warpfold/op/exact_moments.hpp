/// @file
/// The number of elements, their sum and the sum of their squares, without rounding errors: for
/// `mean`, `variance` and `stddev` with `plus{}.exact()`.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <warpfold/op/exact_batch.hpp>
#include <warpfold/op/exact_columns.hpp>
#include <warpfold/op/exact_product.hpp>
#include <warpfold/op/exact_sum.hpp>
#include <warpfold/op/exact_table_choice.hpp>

namespace warpfold {

/// The number and the exact sum of some numbers.
template <class T>
struct exact_mean {
  using number_type = T;
  static constexpr bool has_squares = false;

  std::uint64_t count = 0;
  exact_sum<T> sum;

  /// The mean, rounded once; NaN without a number.
  template <class To = T>
  WARPFOLD_HD constexpr To mean() const {
    return count == 0 ? detail::float_format<To>::nan() : sum.template quotient<To>(count);
  }
};

/// The number, the exact sum and the exact sum of squares of some numbers.
///
/// Each result is rounded once. It is NaN without a number, and a sample of one number has neither
/// a variance nor a standard deviation. Variances of infinities and NaN are NaN.
template <class T>
struct exact_moments : exact_mean<T> {
  static constexpr bool has_squares = true;

  exact_sum<T, 2> squares;

  /// The variance of a population.
  template <class To = T>
  WARPFOLD_HD constexpr To variance() const {
    return pooled_variance<To, false>(this->count, *this);
  }
  /// The variance of a sample, divided by n - 1.
  template <class To = T>
  WARPFOLD_HD constexpr To sample_variance() const {
    return pooled_variance<To, false>(this->count - 1, *this);
  }
  /// The standard deviation of a population.
  template <class To = T>
  WARPFOLD_HD constexpr To stddev() const {
    return pooled_variance<To, true>(this->count, *this);
  }
  /// The standard deviation of a sample, from the variance divided by n - 1.
  template <class To = T>
  WARPFOLD_HD constexpr To sample_stddev() const {
    return pooled_variance<To, true>(this->count - 1, *this);
  }

  /// Returns the variance of numbers with several parts, such as complex ones: the sum of the
  /// parts' variances, rounded once.
  /// @tparam IsRoot true for the standard deviation
  /// @param divisor the number of elements n, or n - 1 for a sample
  /// @param part,others the moments of each part, of the same n elements
  /// @return NaN if n or `divisor` is 0, or a part is not finite
  template <class To, bool IsRoot, class... Parts>
  static WARPFOLD_HD constexpr To pooled_variance(std::uint64_t divisor, const exact_moments& part,
                                                  const Parts&... others) {
    const std::uint64_t n = part.count;
    if (n == 0 || divisor == 0 ||
        !(part.squares.is_finite() && ... && others.squares.is_finite())) {
      return detail::float_format<To>::nan();
    }
    // The sum of n * squares - sum^2. Sums of n numbers below 2^e, squared: below n^2 2^2e.
    detail::long_natural<exact_sum<T, 2>::digit_words + 3> difference, square;
    const auto add = [&](const exact_moments& of) {
      difference.add_product(of.squares.magnitude().size, detail::to_long(n));
      const auto size = of.sum.magnitude().size;
      square.add_product(size, size);
    };
    add(part);
    (add(others), ...);
    difference.subtract(square);
    constexpr int exponent = exact_sum<T, 2>::least_exponent;
    if constexpr (IsRoot) {
      return detail::rounded_root<To>(difference, exponent, n, divisor);
    } else {
      return detail::rounded_quotient<To>(false, difference, exponent, n, divisor);
    }
  }
};

/// Folds `Moments<T>`, where T is `float` for 16-bit floats. Identity: no number. Cost: as for
/// `plus{}.exact()` of the numbers, and of their squares.
/// @tparam Moments `exact_mean` or `exact_moments`
template <template <class> class Moments>
struct exact_moments_op : detail::exact_op<exact_moments_op<Moments>> {
  template <class T>
    requires(std::is_floating_point_v<T> || is_half_v<T>)
  WARPFOLD_HD constexpr auto lift(const T& x) const {
    Moments<wide_sum_t<T>> m;
    fold_element(m, x);
    return m;
  }
  template <class State, class T>
    requires(std::same_as<typename State::number_type, wide_sum_t<T>> &&
             State::has_squares == Moments<wide_sum_t<T>>::has_squares)
  WARPFOLD_HD constexpr void fold_element(State& seen, const T& x) const {
    const auto number = static_cast<typename State::number_type>(x);
    ++seen.count;
    seen.sum.add(number);
    if constexpr (State::has_squares) seen.squares.add(number, number);
  }

  template <class State>
    requires std::same_as<State, Moments<typename State::number_type>>
  WARPFOLD_HD constexpr State identity() const {
    return {};
  }

  template <class State>
    requires std::same_as<State, Moments<typename State::number_type>>
  WARPFOLD_HD constexpr State operator()(const State& a, const State& b) const {
    State m = a;
    m.count += b.count;
    m.sum.add(b.sum);
    if constexpr (State::has_squares) m.squares.add(b.squares);
    return m;
  }

  WARPFOLD_ANY_SIDE
  template <class State, class Batch>
  WARPFOLD_HD constexpr State fold_batch(const State& seen, const Batch& batch) const {
    State m = seen;
    m.count += batch.size();
    if constexpr (State::has_squares) {
      detail::add_batch(batch, detail::term_of(m.sum),
                        detail::term_of(m.squares, detail::exact_square{}));
    } else {
      detail::add_batch(batch, detail::term_of(m.sum));
    }
    return m;
  }

  /// As that of `exact_plus`.
  template <class A, class, class Column>
  using thread_table = std::conditional_t<A::has_squares, detail::moments_table<A, Column>,
                                          detail::mean_table<A, Column>>;
  template <class A, class>
  static constexpr unsigned table_room =
      detail::exact_table_of<decltype(A::sum), detail::no_column>::room +
      (A::has_squares
           ? detail::exact_table_of<exact_sum<typename A::number_type, 2>, detail::no_column>::room
           : 0);

  /// As `exact_plus::add_rows`.
  template <class T>
    requires(!Moments<T>::has_squares)
  static void add_rows(Moments<T>* means, std::size_t columns, const T* from, std::size_t step,
                       std::size_t rows) {
    for (std::size_t i = 0; i < columns; ++i) means[i].count += rows;
    detail::add_exact_rows([means](std::size_t i) -> auto& { return means[i].sum; }, columns, from,
                           step, rows);
  }
};

template <template <class> class Moments>
inline constexpr bool never_compares<exact_moments_op<Moments>> = true;
template <template <class> class Moments, class A>
inline constexpr bool same_in_any_order<exact_moments_op<Moments>, A> = true;

}  // namespace warpfold
