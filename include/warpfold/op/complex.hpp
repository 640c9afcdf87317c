/// @file
/// Recognizes complex numbers of any library.
#pragma once

#include <type_traits>
#include <utility>

#include <warpfold/op/traits.hpp>

namespace warpfold {

namespace detail {

// The type that real() and imag() return; void if there are no such members.
template <class T>
struct complex_part {
  using type = void;
};
template <class T>
  requires requires(const T& z) {
    z.real();
    requires std::is_same_v<decltype(z.real()), decltype(z.imag())>;
  }
struct complex_part<T> : std::remove_cvref<decltype(std::declval<const T&>().real())> {};

}  // namespace detail

/// The type of a complex number's parts.
template <class T>
using complex_part_t = typename detail::complex_part<T>::type;

/// A class that consists of a real and an imaginary part, floating-point numbers of one type:
/// `std::complex<double>`, `cuda::std::complex<float>`, `thrust::complex<float>`.
template <class T>
concept complex_number =
    std::is_class_v<T> && std::is_trivially_copyable_v<T> &&
    (std::is_floating_point_v<complex_part_t<T>> || is_half_v<complex_part_t<T>>) &&
    sizeof(T) == 2 * sizeof(complex_part_t<T>);

namespace detail {

// A complex number of std, CCCL or Thrust. Their functions tell it from a user's class, which may
// have another product, or parts that are not the real and the imaginary one.
template <class T>
concept complex_of_library =
    complex_number<T> && std::is_floating_point_v<complex_part_t<T>> && requires(const T& z) {
      conj(z);
      arg(z);
      proj(z);
      acosh(z);
    };

/// Both parts, in memory order.
template <class R>
struct complex_parts {
  R first;
  R second;
};

// Reads the bytes: members of std::complex are host functions.
template <complex_number T>
WARPFOLD_HD constexpr auto parts_of(const T& z) {
  return __builtin_bit_cast(complex_parts<complex_part_t<T>>, z);
}

// The complex number class of `Complex` with parts of type `R`; `Complex` itself if it has such
// parts.
template <class Complex, class R>
struct complex_with_parts {
  using type = void;
};
template <class Complex, class R>
  requires std::is_same_v<complex_part_t<Complex>, R>
struct complex_with_parts<Complex, R> {
  using type = Complex;
};
template <template <class> class Complex, class Old, class R>
  requires(!std::is_same_v<Old, R>)
struct complex_with_parts<Complex<Old>, R> {
  using type = Complex<R>;
};

}  // namespace detail
}  // namespace warpfold
