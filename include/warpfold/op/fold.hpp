/// @file
/// The op as kernels use it: a state that every thread can start from, and how states combine.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include <warpfold/core/config.hpp>
#include <warpfold/op/concept.hpp>

namespace warpfold {

/// True if the code that combines two values of type `A` is long. An op declares this with
/// `template <class A> static constexpr bool is_long = true`. Kernels then contain the code in few
/// copies, because a short launch spends time on fetching instructions.
template <class Op, class A>
inline constexpr bool is_long_op = requires { requires Op::template is_long<A>; };

/// Folds values of type `A` with `Op`. A kernel keeps one `state` per thread and calls four
/// functions: `start()` returns the state before any element, `state_of(a)` the state of one value,
/// `combine(s, t)` the state of both, and `value(s)` the final value.
///
/// With an identity the state is the value itself, and `start()` is the identity.
template <class Op, class A, bool HasIdentity = op_traits<Op, A>::has_identity>
struct fold {
  using state = A;
  static constexpr bool is_long = is_long_op<Op, A>;
  Op op;

  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr A apply(const A& a, const A& b) const {
#if defined(__CUDA_ARCH__)
    using result = std::remove_cvref_t<detail::call_result_t<Op, const A&, const A&>>;
    constexpr bool keeps = !detail::is_device_lambda<Op>() || detail::keeps_value<result, A>();
    [[maybe_unused]] constexpr bool known = detail::check_known_result<Op, keeps>();
#endif
    return static_cast<A>(detail::call(op, a, b));
  }

  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr state start() const { return op_traits<Op, A>::identity(op); }
  WARPFOLD_HD constexpr state state_of(const A& a) const { return a; }
  WARPFOLD_HD constexpr state combine(const state& s, const state& t) const { return apply(s, t); }
  WARPFOLD_HD constexpr const A& value(const state& s) const { return s; }
};

namespace detail {

// An integer of `Bytes` bytes, at most 8: single bytes would be moved one by one.
template <std::size_t Bytes>
using mark_word = std::conditional_t<
    Bytes == 1, unsigned char,
    std::conditional_t<Bytes == 2, unsigned short,
                       std::conditional_t<Bytes == 4, unsigned, unsigned long long>>>;

/// An optional value, trivially copyable, so it can be shuffled and stored in shared memory. Every
/// byte is written, including padding (the mark is as large as the alignment), because other
/// libraries copy states word by word.
template <class A>
struct maybe {
  using word = detail::mark_word<alignof(A)>;

  union {
    A value;
    unsigned char nothing[sizeof(A)];
  };
  word mark[alignof(A) / sizeof(word)];

  WARPFOLD_HD constexpr maybe() : nothing{}, mark{} {}
  WARPFOLD_HD constexpr explicit maybe(const A& a) : value(a), mark{1} {}

  WARPFOLD_HD constexpr bool engaged() const { return mark[0] != 0; }
};

/// Folds the values of states that all hold one: `combine` needs no test.
template <class Fold, class A>
struct value_fold {
  using state = A;
  static constexpr bool is_long = Fold::is_long;
  const Fold& of;

  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr state combine(const state& s, const state& t) const {
    return of.apply(s, t);
  }
};

}  // namespace detail

/// Without an identity, the state is optional, and an empty state combines to the other state. Only
/// whole chunks are combined this way, so the test costs once per chunk, not per element.
template <class Op, class A>
struct fold<Op, A, false> {
  using state = detail::maybe<A>;
  static constexpr bool is_long = is_long_op<Op, A>;
  Op op;

  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr A apply(const A& a, const A& b) const {
#if defined(__CUDA_ARCH__)
    using result = std::remove_cvref_t<detail::call_result_t<Op, const A&, const A&>>;
    constexpr bool keeps = !detail::is_device_lambda<Op>() || detail::keeps_value<result, A>();
    [[maybe_unused]] constexpr bool known = detail::check_known_result<Op, keeps>();
#endif
    return static_cast<A>(detail::call(op, a, b));
  }

  WARPFOLD_HD constexpr state start() const { return state{}; }
  WARPFOLD_HD constexpr state state_of(const A& a) const { return state{a}; }
  WARPFOLD_HD constexpr state combine(const state& s, const state& t) const {
    if (!s.engaged()) return t;
    if (!t.engaged()) return s;
    return state{apply(s.value, t.value)};
  }
  WARPFOLD_HD constexpr const A& value(const state& s) const { return s.value; }
  WARPFOLD_HD constexpr detail::value_fold<fold, A> of_values() const { return {*this}; }
};

/// True if a fold's states may be empty.
template <class Fold>
inline constexpr bool has_marks = requires(const Fold& f) { f.of_values(); };

namespace detail {

/// An op that folds the states of the lanes of a warp, or of a group of lanes, at once:
/// `op.fold_states(states)`.
///
/// Useful if combining two states takes many dependent steps, while adding up many takes few. H100,
/// cold, by pairs -> at once: index of the greatest float of 64 KB 7.0 -> 5.5 us. Folds in the
/// declared order do not call it.
///
/// `states` is that of collective/lane_states.hpp: `first()`, `find(is)`, `projected(f)` and
/// `fold(op)`. Some states may be those of no elements. Called for ops with an identity only.
template <class Op, class States>
concept folds_states = requires(const Op& op, const States& states) { op.fold_states(states); };

}  // namespace detail

}  // namespace warpfold
