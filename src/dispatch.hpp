/// @file
/// Converts a run-time element and op to a call with their types.
///
/// Pairs that give the same bits share one instantiation. Bitwise and logical ops, and sums of 64
/// bits, run on unsigned integers also for signed ones. A bool is a byte, and true unless the byte
/// is 0: logical_and is the minimum of the bytes, logical_or the maximum, and a sum counts the true
/// ones. mean, norm, argmin and argmax run on the element itself; `fold` finishes their result.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <warpfold/core/config.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/bitwise.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/logical.hpp>
#include <warpfold/op/moments.hpp>
#include <warpfold/op/multiplies.hpp>
#include <warpfold/op/plus.hpp>
#include <warpfold/op/squares.hpp>

#include "element.hpp"
#include "value.hpp"

namespace warpfold::program {

/// The op that runs in place of `o` on `e`. `presented` converts its result to the result of `o`.
constexpr op compiled_op(element e, op o) {
  if (e != element::boolean) return o;
  switch (o) {
    case op::plus:
    case op::bit_xor:
      return op::plus;
    case op::multiplies:
    case op::minimum:
    case op::bit_and:
    case op::logical_and:
      return op::minimum;
    case op::maximum:
    case op::bit_or:
    case op::logical_or:
      return op::maximum;
    default:
      return o;
  }
}

/// The element type that runs in place of `e` with `compiled_op(e, o)`.
constexpr element compiled_as(element e, op o) {
  using enum element;
  if (takes_whole_arrays(o)) return e;
  if (e == boolean) return compiled_op(e, o) == op::plus ? boolean : uint8;
  if (is_extremum(o)) return e;
  const bool signless = is_bitwise(o) || is_logical(o);
  switch (e) {
    case int8:
      return signless ? uint8 : e;
    case int16:
      return signless ? uint16 : e;
    case int32:
      return signless ? uint32 : e;
    case int64:
      return uint64;
    default:
      return e;
  }
}

/// Maps the byte of a bool to 0 or 1, for a sum: every byte other than 0 is 1.
struct to_truth {
  WARPFOLD_HD std::uint8_t operator()(std::uint8_t byte) const { return byte != 0; }
};

/// The ops that take whole arrays.
template <class Op>
inline constexpr bool whole_array_op = false;
template <>
inline constexpr bool whole_array_op<moments_op> = true;
template <>
inline constexpr bool whole_array_op<squares_op> = true;
template <class Extremum>
inline constexpr bool whole_array_op<arg_op<Extremum>> = true;

/// The result of such an op on elements of type `T`, from its accumulator.
template <class T, class A>
value finished_value(const A& x) {
  constexpr bool is_float = std::is_same_v<T, float> || is_half_v<T>;
  if constexpr (std::is_same_v<A, moments>) {
    return static_cast<std::conditional_t<is_float, float, double>>(x.mean);
  } else if constexpr (std::is_same_v<A, scaled_squares>) {
    return x.root();
  } else if constexpr (std::is_same_v<A, double>) {
    return std::sqrt(x);
  } else {
    using number = std::conditional_t<
        is_float, float,
        std::conditional_t<std::is_floating_point_v<T>, double,
                           std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>>;
    return place{static_cast<number>(x.value), x.index};
  }
}

/// A set of elements.
template <element... Es>
struct elements {};

/// The pairs that a translation unit compiles: one set of elements for each kind of op.
struct integer_cases {
  using enum element;
  using products = elements<int8, int16, int32, uint8, uint16, uint32, uint64>;
  using sums = elements<boolean, int8, int16, int32, uint8, uint16, uint32, uint64>;
  using extrema = elements<int8, int16, int32, int64, uint8, uint16, uint32, uint64>;
  using bits = elements<uint8, uint16, uint32, uint64>;
  using truths = bits;
};
struct floating_cases {
  using enum element;
  using sums = elements<float16, float32, float64, complex64, complex128, float3>;
  using products = sums;
  using extrema = elements<float16, float32, float64, float3>;
  using bits = elements<>;
  using truths = elements<float16, float32, float64>;
};
/// The cases of the baselines. They are few, because each takes long to compile.
struct baseline_cases {
  using enum element;
  using sums = elements<boolean, uint8, int32, float32, float64>;
  using products = elements<>;
  using extrema = elements<uint8, int32, float32, float64>;
  using bits = elements<>;
  using truths = elements<>;
};
/// The cases of the ops that take whole arrays; they have files of their own.
struct whole_array_cases {
  using enum element;
  using places =
      elements<int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64>;
  using norms = elements<int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32,
                         float64, complex64, complex128>;
  using means = elements<boolean, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16,
                         float32, float64>;
};

namespace detail {

template <class Op, element... Es, class F>
bool call_among(elements<Es...>, element e, F& f) {
  return ((e == Es && (f(std::integral_constant<element, Es>{}, Op{}), true)) || ...);
}

template <class Cases, class F>
bool visit_fold(element e, op o, F& f) {
  switch (o) {
    case op::plus:
      return call_among<plus>(typename Cases::sums{}, e, f);
    case op::multiplies:
      return call_among<multiplies>(typename Cases::products{}, e, f);
    case op::minimum:
      return call_among<minimum>(typename Cases::extrema{}, e, f);
    case op::maximum:
      return call_among<maximum>(typename Cases::extrema{}, e, f);
    case op::bit_and:
      return call_among<bit_and>(typename Cases::bits{}, e, f);
    case op::bit_or:
      return call_among<bit_or>(typename Cases::bits{}, e, f);
    case op::bit_xor:
      return call_among<bit_xor>(typename Cases::bits{}, e, f);
    case op::logical_and:
      return call_among<logical_and>(typename Cases::truths{}, e, f);
    case op::logical_or:
      return call_among<logical_or>(typename Cases::truths{}, e, f);
    default:
      return false;
  }
}

}  // namespace detail

/// Calls `f(element_constant, Op{})` if `Cases` has the pair.
/// @return whether `Cases` has the pair
template <class Cases, class F>
bool visit_case(element given, op o, F&& f) {
  const element e = compiled_as(given, o);
  if constexpr (requires { typename Cases::means; }) {
    switch (o) {
      case op::mean:
        return detail::call_among<moments_op>(typename Cases::means{}, e, f);
      case op::norm:
        return detail::call_among<squares_op>(typename Cases::norms{}, e, f);
      case op::argmin:
        return detail::call_among<arg_op<minimum>>(typename Cases::places{}, e, f);
      case op::argmax:
        return detail::call_among<arg_op<maximum>>(typename Cases::places{}, e, f);
      default:
        return false;
    }
  } else {
    return detail::visit_fold<Cases>(e, compiled_op(given, o), f);
  }
}

/// Whether `Cases` has the pair.
template <class Cases>
bool has_case(element e, op o) {
  return visit_case<Cases>(e, o, [](auto, auto) {});
}

}  // namespace warpfold::program
