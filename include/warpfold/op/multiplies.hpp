/// @file
/// Multiplication.
#pragma once

#include <warpfold/op/packed.hpp>
#include <warpfold/op/rounded_product.hpp>
#include <warpfold/op/traits.hpp>
#include <warpfold/op/vector_components.hpp>

namespace warpfold {

struct exact_multiplies;

/// `a * b`, rounded before any sum that follows; for small CUDA vectors of each component.
///
/// Identity: one (`T(1)` for a class to which 1 converts implicitly, such as a complex number; such
/// a 1 must be the one of its `operator*`). None for other classes: `T(1)` may have another meaning
/// there; for an aggregate it only sets the first member.
///
/// Accumulator: as for `plus`: 64 bits for integers, `float` for 16-bit floats, otherwise the
/// element's type.
struct multiplies {
  using exactly = multiplies;
  static constexpr auto needs = detail::operand_need::multiplication;

  /// Returns a function for products that are not rounded: op/exact_product.hpp.
  WARPFOLD_HD constexpr exact_multiplies exact() const;

  template <class T>
  using accumulator = wide_sum_t<T>;

  /// A type half as wide as the accumulator that holds every product of `in_group` elements: four
  /// chars, or two shorts. A 64-bit multiplication takes four GPU instructions.
  template <detail::small_integer T>
  using group = std::conditional_t<std::is_signed_v<T>, int, unsigned>;
  template <detail::small_integer T>
  static constexpr int in_group = static_cast<int>(4 / sizeof(T));

  /// A complex product tests for infinities.
  template <class A>
  static constexpr bool is_long = !is_number_v<A> && !vector_element<A>;

  /// The same without the test, for folds that test their result: collective/unchecked_fold.hpp.
  template <class A>
    requires detail::rounds_complex_product<A, A>
  using unchecked = detail::unchecked_multiplies;

  // True for a class in which `T(1)` is the one, as far as its constructors tell.
  template <class T>
  static constexpr bool has_one = !std::is_aggregate_v<T> && std::is_convertible_v<int, T>;

  WARPFOLD_ANY_SIDE
  template <class T>
    requires(is_number_v<T> || vector_element<T> ||
             (has_one<T> && requires(const T& a) { static_cast<T>(a * a); }))
  WARPFOLD_HD constexpr T identity() const {
    if constexpr (vector_element<T>) {
      return all_components<T>(1);
    } else if constexpr (is_half_v<T>) {
      return static_cast<T>(1.0f);
    } else {
      return T(1);
    }
  }

  template <vector_element T>
  WARPFOLD_HD constexpr T operator()(const T& a, const T& b) const {
    return componentwise(a, b, *this);
  }

  WARPFOLD_ANY_SIDE
  template <class T, class U>
    requires requires(const T& a, const U& b) { a* b; }
  WARPFOLD_HD constexpr auto operator()(const T& a, const U& b) const {
    if constexpr (std::is_integral_v<T> && std::is_integral_v<U>) {
      // Unsigned, so that overflow wraps instead of being undefined.
      using R = decltype(a * b);
      using wrapping = std::make_unsigned_t<R>;
      return static_cast<R>(static_cast<wrapping>(a) * static_cast<wrapping>(b));
    } else {
      return detail::product_rounded_if_numbers(a, b);
    }
  }

#if defined(__CUDACC__)
  /// The element's own multiplication and one: see kernel/body.hpp.
  template <class T, class U>
    requires(!is_number_v<T> && !vector_element<T>)
  WARPFOLD_DEVICE void name_user_functions(const T& a, const U& b) const {
    if constexpr (detail::computes_on_gpu<T>()) {
      if constexpr (has_one<T>) (void)T(1);
      (void)(a * b);
    }
  }
#endif

  // __half * float is ambiguous in CUDA's headers; the product of the two is a float.
  template <class T, class U>
    requires(is_number_v<T> && is_number_v<U> && (is_half_v<T> != is_half_v<U>))
  WARPFOLD_HD constexpr auto operator()(const T& a, const U& b) const {
    if constexpr (is_half_v<T>) {
      return (*this)(static_cast<float>(a), b);
    } else {
      return (*this)(a, static_cast<float>(b));
    }
  }
};

template <>
inline constexpr bool never_compares<multiplies> = true;
template <class A>
  requires std::is_integral_v<A>
inline constexpr bool same_in_any_order<multiplies, A> = true;

}  // namespace warpfold
