/// @file
/// The smaller and the larger of two values, the same whatever the order of the operands.
///
/// Floating point follows IEEE 754-2019 `minimum` and `maximum`: a NaN anywhere gives NaN, and
/// -0 is less than +0. So the result does not depend on which thread saw which element first, which
/// `a < b ? a : b` cannot promise. On the GPU this is one instruction (`min.NaN`, sm_80 and later).
#pragma once

#include <cstdint>

#include <warpfold/op/traits.hpp>
#include <warpfold/op/vector_lanes.hpp>

namespace warpfold {
namespace detail {

/// The least value of a number type: -infinity where there is one.
template <class T>
WARPFOLD_HD constexpr T least() {
  if constexpr (is_half_v<T>) {
    return static_cast<T>(-std::numeric_limits<float>::infinity());
  } else if constexpr (std::numeric_limits<T>::has_infinity) {
    constexpr T value = -std::numeric_limits<T>::infinity();
    return value;
  } else {
    constexpr T value = std::numeric_limits<T>::lowest();
    return value;
  }
}

/// The greatest value of a number type: +infinity where there is one.
template <class T>
WARPFOLD_HD constexpr T greatest() {
  if constexpr (is_half_v<T>) {
    return static_cast<T>(std::numeric_limits<float>::infinity());
  } else if constexpr (std::numeric_limits<T>::has_infinity) {
    constexpr T value = std::numeric_limits<T>::infinity();
    return value;
  } else {
    constexpr T value = std::numeric_limits<T>::max();
    return value;
  }
}

// Equal operands have equal bits, except the two zeros: `or` keeps a sign bit that either has
// (the minimum of -0 and +0), `and` one that both have (the maximum).
template <class Bits, class T>
WARPFOLD_HD constexpr T minimum_ieee(T a, T b) {
  const T lower = a < b ? a : b;
  // The builtin and not std::bit_cast, which nvcc calls in device code only with an extra flag.
  const T equal = __builtin_bit_cast(T, __builtin_bit_cast(Bits, a) | __builtin_bit_cast(Bits, b));
  const T ordered = a == b ? equal : lower;
  return a != a ? a : ordered;  // a NaN in b is already in `lower`
}
template <class Bits, class T>
WARPFOLD_HD constexpr T maximum_ieee(T a, T b) {
  const T upper = a > b ? a : b;
  const T equal = __builtin_bit_cast(T, __builtin_bit_cast(Bits, a) & __builtin_bit_cast(Bits, b));
  const T ordered = a == b ? equal : upper;
  return a != a ? a : ordered;
}

template <class T>
WARPFOLD_HD constexpr T minimum_of(T a, T b) {
  if constexpr (std::is_same_v<T, float>) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    float r;
    asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    return r;
#else
    return minimum_ieee<std::uint32_t>(a, b);
#endif
  } else if constexpr (std::is_same_v<T, double>) {
    return minimum_ieee<std::uint64_t>(a, b);
  } else if constexpr (is_half_v<T>) {
    return static_cast<T>(minimum_of(static_cast<float>(a), static_cast<float>(b)));
  } else {
    return b < a ? b : a;
  }
}
template <class T>
WARPFOLD_HD constexpr T maximum_of(T a, T b) {
  if constexpr (std::is_same_v<T, float>) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    float r;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    return r;
#else
    return maximum_ieee<std::uint32_t>(a, b);
#endif
  } else if constexpr (std::is_same_v<T, double>) {
    return maximum_ieee<std::uint64_t>(a, b);
  } else if constexpr (is_half_v<T>) {
    return static_cast<T>(maximum_of(static_cast<float>(a), static_cast<float>(b)));
  } else {
    return a < b ? b : a;
  }
}

// A half compared with a number of the language is compared as a float.
template <class T>
using comparable_t = std::conditional_t<is_half_v<T>, float, T>;
template <class T, class U>
struct extremum_type : std::common_type<comparable_t<T>, comparable_t<U>> {};
template <class T>
struct extremum_type<T, T> {
  using type = T;
};

}  // namespace detail

/// The smaller of two values; small CUDA vectors by component. NaN if either is NaN; -0 < +0.
///
/// Identity: +infinity, or the type's greatest value; none for a class type (an empty range of those
/// needs an init). Accumulator: the element's type. A class type is compared with `<`.
struct minimum {
  template <class T>
  using accumulator = T;

  template <class T>
    requires(is_number_v<T> || vector_element<T>)
  WARPFOLD_HD constexpr T identity() const {
    if constexpr (vector_element<T>) {
      return all_lanes<T>(detail::greatest<vector_component_t<T>>());
    } else {
      return detail::greatest<T>();
    }
  }

  WARPFOLD_ANY_SIDE
  template <class T, class U>
    requires requires { typename detail::extremum_type<T, U>::type; } &&
             (vector_element<T> || requires(const T& a, const U& b) { static_cast<bool>(a < b); } ||
              (is_half_v<T> != is_half_v<U>))
  WARPFOLD_HD constexpr auto operator()(const T& a, const U& b) const {
    using R = typename detail::extremum_type<T, U>::type;
    if constexpr (vector_element<R>) {
      return lanewise(a, b, *this);
    } else {
      return detail::minimum_of<R>(static_cast<R>(a), static_cast<R>(b));
    }
  }
};

/// The larger of two values; small CUDA vectors by component. NaN if either is NaN; -0 < +0.
///
/// Identity: -infinity, or the type's least value; none for a class type (an empty range of those
/// needs an init). Accumulator: the element's type. A class type is compared with `<`.
struct maximum {
  template <class T>
  using accumulator = T;

  template <class T>
    requires(is_number_v<T> || vector_element<T>)
  WARPFOLD_HD constexpr T identity() const {
    if constexpr (vector_element<T>) {
      return all_lanes<T>(detail::least<vector_component_t<T>>());
    } else {
      return detail::least<T>();
    }
  }

  WARPFOLD_ANY_SIDE
  template <class T, class U>
    requires requires { typename detail::extremum_type<T, U>::type; } &&
             (vector_element<T> || requires(const T& a, const U& b) { static_cast<bool>(a < b); } ||
              (is_half_v<T> != is_half_v<U>))
  WARPFOLD_HD constexpr auto operator()(const T& a, const U& b) const {
    using R = typename detail::extremum_type<T, U>::type;
    if constexpr (vector_element<R>) {
      return lanewise(a, b, *this);
    } else {
      return detail::maximum_of<R>(static_cast<R>(a), static_cast<R>(b));
    }
  }
};

}  // namespace warpfold
