/// @file
/// The moments of complex numbers: those of the real and of the imaginary parts. For `mean`,
/// `variance` and `stddev`, also with `plus{}.exact()`.
#pragma once

#include <concepts>
#include <cstddef>

#include <warpfold/op/complex.hpp>
#include <warpfold/op/lift.hpp>

namespace warpfold {

/// The accumulators of the real parts and of the imaginary parts of complex numbers.
template <complex_number Complex, class State>
struct complex_moments {
  using complex_type = Complex;

  State real;
  State imag;
};

/// Folds the real parts and the imaginary parts by `Op`, each with the bits of a fold of its own.
/// Identity: no number. Cost: that of two folds.
/// @tparam Op `moments_op` or `exact_moments_op`
template <class Op>
struct complex_moments_op {
  template <class T>
  using accumulator = T;

  template <complex_number T>
  WARPFOLD_HD constexpr auto lift(const T& z) const {
    const auto parts = detail::parts_of(z);
    const auto real = Op{}.lift(parts.first);
    return complex_moments<T, std::remove_const_t<decltype(real)>>{real, Op{}.lift(parts.second)};
  }

  template <class State>
    requires std::same_as<State,
                          complex_moments<typename State::complex_type, decltype(State::real)>>
  WARPFOLD_HD constexpr State identity() const {
    using part = decltype(State::real);
    return {Op{}.template identity<part>(), Op{}.template identity<part>()};
  }

  template <class Complex, class State>
  WARPFOLD_HD constexpr complex_moments<Complex, State> operator()(
      const complex_moments<Complex, State>& a, const complex_moments<Complex, State>& b) const {
    return {Op{}(a.real, b.real), Op{}(a.imag, b.imag)};
  }
};

template <class Op>
inline constexpr bool never_compares<complex_moments_op<Op>> = never_compares<Op>;
template <class Op, class Complex, class State>
inline constexpr bool same_in_any_order<complex_moments_op<Op>, complex_moments<Complex, State>> =
    same_in_any_order<Op, State>;

}  // namespace warpfold
