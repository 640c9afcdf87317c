/// @file
/// `multiplies{}.exact()`: products that are not rounded, for `plus{}.exact()` to add.
#pragma once

#include <cstdint>
#include <type_traits>

#include <warpfold/op/complex.hpp>
#include <warpfold/op/exact_rounding.hpp>
#include <warpfold/op/multiplies.hpp>

namespace warpfold {

/// A product of two numbers that is not computed: both factors.
/// @tparam T `float`, `double`, or a complex number of them
template <class T>
struct exact_product {
  T first;
  T second;
};

namespace detail {

// The type whose sums are those of `T`: float for 16-bit floats, also as parts of complex numbers.
// void for other types than floating-point numbers and complex ones.
template <class T>
struct exact_element {
  using type = void;
};
template <class T>
  requires(std::is_floating_point_v<T> || is_half_v<T>)
struct exact_element<T> : std::type_identity<wide_sum_t<T>> {};
template <complex_number T>
struct exact_element<T> : complex_with_parts<T, wide_sum_t<complex_part_t<T>>> {};
template <class T>
using exact_element_t = typename exact_element<T>::type;

// The class of the products of `A` and `B`: both real, or both complex.
template <class A, class B>
struct exact_factor {
  using type = void;
};
template <class A, class B>
  requires(std::is_floating_point_v<exact_element_t<A>> &&
           std::is_floating_point_v<exact_element_t<B>>)
struct exact_factor<A, B> : std::common_type<exact_element_t<A>, exact_element_t<B>> {};
template <complex_number A, complex_number B>
struct exact_factor<A, B>
    : complex_with_parts<
          A, std::common_type_t<wide_sum_t<complex_part_t<A>>, wide_sum_t<complex_part_t<B>>>> {};
template <class A, class B>
using exact_factor_t = typename exact_factor<A, B>::type;

template <class A, class B>
concept exact_factors = !std::is_void_v<exact_factor_t<A, B>>;

// A float as a double, also where the processor takes scaled floats for zero.
WARPFOLD_HD constexpr double exactly_double(float x) {
  using format = float_format<float>;
  const auto b = __builtin_bit_cast(std::uint32_t, x);
  const std::uint32_t size = b & ~format::sign_bit;
  const bool is_small = size <= format::fraction_mask && size != 0;
  const double scaled = static_cast<double>(size) * 0x1p-149;
  return !is_small ? static_cast<double>(x) : b != size ? -scaled : scaled;
}

// The same in any thread; on a GPU also with -ftz=true.
WARPFOLD_HD constexpr double wide_double(float x) {
#if defined(__CUDA_ARCH__)
  if (!__builtin_is_constant_evaluated()) {
    double d;
    asm("cvt.f64.f32 %0, %1;" : "=d"(d) : "f"(x));
    return d;
  }
#endif
  return exactly_double(x);
}

// Converts a number without rounding.
template <class T, class From>
WARPFOLD_HD constexpr T exact_number(const From& x) {
  if constexpr (complex_number<T>) {
    using R = complex_part_t<T>;
    const auto parts = parts_of(x);
    return __builtin_bit_cast(
        T, (complex_parts<R>{exact_number<R>(parts.first), exact_number<R>(parts.second)}));
  } else if constexpr (std::is_same_v<T, double> && !std::is_same_v<From, double>) {
    return exactly_double(static_cast<float>(x));
  } else {
    return static_cast<T>(x);
  }
}

template <class T>
WARPFOLD_HD constexpr T conjugate(const T& x) {
  if constexpr (complex_number<T>) {
    auto parts = parts_of(x);
    parts.second = float_format<complex_part_t<T>>::negated(parts.second);
    return __builtin_bit_cast(T, parts);
  } else {
    return x;
  }
}

}  // namespace detail

/// Returns the product of two floating-point numbers as an `exact_product`: `plus{}.exact()` adds
/// it without rounding, overflow or underflow.
///
/// Both factors are real, or both are complex; their type is the wider one, `float` for 16-bit
/// floats. This is a projection and not an op of a reduction. Use it in `inner_product`, in
/// `transform_reduce` and in expressions of arrays; `dot(..., plus{}.exact())` uses it too.
///
/// ```cpp
/// #include <warpfold/op/exact.hpp>
///
/// std::vector<double> a{1e200, 1, 1e200}, b{1e200, 1, -1e200};
/// double one =
///     wf::inner_product(wf::par, a, b, 0.0, wf::plus{}.exact(), wf::multiplies{}.exact());
/// ```
struct exact_multiplies {
  template <class A, class B>
    requires detail::exact_factors<A, B>
  WARPFOLD_HD constexpr auto operator()(const A& a, const B& b) const {
    using T = detail::exact_factor_t<A, B>;
    return exact_product<T>{detail::exact_number<T>(a), detail::exact_number<T>(b)};
  }
};

WARPFOLD_HD constexpr exact_multiplies multiplies::exact() const { return {}; }

namespace detail {

// conj(a) * b: the products that `dot` adds.
struct exact_product_for_dot {
  template <class A, class B>
    requires exact_factors<A, B>
  WARPFOLD_HD constexpr auto operator()(const A& a, const B& b) const {
    using T = exact_factor_t<A, B>;
    return exact_product<T>{conjugate(exact_number<T>(a)), exact_number<T>(b)};
  }
};

// The square of a real number.
struct exact_square {
  template <class T>
  WARPFOLD_HD constexpr auto operator()(const T& x) const {
    const auto y = static_cast<wide_sum_t<T>>(x);
    return exact_product<wide_sum_t<T>>{y, y};
  }
};

}  // namespace detail
}  // namespace warpfold
