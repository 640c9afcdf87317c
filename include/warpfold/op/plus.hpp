/// @file
/// Addition.
#pragma once

#include <warpfold/op/packed.hpp>
#include <warpfold/op/traits.hpp>
#include <warpfold/op/vector_components.hpp>

namespace warpfold {

struct compensated_plus;
template <class To>
struct exact_plus;

/// `a + b`; for small CUDA vectors of each component.
///
/// Identity: zero (`T{}` for a class type, as in `std::reduce`; it must be the zero of its
/// `operator+`: a class whose default is a unit matrix gives wrong sums).
/// Accumulator: 64 bits for integers (signed or unsigned as the element), `float` for `__half` and
/// `__nv_bfloat16`, otherwise the element's type. Integer sums wrap modulo 2^64. `float` sums round
/// after every addition, where memory holds the range in the declared order (op/fold_order.hpp).
struct plus {
  using exactly = plus;
  static constexpr auto needs = detail::operand_need::addition;

  /// Returns an op for sums that also keep the rounding errors: op/compensated.hpp.
  WARPFOLD_HD constexpr compensated_plus compensated() const;
  /// Returns an op for sums without rounding errors: op/exact.hpp.
  /// @tparam To the type to round to, `float` or `double`; void for that of the elements
  template <class To = void>
  WARPFOLD_HD constexpr exact_plus<To> exact() const;

  template <class T>
  using accumulator = wide_sum_t<T>;

  /// A type half as wide as the accumulator that holds every sum of `partial_batch` elements: a
  /// vector register holds twice as many.
  template <class T>
    requires(std::is_integral_v<T> && sizeof(T) <= 2)
  using partial = std::conditional_t<std::is_signed_v<T> || std::is_same_v<T, bool>, int, unsigned>;
  static constexpr std::size_t partial_batch = std::size_t{1} << 15;

  /// Sixteen chars: four at a time are multiplied by one and added.
  template <detail::small_integer T>
    requires(sizeof(T) == 1)
  WARPFOLD_HD constexpr auto fold_packed(const std::uint32_t (&r)[4]) const {
    using sum_type = std::conditional_t<std::is_signed_v<T>, int, unsigned>;
    sum_type sum = 0;
    WARPFOLD_UNROLL
    for (int i = 0; i < 4; ++i) {
#if defined(__CUDA_ARCH__)
      sum = __dp4a(static_cast<sum_type>(r[i]), static_cast<sum_type>(0x01010101), sum);
#else
      for (int k = 0; k < 4; ++k) sum += detail::unpack<T>(r[i], k);
#endif
    }
    return sum;
  }

  /// Integer sums give the same bits in any order, so the warp's hardware sum may be used.
  static constexpr bool adds_integers = true;

  WARPFOLD_ANY_SIDE
  template <class T>
    requires(is_number_v<T> || vector_element<T> ||
             requires(const T& a) {
               T{};
               static_cast<T>(a + a);
             })
  WARPFOLD_HD constexpr T identity() const {
    if constexpr (is_half_v<T>) {
      return static_cast<T>(0.0f);
    } else {
      return T{};
    }
  }

  template <vector_element T>
  WARPFOLD_HD constexpr T operator()(const T& a, const T& b) const {
    return componentwise(a, b, *this);
  }

  WARPFOLD_ANY_SIDE
  template <class T, class U>
    requires requires(const T& a, const U& b) { a + b; }
  WARPFOLD_HD constexpr auto operator()(const T& a, const U& b) const {
    if constexpr (std::is_integral_v<T> && std::is_integral_v<U>) {
      // Unsigned, so that overflow wraps instead of being undefined.
      using R = decltype(a + b);
      using wrapping = std::make_unsigned_t<R>;
      return static_cast<R>(static_cast<wrapping>(a) + static_cast<wrapping>(b));
    } else if constexpr (std::is_arithmetic_v<T> && std::is_arithmetic_v<U>) {
      using R = decltype(a + b);
      return static_cast<R>(a) + static_cast<R>(b);
    } else {
      return a + b;
    }
  }

#if defined(__CUDACC__)
  /// The element's own addition and zero: see kernel/body.hpp.
  template <class T, class U>
    requires(!is_number_v<T> && !vector_element<T>)
  WARPFOLD_DEVICE void name_user_functions(const T& a, const U& b) const {
    if constexpr (detail::computes_on_gpu<T>()) {
      if constexpr (requires { T{}; }) (void)T{};
      (void)(a + b);
    }
  }
#endif

  // __half + float is ambiguous in CUDA's headers; the sum of the two is a float.
  template <class T, class U>
    requires(is_number_v<T> && is_number_v<U> && (is_half_v<T> != is_half_v<U>))
  WARPFOLD_HD constexpr auto operator()(const T& a, const U& b) const {
    if constexpr (is_half_v<T>) {
      return static_cast<float>(a) + b;
    } else {
      return a + static_cast<float>(b);
    }
  }
};

template <>
inline constexpr bool never_compares<plus> = true;
template <class A>
  requires std::is_integral_v<A>
inline constexpr bool same_in_any_order<plus, A> = true;

namespace detail {
template <class Op>
inline constexpr bool is_exact_plus = false;
template <class To>
inline constexpr bool is_exact_plus<exact_plus<To>> = true;

template <class Op>
inline constexpr bool is_sum_op =
    std::is_same_v<Op, plus> || std::is_same_v<Op, compensated_plus> || is_exact_plus<Op>;

// True if the op of a norm or a statistic is `plus{}.exact()`; otherwise reports an error.
template <class Op>
constexpr bool check_exact_plus() {
  static_assert(is_exact_plus<Op>,
                "warpfold: norm_2, mean, variance and stddev take no other op than plus{}.exact(); "
                "omit the op to fold in double");
  return is_exact_plus<Op>;
}
}  // namespace detail

}  // namespace warpfold
