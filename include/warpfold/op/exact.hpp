/// @file
/// `plus{}.exact()`: sums without rounding errors.
///
/// This header also has what the calls need that take this op: `multiplies{}.exact()` for `dot`
/// and `inner_product`, and the sums of squares and moments for `norm_2`, `mean`, `variance` and
/// `stddev`.
#pragma once

#include <concepts>
#include <type_traits>

#include <warpfold/op/complex.hpp>
#include <warpfold/op/exact_batch.hpp>
#include <warpfold/op/exact_columns.hpp>
#include <warpfold/op/exact_moments.hpp>
#include <warpfold/op/exact_product.hpp>
#include <warpfold/op/exact_segments.hpp>
#include <warpfold/op/exact_squares.hpp>
#include <warpfold/op/exact_sum.hpp>
#include <warpfold/op/exact_table_choice.hpp>
#include <warpfold/op/plus.hpp>

namespace warpfold {

/// The exact sum of complex numbers, or of products of two: those of both parts.
/// @tparam Complex a class with parts of `float` or `double`
/// @tparam Factors as for `exact_sum`
template <class Complex, int Factors = 1>
struct exact_complex_sum {
  using sum_type = exact_sum<complex_part_t<Complex>, Factors>;
  static constexpr int digit_words = sum_type::digit_words;

  sum_type real;
  sum_type imag;

  constexpr exact_complex_sum() = default;
  WARPFOLD_HD constexpr exact_complex_sum(const sum_type& of_real, const sum_type& of_imag)
      : real(of_real), imag(of_imag) {}
  /// The sum of one number.
  WARPFOLD_HD constexpr explicit exact_complex_sum(const std::same_as<Complex> auto& z) {
    const auto parts = detail::parts_of(z);
    real.add(parts.first);
    imag.add(parts.second);
  }

  /// Both sums, each rounded once.
  /// @tparam To `Complex`, or the same class with other parts
  template <class To = Complex>
  WARPFOLD_HD constexpr To rounded() const {
    using R = complex_part_t<To>;
    return __builtin_bit_cast(
        To, (detail::complex_parts<R>{real.template rounded<R>(), imag.template rounded<R>()}));
  }
};

namespace detail {

// The table of the accumulators of `exact_plus`. A product of complex numbers is four products.
template <class A, class T, class Column>
struct exact_plus_table : exact_table_of_elements<A, T, Column> {};
template <class Complex, int Factors, class T, class Column>
struct exact_plus_table<exact_complex_sum<Complex, Factors>, T, Column> {
  using A = exact_complex_sum<Complex, Factors>;
  using type = complex_table<A, Column, unsigned{Factors}>;
  static constexpr unsigned room =
      2 * exact_table_of<typename A::sum_type, Column, unsigned{Factors}>::room;
};

}  // namespace detail

/// Adds floating-point numbers without rounding; the result is rounded once.
///
/// So the result is the floating-point number nearest to the mathematical sum. It depends neither
/// on the order nor on the policy, the number of threads, the device, or the version of this
/// library.
///
/// - Elements: `float`, `double` and 16-bit floats; complex numbers, whose parts are added apart;
///   and products of two numbers, made by `multiplies{}.exact()`.
/// - Accumulator: `exact_sum<T>`, where T is `float` for 16-bit floats; `exact_sum<T, 2>` for
///   products; `exact_complex_sum<Complex>` for complex numbers. `reduce_async` and `reduce_axis`
///   write one if the output has that type: to store, to send, and to combine with others.
/// - Result: a T or a complex number. `plus{}.exact<To>()` rounds to `To` instead, `float` or
///   `double`, also the parts of complex numbers. So a sum of floats is a `double` without a second
///   rounding.
///
/// Identity: 0. An init has the type of the result without `To`.
/// - Infinities, NaN and -0: see exact_sum. A complex product is computed by its formula, also of
///   infinities.
/// - Cost on host threads: some thousand numbers are added in double, as in a plain sum, and the
///   processor says whether that rounded (op/exact_in_double.hpp). If it did, because the exponents
///   differ by more than about 20, and on other processors than x86-64, each number is an addition
///   to memory (op/exact_bins.hpp): 0.6 ns for a float, 0.9 to 1.3 ns for a double (one core of an
///   EPYC 9004, 256 MB). Products of doubles are two numbers. A thread needs 64 KB of stack, for
///   complex products of doubles 300 KB. Numbers of classes are added one by one.
/// - Cost on a GPU: the numbers of a whole range are added in tables of the threads
///   (kernel/thread_tables.hpp). From 256 MB on, that takes 1.0 to 1.1 times as long as a plain sum
///   for floats and halves. Doubles and `__nv_bfloat16` take 1.1 to 1.2 times as long if their
///   exponents are similar, and two to three times otherwise (one H200).
/// - Cost of groups on a GPU: kernels add each group in two or three doubles first
///   (kernel/tried_groups.hpp). If the exponents are similar, 1 GB of rows, columns or segments
///   takes 0.9 to 1.5 times as long as plain sums, and classes 1.2 to 2.1 times. Rows, columns and
///   segments that need more digits are folded again. If one class or one range of a list needs
///   more digits, all are folded again, one state for each element, which is slow.
/// - `all(...)`, `where(...)`, runs of keys and named kernels always combine one state for each
///   element. These calls, lists and classes take states of up to 1024 bytes: no products of
///   doubles and no complex doubles. exact_sum states the bytes of a state; complex numbers have
///   two.
/// - Compile flags, rounding modes and modes that flush small numbers to zero: none changes the
///   result. With -ffast-math or -ffinite-math-only, host policies add no numbers in double.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<float> v{1e20f, 1.0f, -1e20f, 0x1p-30f};
/// float one = wf::reduce(wf::par, v, wf::plus{}.exact());
/// double wide = wf::reduce(wf::par, v, wf::plus{}.exact<double>());  // 1 + 2^-30
/// ```
/// @tparam To the type of the result, `float` or `double`; void for that of the elements
template <class To>
struct exact_plus : detail::exact_op<exact_plus<To>> {
  static_assert(std::is_void_v<To> || std::is_same_v<To, float> || std::is_same_v<To, double>,
                "warpfold: plus{}.exact<To>() rounds to float or double; convert its result to "
                "other types");

