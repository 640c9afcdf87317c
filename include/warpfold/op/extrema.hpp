/// @file
/// `minimum` and `maximum`: the smaller and the larger of two values. For numbers the result does
/// not depend on the order of the operands.
///
/// Floating point follows IEEE 754-2019 `minimum` and `maximum`: any NaN gives NaN, and -0 is less
/// than +0. So the result does not depend on which thread reads which element first, unlike with
/// `a < b ? a : b`. On the GPU this is one instruction (`min.NaN`, sm_80 and later).
#pragma once

#include <cstdint>

#include <warpfold/op/packed.hpp>
#include <warpfold/op/traits.hpp>
#include <warpfold/op/vector_components.hpp>

namespace warpfold {
namespace detail {

// Variables instead of calls: nvcc allows constants of the standard library in device code, but no
// calls to it.
template <class T>
inline constexpr T least_v =
    std::numeric_limits<T>::has_infinity ? -(std::numeric_limits<T>::infinity)()
                                         : (std::numeric_limits<T>::lowest)();
template <class T>
inline constexpr T greatest_v =
    std::numeric_limits<T>::has_infinity ? (std::numeric_limits<T>::infinity)()
                                         : (std::numeric_limits<T>::max)();

/// The least value of a number type: -infinity if it has one.
template <class T>
WARPFOLD_HD constexpr T least() {
  if constexpr (is_half_v<T>) {
    return static_cast<T>(least_v<float>);
  } else {
    return least_v<T>;
  }
}

/// The greatest value of a number type: +infinity if it has one.
template <class T>
WARPFOLD_HD constexpr T greatest() {
  if constexpr (is_half_v<T>) {
    return static_cast<T>(greatest_v<float>);
  } else {
    return greatest_v<T>;
  }
}

// Numbers by value: from references ptxas makes other code.
template <class T>
using compared = std::conditional_t<std::is_arithmetic_v<T>, T, const T&>;

// True if `a` is the extremum of two different values. Class types have `<` only.
template <bool IsGreatest, class T>
WARPFOLD_HD constexpr bool precedes(compared<T> a, compared<T> b) {
  if constexpr (!IsGreatest) {
    return static_cast<bool>(a < b);
  } else if constexpr (std::is_floating_point_v<T>) {
    return a > b;
  } else {
    return static_cast<bool>(b < a);
  }
}

// `a < b ? a : b` and `b < a ? b : a` are both the minimum of two different numbers. For two zeros
// or a NaN one of them is `a` and the other is `b`. The `or` of their bits is right in all cases:
// it has the sign of either zero, all of a NaN's exponent, and some of its mantissa. The two
// comparisons are independent, so host compilers vectorize this (minps, minps, orps). The larger of
// two zeros is the positive one: its sign is the `and` of both.
template <bool IsGreatest, class Bits, class T>
WARPFOLD_HD constexpr T extremum_ieee(T a, T b) {
  // The builtin, not std::bit_cast: nvcc calls that in device code only with an extra flag.
  const Bits one = __builtin_bit_cast(Bits, precedes<IsGreatest, T>(a, b) ? a : b);
  const Bits other = __builtin_bit_cast(Bits, precedes<IsGreatest, T>(b, a) ? b : a);
  if constexpr (IsGreatest) {
    constexpr Bits magnitude = static_cast<Bits>(~Bits{}) >> 1;
    return __builtin_bit_cast(T, static_cast<Bits>((one | other) & ((one & other) | magnitude)));
  } else {
    return __builtin_bit_cast(T, static_cast<Bits>(one | other));
  }
}

template <class T>
inline constexpr bool is_ieee_v = std::is_same_v<T, float> || std::is_same_v<T, double>;
template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <bool IsGreatest, class T>
WARPFOLD_HD constexpr T extremum_of(T a, T b) {
  if constexpr (is_ieee_v<T>) {
#if !defined(__CUDA_ARCH__)
    // One value after another: a well predicted branch costs less than waiting for the bits.
    if (precedes<IsGreatest, T>(a, b)) return a;
    if (precedes<IsGreatest, T>(b, a)) return b;
    return extremum_ieee<IsGreatest, bits_of<T>>(a, b);
#elif __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<T, float>) {
      float r;
      if constexpr (IsGreatest) {
        asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
      } else {
        asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
      }
      return r;
    } else {
      return extremum_ieee<IsGreatest, bits_of<T>>(a, b);
    }
#else
    return extremum_ieee<IsGreatest, bits_of<T>>(a, b);
#endif
  } else if constexpr (is_half_v<T>) {
    return static_cast<T>(extremum_of<IsGreatest>(static_cast<float>(a), static_cast<float>(b)));
  } else if constexpr (std::is_floating_point_v<T>) {
    if (a != a) return a;
    if (b != b) return b;
    if (a == b) return (__builtin_signbit(a) != 0) != IsGreatest ? a : b;
    return precedes<IsGreatest, T>(b, a) ? b : a;
  } else {
    return precedes<IsGreatest, T>(b, a) ? b : a;
  }
}

// A 16-bit float is compared with another number type as a float.
template <class T>
using comparable_t = std::conditional_t<is_half_v<T>, float, T>;
template <class T, class U>
struct extremum_type : std::common_type<comparable_t<T>, comparable_t<U>> {};
template <class T>
struct extremum_type<T, T> {
  using type = T;
};

// The extrema of the elements at the same positions of two registers.
template <bool IsGreatest, class T>
WARPFOLD_HD constexpr std::uint32_t packed_extremum(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__)
  if constexpr (small_integer<T> && IsGreatest) {
    if constexpr (sizeof(T) == 1) return std::is_signed_v<T> ? __vmaxs4(a, b) : __vmaxu4(a, b);
    return std::is_signed_v<T> ? __vmaxs2(a, b) : __vmaxu2(a, b);
  } else if constexpr (small_integer<T>) {
    if constexpr (sizeof(T) == 1) return std::is_signed_v<T> ? __vmins4(a, b) : __vminu4(a, b);
    return std::is_signed_v<T> ? __vmins2(a, b) : __vminu2(a, b);
  }
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  // The instructions of __hmin2_nan and __hmax2_nan, without the header of 16-bit floats.
  if constexpr (is_half_v<T>) {
    std::uint32_t r;
    if constexpr (std::is_same_v<T, __half> && IsGreatest) {
      asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    } else if constexpr (std::is_same_v<T, __half>) {
      asm("min.NaN.f16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    } else if constexpr (IsGreatest) {
      asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    } else {
      asm("min.NaN.bf16x2 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    }
    return r;
  }
#endif
  return each_of<T>(a, b, [](T x, T y) { return extremum_of<IsGreatest, T>(x, y); });
}

}  // namespace detail

template <class Extremum>
struct ignoring_nan_op;

namespace detail {

/// The members of `Op`, which is `minimum` or `maximum`.
template <class Op, bool IsGreatest>
struct extremum_op {
  using exactly = Op;
  static constexpr auto needs = operand_need::order;

  /// Returns an op that ignores NaN: op/ignoring_nan.hpp.
  WARPFOLD_HD constexpr ignoring_nan_op<Op> ignoring_nan() const;

  template <class T>
  using accumulator = T;

  template <class T>
    requires(is_number_v<T> || vector_element<T>)
  WARPFOLD_HD constexpr T identity() const {
    if constexpr (vector_element<T>) {
      return all_components<T>(identity<vector_component_t<T>>());
    } else if constexpr (IsGreatest) {
      return least<T>();
    } else {
      return greatest<T>();
    }
  }

  WARPFOLD_ANY_SIDE
  template <class T, class U>
    requires requires { typename extremum_type<T, U>::type; } &&
             (vector_element<T> || requires(const T& a, const U& b) { static_cast<bool>(a < b); } ||
              (is_half_v<T> != is_half_v<U>))
  WARPFOLD_HD constexpr auto operator()(const T& a, const U& b) const {
    using R = typename extremum_type<T, U>::type;
    if constexpr (vector_element<R>) {
      return componentwise(a, b, *this);
    } else {
      return extremum_of<IsGreatest, R>(static_cast<R>(a), static_cast<R>(b));
    }
  }

#if defined(__CUDACC__)
  /// The element's own `<`: see kernel/body.hpp.
  template <class T, class U>
    requires(!is_number_v<T> && !vector_element<T>)
  WARPFOLD_DEVICE void name_user_functions(const T& a, const U& b) const {
    (void)static_cast<bool>(a < b);
  }
#endif

  /// Four chars, two shorts or two halves at a time.
  template <packable T>
  WARPFOLD_HD constexpr T fold_packed(const std::uint32_t (&registers)[4]) const {
    return fold_registers<T>(
        registers, extremum_of<IsGreatest, T>,
        [](std::uint32_t a, std::uint32_t b) { return packed_extremum<IsGreatest, T>(a, b); });
  }

  /// Without branches, so that host compilers vectorize it for many pairs at once.
  template <class T>
    requires is_ieee_v<T>
  constexpr T without_branches(T a, T b) const {
    return extremum_ieee<IsGreatest, bits_of<T>>(a, b);
  }
};

}  // namespace detail

/// The smaller of two values; for small CUDA vectors of each component. NaN if either is NaN; -0 <
/// +0.
///
/// Identity: +infinity, or the type's greatest value. None for a class type, which is compared with
/// `<`: an empty range of those needs an init.
/// Accumulator: the element's type.
struct minimum : detail::extremum_op<minimum, false> {};

/// The larger of two values; for small CUDA vectors of each component. NaN if either is NaN; -0 <
/// +0.
///
/// Identity: -infinity, or the type's least value. None for a class type, which is compared with
/// `<`: an empty range of those needs an init.
/// Accumulator: the element's type.
struct maximum : detail::extremum_op<maximum, true> {};

template <class A>
  requires is_number_v<A>
inline constexpr bool same_in_any_order<minimum, A> = true;
template <class A>
  requires is_number_v<A>
inline constexpr bool same_in_any_order<maximum, A> = true;

}  // namespace warpfold
