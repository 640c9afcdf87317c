/// @file
/// What an output holds for a fold, and whether its element type can hold it.
#pragma once

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <warpfold/core/config.hpp>
#include <warpfold/op/lift.hpp>

namespace warpfold::detail {

// True for a result with a value and its index: `indexed`.
template <class R>
concept has_index = requires(const R& r) {
  r.value;
  requires std::is_same_v<decltype(R::index), std::size_t>;
};

// True if elements of type `Out` can hold results of type `R`. Integers hold the index of a value
// with an index.
template <class Out, class R>
constexpr bool holds_result() {
  if constexpr (std::is_integral_v<Out> && has_index<R>) {
    return true;
  } else {
    return std::is_constructible_v<Out, R>;
  }
}

WARPFOLD_ANY_SIDE
template <class Out, class R>
WARPFOLD_HD constexpr Out held_result(const R& r) {
  if constexpr (std::is_integral_v<Out> && has_index<R>) {
    return static_cast<Out>(r.index);
  } else {
    return static_cast<Out>(r);
  }
}

// What an output holds for a fold: the accumulator itself, or the result of `finish`, converted.
WARPFOLD_ANY_SIDE
template <class Out, bool Accumulates = false, class Op, class A>
WARPFOLD_HD constexpr Out result_as(const Op& op, const A& a) {
  using result = decltype(finished(op, a));
  if constexpr (holds_accumulator<Out, A, result, Accumulates>) {
    return a;
  } else {
    return held_result<Out>(finished(op, a));
  }
}

// The same for one of several results: `result` is the part after `finish`, `a` the part before.
WARPFOLD_ANY_SIDE
template <class Out, bool Accumulates = false, class R, class A>
WARPFOLD_HD constexpr Out part_of_result_as(const R& result, const A& a) {
  if constexpr (holds_accumulator<Out, A, R, Accumulates>) {
    return a;
  } else {
    return held_result<Out>(result);
  }
}

#if defined(__CUDACC__)
// Calls the user's conversion of a result to an output's element, where nvcc checks it; see
// name_call.
template <class Out, class R>
WARPFOLD_DEVICE void name_held_result() {
  if constexpr (!(std::is_integral_v<Out> && has_index<R>)) name_conversion<Out, const R&>();
}
// The same for the op's `finish`, and for each of several outputs.
template <class... Outs, class Op, class A>
WARPFOLD_DEVICE void name_results(const Op& op, const A& a) {
  using results = std::remove_cvref_t<decltype(finished(op, a))>;
  if constexpr (sizeof...(Outs) != 1) {
    name_finish(op, a);
    [&]<std::size_t... At>(std::index_sequence<At...>) {
      (name_held_result<Outs,
                        std::remove_cvref_t<decltype(get<At>(std::declval<const results&>()))>>(),
       ...);
    }(std::index_sequence_for<Outs...>{});
  } else if constexpr (!(holds_accumulator<Outs, A, results> && ...)) {
    name_finish(op, a);
    (name_held_result<Outs, results>(), ...);
  }
}
// The same for the conversions of what accumulate(out) holds to the accumulator, or to its parts.
template <class A, class... Outs>
WARPFOLD_DEVICE void name_held() {
  if constexpr (sizeof...(Outs) == 1) {
    (name_conversion<A, const Outs&>(), ...);
  } else {
    [&]<std::size_t... At>(std::index_sequence<At...>) {
      (name_conversion<std::remove_cvref_t<decltype(get<At>(std::declval<const A&>()))>,
                       const Outs&>(),
       ...);
    }(std::index_sequence_for<Outs...>{});
  }
}
#endif

// True if an output of `Out` can hold the fold `A` or `Result`, which the op's `finish` makes of
// it; otherwise reports an error.
template <class Out, class A, class Result>
constexpr bool check_result() {
  constexpr bool converts = holds_accumulator<Out, A, Result> || holds_result<Out, Result>();
  constexpr bool several = requires { std::tuple_size<Result>::value; };
  static_assert(converts || !several,
                "warpfold: wf::all has several results for each output; pass zip(output1, output2) "
                "of mdspans, one for each op, or an output of tuples");
  static_assert(converts || several,
                "warpfold: the op's results do not convert to the output's elements; change the "
                "output's element type");
  constexpr bool copyable = std::is_trivially_copyable_v<Out>;
  static_assert(
      copyable,
      "warpfold: the output's elements are not trivially copyable; use elements that are");
  return converts && copyable;
}

// The same for a zip of outputs, one for each part of the fold.
template <class A, class Result, class... Outs>
constexpr bool check_results() {
  constexpr bool several = requires { requires std::tuple_size<Result>::value == sizeof...(Outs); };
  static_assert(several,
                "warpfold: the op has not as many results as there are outputs; pass "
                "wf::all(...) with an op for each output");
  if constexpr (several) {
    return []<std::size_t... At>(std::index_sequence<At...>) {
      return (
          check_result<Outs, std::remove_cvref_t<decltype(get<At>(std::declval<const A&>()))>,
                       std::remove_cvref_t<decltype(get<At>(std::declval<const Result&>()))>>() &&
          ...);
    }(std::index_sequence_for<Outs...>{});
  } else {
    return false;
  }
}

}  // namespace warpfold::detail
