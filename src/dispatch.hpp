/// @file
/// Converts a run-time element and op to a call with their types.
///
/// Pairs that give the same bits share one instantiation. Bitwise and logical ops, and sums of 64
/// bits, run on unsigned integers also for signed ones. A bool is a byte, and true unless the byte
/// is 0: logical_and is the minimum of the bytes, logical_or the maximum, and a sum counts the true
/// ones.
#pragma once

#include <cstdint>
#include <type_traits>

#include <warpfold/core/config.hpp>
#include <warpfold/op/bitwise.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/logical.hpp>
#include <warpfold/op/multiplies.hpp>
#include <warpfold/op/plus.hpp>

#include "element.hpp"

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
  }
  return o;
}

/// The element type that runs in place of `e` with `compiled_op(e, o)`.
constexpr element compiled_as(element e, op o) {
  using enum element;
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

namespace detail {

template <class Op, element... Es, class F>
bool call_among(elements<Es...>, element e, F& f) {
  return ((e == Es && (f(std::integral_constant<element, Es>{}, Op{}), true)) || ...);
}

}  // namespace detail

/// Calls `f(element_constant, Op{})` if `Cases` has the pair.
/// @return whether `Cases` has the pair
template <class Cases, class F>
bool visit_case(element given, op o, F&& f) {
  const element e = compiled_as(given, o);
  switch (compiled_op(given, o)) {
    case op::plus:
      return detail::call_among<plus>(typename Cases::sums{}, e, f);
    case op::multiplies:
      return detail::call_among<multiplies>(typename Cases::products{}, e, f);
    case op::minimum:
      return detail::call_among<minimum>(typename Cases::extrema{}, e, f);
    case op::maximum:
      return detail::call_among<maximum>(typename Cases::extrema{}, e, f);
    case op::bit_and:
      return detail::call_among<bit_and>(typename Cases::bits{}, e, f);
    case op::bit_or:
      return detail::call_among<bit_or>(typename Cases::bits{}, e, f);
    case op::bit_xor:
      return detail::call_among<bit_xor>(typename Cases::bits{}, e, f);
    case op::logical_and:
      return detail::call_among<logical_and>(typename Cases::truths{}, e, f);
    case op::logical_or:
      return detail::call_among<logical_or>(typename Cases::truths{}, e, f);
  }
  return false;
}

/// Whether `Cases` has the pair.
template <class Cases>
bool has_case(element e, op o) {
  return visit_case<Cases>(e, o, [](auto, auto) {});
}

}  // namespace warpfold::program