  static constexpr auto needs = detail::operand_need::floating_point;

  /// The projection and the ops of the calls that take this one.
  using product_for_dot = detail::exact_product_for_dot;
  using squares_op = exact_squares_op<std::conditional_t<std::is_void_v<To>, double, To>>;
  using mean_op = exact_moments_op<exact_mean>;
  using moments_op = exact_moments_op<exact_moments>;
  template <class T>
  using rounded_type = std::conditional_t<std::is_void_v<To>, T, To>;

  template <class T>
    requires(!std::is_void_v<detail::exact_element_t<T>>)
  WARPFOLD_HD constexpr auto lift(const T& x) const {
    using E = detail::exact_element_t<T>;
    std::conditional_t<complex_number<T>, exact_complex_sum<E>, exact_sum<E>> sum;
    fold_element(sum, x);
    return sum;
  }
  template <class T>
  WARPFOLD_HD constexpr auto lift(const exact_product<T>& x) const {
    std::conditional_t<complex_number<T>, exact_complex_sum<T, 2>, exact_sum<T, 2>> sum;
    fold_element(sum, x);
    return sum;
  }

  template <class S, class T>
    requires(S::digit_words != 0 && !std::is_void_v<detail::exact_element_t<T>>)
  WARPFOLD_HD constexpr void fold_element(S& seen, const T& x) const {
    using E = detail::exact_element_t<T>;
    if constexpr (complex_number<T>) {
      const auto parts = detail::parts_of(detail::exact_number<E>(x));
      seen.real.add(parts.first);
      seen.imag.add(parts.second);
    } else {
      seen.add(static_cast<E>(x));
    }
  }
  template <class S, class T>
    requires(S::digit_words != 0)
  WARPFOLD_HD constexpr void fold_element(S& seen, const exact_product<T>& x) const {
    if constexpr (complex_number<T>) {
      const auto add = [](auto& to, const auto& part) { to.add(part.first, part.second); };
      add(seen.real, real_product{}(x));
      add(seen.real, imag_product{}(x));
      add(seen.imag, real_imag_product{}(x));
      add(seen.imag, imag_real_product{}(x));
    } else {
      seen.add(x.first, x.second);
    }
  }

  template <class S>
    requires requires { S::digit_words; }
  WARPFOLD_HD constexpr S identity() const {
    return {};
  }

  template <class T, int Factors>
  WARPFOLD_HD constexpr exact_sum<T, Factors> operator()(const exact_sum<T, Factors>& a,
                                                         const exact_sum<T, Factors>& b) const {
    exact_sum<T, Factors> sum = a;
    sum.add(b);
    return sum;
  }
  template <class Complex, int Factors>
  WARPFOLD_HD constexpr exact_complex_sum<Complex, Factors> operator()(
      const exact_complex_sum<Complex, Factors>& a,
      const exact_complex_sum<Complex, Factors>& b) const {
    return {(*this)(a.real, b.real), (*this)(a.imag, b.imag)};
  }

