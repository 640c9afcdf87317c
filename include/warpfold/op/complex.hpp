/// @file
/// What counts as a complex number, whoever's class it is.
#pragma once

#include <type_traits>
#include <utility>

#include <warpfold/op/traits.hpp>

namespace warpfold {

namespace detail {

// What real() and imag() both give; void of what has them not.
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

/// A class that is its real and its imaginary part, floating-point numbers of one type, and nothing else:
/// `std::complex<double>`, `cuda::std::complex<float>`, `thrust::complex<float>`.
template <class T>
concept complex_number =
    std::is_class_v<T> && std::is_trivially_copyable_v<T> &&
    (std::is_floating_point_v<complex_part_t<T>> || is_half_v<complex_part_t<T>>) &&
    sizeof(T) == 2 * sizeof(complex_part_t<T>);

namespace detail {

/// Both parts, in the order in which they lie.
template <class R>
struct complex_parts {
  R first;
  R second;
};

// From the bytes: std::complex's members are the host's.
template <complex_number T>
WARPFOLD_HD constexpr auto parts_of(const T& z) {
  return __builtin_bit_cast(complex_parts<complex_part_t<T>>, z);
}

}  // namespace detail
}  // namespace warpfold
