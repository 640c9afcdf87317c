/// @file
/// The sum of squares without rounding errors, and its root, rounded once.
#pragma once

#include <type_traits>

#include <warpfold/op/complex.hpp>
#include <warpfold/op/exact_batch.hpp>
#include <warpfold/op/exact_product.hpp>
#include <warpfold/op/exact_sum.hpp>
#include <warpfold/op/exact_table_choice.hpp>

namespace warpfold {

/// Adds squares without rounding, for complex numbers those of both parts; the result is the square
/// root of the sum, rounded once. `norm_2(policy, range, plus{}.exact())` uses it.
///
/// The accumulator is `exact_sum<T, 2>`; no square overflows or underflows. Identity: 0. Cost and
/// special values: as for `plus{}.exact()` of products.
/// @tparam To the type of the root, `float` or `double`
template <class To = double>
class exact_squares_op : public detail::exact_op<exact_squares_op<To>> {
  // The type of the numbers that are squared: that of the parts of a complex number.
  template <class T>
  using number_t = std::conditional_t<complex_number<T>, complex_part_t<T>, T>;
  template <class T>
  using part_t = number_t<detail::exact_element_t<T>>;

 public:
  template <class T>
    requires(!std::is_void_v<detail::exact_element_t<T>>)
  WARPFOLD_HD constexpr auto lift(const T& x) const {
    exact_sum<part_t<T>, 2> sum;
    fold_element(sum, x);
    return sum;
  }
  template <class S, class T>
    requires(S::digit_words != 0 && !std::is_void_v<detail::exact_element_t<T>> &&
             (!detail::is_exact_sum<S> || std::is_same_v<S, exact_sum<part_t<T>, 2>>))
  WARPFOLD_HD constexpr void fold_element(S& seen, const T& x) const {
    const auto number = detail::exact_number<detail::exact_element_t<T>>(x);
    if constexpr (complex_number<T>) {
      const auto parts = detail::parts_of(number);
      seen.add(parts.first, parts.first);
      seen.add(parts.second, parts.second);
    } else {
      seen.add(number, number);
    }
  }

  template <class S>
    requires requires { S::digit_words; }
  WARPFOLD_HD constexpr S identity() const {
    return {};
  }

  template <class T>
  WARPFOLD_HD constexpr exact_sum<T, 2> operator()(const exact_sum<T, 2>& a,
                                                   const exact_sum<T, 2>& b) const {
    exact_sum<T, 2> sum = a;
    sum.add(b);
    return sum;
  }

  WARPFOLD_ANY_SIDE
  template <class T, class Batch>
  WARPFOLD_HD constexpr exact_sum<T, 2> fold_batch(const exact_sum<T, 2>& seen,
                                                   const Batch& batch) const {
    exact_sum<T, 2> sum = seen;
    if constexpr (complex_number<std::remove_cvref_t<decltype(batch.first())>>) {
      detail::add_batch(batch, detail::term_of(sum, square_of_part<true>{}),
                        detail::term_of(sum, square_of_part<false>{}));
    } else {
      detail::add_batch(batch, detail::term_of(sum, detail::exact_square{}));
    }
    return sum;
  }

  /// As that of `exact_plus`.
  template <class A, class T, class Column>
  using thread_table = detail::exact_table<A, Column, complex_number<T> ? 2 : 1>;
  template <class A, class T>
  static constexpr unsigned table_room = detail::exact_table_of<A, detail::no_column>::room;

  template <class T>
  WARPFOLD_HD constexpr To finish(const exact_sum<T, 2>& s) const {
    return s.template root<To>();
  }

 private:
  template <bool IsReal>
  struct square_of_part {
    template <class Complex>
    WARPFOLD_HD constexpr auto operator()(const Complex& z) const {
      const auto parts = detail::parts_of(z);
      return detail::exact_square{}(IsReal ? parts.first : parts.second);
    }
  };
};

template <class To>
inline constexpr bool never_compares<exact_squares_op<To>> = true;
template <class To, class A>
inline constexpr bool same_in_any_order<exact_squares_op<To>, A> = true;

}  // namespace warpfold