  /// An init is one more number.
  template <class T, int Factors>
  WARPFOLD_HD constexpr exact_sum<T, Factors> operator()(const T& init,
                                                         const exact_sum<T, Factors>& b) const {
    exact_sum<T, Factors> sum = b;
    sum.add(init);
    return sum;
  }
  template <class Complex, int Factors>
  WARPFOLD_HD constexpr exact_complex_sum<Complex, Factors> operator()(
      const Complex& init, const exact_complex_sum<Complex, Factors>& b) const {
    const auto parts = detail::parts_of(init);
    return {(*this)(parts.first, b.real), (*this)(parts.second, b.imag)};
  }

  WARPFOLD_ANY_SIDE
  template <class T, int Factors, class Batch>
  WARPFOLD_HD constexpr exact_sum<T, Factors> fold_batch(const exact_sum<T, Factors>& seen,
                                                         const Batch& batch) const {
    exact_sum<T, Factors> sum = seen;
    detail::add_batch(batch, detail::term_of(sum));
    return sum;
  }
  WARPFOLD_ANY_SIDE
  template <class Complex, int Factors, class Batch>
  WARPFOLD_HD constexpr exact_complex_sum<Complex, Factors> fold_batch(
      const exact_complex_sum<Complex, Factors>& seen, const Batch& batch) const {
    using detail::term_of;
    exact_complex_sum<Complex, Factors> sum = seen;
    if constexpr (Factors == 1) {
      detail::add_batch(batch, term_of(sum.real, real_part{}), term_of(sum.imag, imag_part{}));
    } else {
      detail::add_batch(batch, term_of(sum.real, real_product{}), term_of(sum.real, imag_product{}),
                        term_of(sum.imag, real_imag_product{}),
                        term_of(sum.imag, imag_real_product{}));
    }
    return sum;
  }

  /// Adds rows of numbers to the sums of their columns on a host thread (host/host_axis.hpp).
  template <class T>
  static void add_rows(exact_sum<T>* sums, std::size_t columns, const T* from, std::size_t step,
                       std::size_t rows) {
    detail::add_exact_rows([sums](std::size_t i) -> auto& { return sums[i]; }, columns, from, step,
                           rows);
  }

  /// Sums of short segments on a host thread (host/host_segments.hpp), or false if they need folds.
  using short_segments = detail::exact_segments;
  template <class Result, class T>
    requires detail::sums_segments<Result, T>
  static bool fold_segments(const short_segments& segments, const T* data, Result* sums) {
    return detail::sum_segments(segments, data, sums);
  }

  /// The table of a thread of kernel/thread_tables.hpp, and the most words that it has.
  template <class A, class T, class Column>
  using thread_table = typename detail::exact_plus_table<A, T, Column>::type;
  template <class A, class T>
  static constexpr unsigned table_room = detail::exact_plus_table<A, T, detail::no_column>::room;

  template <class T, int Factors>
  WARPFOLD_HD constexpr auto finish(const exact_sum<T, Factors>& s) const {
    return s.template rounded<rounded_type<T>>();
  }
  template <class Complex, int Factors>
  WARPFOLD_HD constexpr auto finish(const exact_complex_sum<Complex, Factors>& s) const {
    using part = rounded_type<complex_part_t<Complex>>;
    return s.template rounded<typename detail::complex_with_parts<Complex, part>::type>();
  }

 private:
  struct real_part {
    template <class Complex>
    WARPFOLD_HD constexpr auto operator()(const Complex& z) const {
      return detail::parts_of(z).first;
    }
  };
  struct imag_part {
    template <class Complex>
    WARPFOLD_HD constexpr auto operator()(const Complex& z) const {
      return detail::parts_of(z).second;
    }
  };

  // The four products of the parts of two complex numbers.
  template <int First, int Second>
  struct part_product {
    template <class Complex>
    WARPFOLD_HD constexpr auto operator()(const exact_product<Complex>& x) const {
      using R = complex_part_t<Complex>;
      const auto a = detail::parts_of(x.first), b = detail::parts_of(x.second);
      const R second = Second == 0 ? b.first : b.second;
      if constexpr (First == 0) {
        return exact_product<R>{a.first, second};
      } else if constexpr (Second == 0) {
        return exact_product<R>{a.second, second};
      } else {  // i * i = -1
        return exact_product<R>{detail::float_format<R>::negated(a.second), second};
      }
    }
  };
  using real_product = part_product<0, 0>;
  using imag_product = part_product<1, 1>;
  using real_imag_product = part_product<0, 1>;
  using imag_real_product = part_product<1, 0>;
};

template <class To>
WARPFOLD_HD constexpr exact_plus<To> plus::exact() const {
  return {};
}

template <class To>
inline constexpr bool never_compares<exact_plus<To>> = true;
template <class To, class A>
inline constexpr bool same_in_any_order<exact_plus<To>, A> = true;

}  // namespace warpfold

#include <warpfold/op/exact_trial.hpp>
