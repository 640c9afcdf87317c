/// @file
/// How work writes its results: what an output holds for a fold, whether its element type can hold
/// it, and the errors if an output overlaps other memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include <warpfold/core/error.hpp>
#include <warpfold/core/tuple.hpp>
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

// The result of a fold in memory. It is no accumulator, so kernels write the result of the op's
// `finish`.
template <class R>
struct finished_fold {
  R value;

  WARPFOLD_HD constexpr explicit finished_fold(const R& r) : value(r) {}
};
// The value of such a fold. A pointer to the member would take it through local memory. Second pass
// of a softmax, 1024 x 50257, H200: 483 -> 176 us.
struct finished_value {
  template <class R>
  WARPFOLD_HD constexpr const R& operator()(const finished_fold<R>& fold) const {
    return fold.value;
  }
};
template <>
inline constexpr bool only_selects<finished_value> = true;

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

// The type of part `At` of several results.
template <std::size_t At, class R>
using part_t = std::remove_cvref_t<decltype(get<At>(std::declval<const R&>()))>;

// Writes a fold to outputs of elements `Outs`: `work.store<At>(place, element, stores)` for each.
WARPFOLD_ANY_SIDE
template <bool Accumulates, class... Outs, class Work, class Place, class A, class Stores,
          std::size_t... At>
WARPFOLD_HD void write_results(const Work& work, Place place, const A& a, const Stores& stores,
                               std::index_sequence<At...>) {
  if constexpr (sizeof...(Outs) == 1) {
    work.template store<0>(place, result_as<Outs..., Accumulates>(work.op, a), stores);
  } else {
    const auto results = finished(work.op, a);
    (work.template store<At>(
         place, part_of_result_as<Outs, Accumulates>(get<At>(results), get<At>(a)), stores),
     ...);
  }
}

// What accumulate(out) holds, as an accumulator `A`: the element of one output, or a part of each
// of several. `work.held<At>(place)` returns an element.
WARPFOLD_ANY_SIDE
template <class A, class Work, class Place, std::size_t... At>
WARPFOLD_HD A accumulator_of_held(const Work& work, Place place, std::index_sequence<At...>) {
  if constexpr (sizeof...(At) == 1) {
    return static_cast<A>(work.template held<0>(place));
  } else {
    return tuple_of(static_cast<part_t<At, A>>(work.template held<At>(place))...);
  }
}
// True if the elements `Outs` convert to that accumulator.
template <class A, class... Outs>
constexpr bool converts_held() {
  if constexpr (sizeof...(Outs) == 1) {
    return (std::is_constructible_v<A, const Outs&> && ...);
  } else {
    return []<std::size_t... At>(std::index_sequence<At...>) {
      return (std::is_constructible_v<part_t<At, A>, const Outs&> && ...);
    }(std::index_sequence_for<Outs...>{});
  }
}
// Reports an error unless accumulate(out) can be combined with folds.
template <bool Combines>
constexpr bool check_accumulates() {
  static_assert(Combines,
                "warpfold: the elements of accumulate(out) do not convert to the op's accumulator; "
                "use elements of the accumulator's type");
  return Combines;
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
      (name_held_result<Outs, part_t<At, results>>(), ...);
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
      (name_conversion<part_t<At, A>, const Outs&>(), ...);
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
      return (check_result<Outs, part_t<At, A>, part_t<At, Result>>() && ...);
    }(std::index_sequence_for<Outs...>{});
  } else {
    return false;
  }
}

/// True if `a_bytes` bytes from `a` on and `b_bytes` bytes from `b` on have a byte in common.
inline bool overlap(const void* a, std::size_t a_bytes, const void* b, std::size_t b_bytes) {
  const auto x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
  if (a_bytes == 0 || b_bytes == 0) return false;
  return x < y ? y - x < a_bytes : x - y < b_bytes;
}

/// @throws invalid_range if the output at `to` overlaps the input at `from`
inline void require_outside_input(const void* to, std::size_t written, const void* from,
                                  std::size_t read) {
  if (!overlap(to, written, from, read)) return;
  throw_error<invalid_range>(
      "warpfold: the output at ", to, " (", written, " bytes) overlaps the input at ", from, " (",
      read,
      " bytes): elements would be overwritten before they are read. Pass an output "
      "outside the input");
}
/// The same for all the memory that `work` writes and reads.
template <class Work>
void require_outside_input(const Work& work) {
  work.visit_written([&](const void* to, std::size_t written, std::size_t) {
    work.visit_read([&](const void* from, std::size_t read, std::size_t) {
      require_outside_input(to, written, from, read);
    });
  });
}

/// @throws invalid_range if the outputs at `a` and `b` overlap
inline void require_own_memory(const void* a, std::size_t a_bytes, const void* b,
                               std::size_t b_bytes) {
  if (!overlap(a, a_bytes, b, b_bytes)) return;
  throw_error<invalid_range>("warpfold: the outputs at ", a, " and ", b,
                             " overlap; pass outputs with memory of their own");
}

/// Checks each pair of outputs of `work` in this way. Each output is one piece of memory.
template <class Work>
void require_own_memory(const Work& work) {
  int i = 0;
  work.visit_written([&](const void* b, std::size_t b_bytes, std::size_t) {
    int j = 0;
    work.visit_written([&](const void* a, std::size_t a_bytes, std::size_t) {
      if (j++ < i) require_own_memory(a, a_bytes, b, b_bytes);
    });
    ++i;
  });
}

}  // namespace warpfold::detail
