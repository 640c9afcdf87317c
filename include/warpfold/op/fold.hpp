/// @file
/// The op as the kernels see it: a state that every thread can start from, and how states combine.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

#include <warpfold/core/config.hpp>
#include <warpfold/op/traits.hpp>

namespace warpfold {

/// Whether the code that combines two values of type `A` is long: an op says so with
/// `template <class A> static constexpr bool is_long = true`. Kernels then have it in few places, for a short launch is also
/// the time to fetch what it runs.
template <class Op, class A>
inline constexpr bool is_long_op = requires { requires Op::template is_long<A>; };

/// Folds values of type `A` with `Op`. A kernel keeps a `state` per thread and asks for four things:
/// `start()`, a state that has seen nothing; `state_of(a)`, one that has seen the value `a`;
/// `combine(s, t)`; and, at the end, `value(s)`.
///
/// With an identity the state is the value itself and `start()` is the identity.
template <class Op, class A, bool HasIdentity = op_traits<Op, A>::has_identity>
struct fold {
  using state = A;
  static constexpr bool is_long = is_long_op<Op, A>;
  Op op;

  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr A apply(const A& a, const A& b) const {
#if defined(__CUDA_ARCH__)
    static_assert(!detail::is_device_lambda<Op>() ||
                      detail::keeps_value<std::remove_cvref_t<decltype(op(a, b))>, A>(),
                  "warpfold: a __device__ lambda is taken to return its first argument's type, and "
                  "this one returns a wider one; make it __host__ __device__");
#endif
    return static_cast<A>(op(a, b));
  }

  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr state start() const { return op_traits<Op, A>::identity(op); }
  WARPFOLD_HD constexpr state state_of(const A& a) const { return a; }
  WARPFOLD_HD constexpr state combine(const state& s, const state& t) const { return apply(s, t); }
  WARPFOLD_HD constexpr const A& value(const state& s) const { return s; }
};

namespace detail {

// An integer of so many bytes, 8 at most: bytes of their own would be moved one by one.
template <std::size_t Bytes>
using mark_word = std::conditional_t<
    Bytes == 1, unsigned char,
    std::conditional_t<Bytes == 2, unsigned short,
                       std::conditional_t<Bytes == 4, unsigned, unsigned long long>>>;

}  // namespace detail

/// A value or nothing yet; trivially copyable, so it travels through shuffles and shared memory. Every byte
/// is written, padding too (the mark is as large as the alignment): libraries copy states word by word.
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

/// Folds the values of states that have all seen something: `combine` has nothing to ask.
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

/// Without an identity, one is adjoined: the state "nothing yet", which combines to the other state.
/// Only whole chunks are combined this way, so the test is paid once a chunk and not once an element.
template <class Op, class A>
struct fold<Op, A, false> {
  using state = maybe<A>;
  static constexpr bool is_long = is_long_op<Op, A>;
  Op op;

  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr A apply(const A& a, const A& b) const {
#if defined(__CUDA_ARCH__)
    static_assert(!detail::is_device_lambda<Op>() ||
                      detail::keeps_value<std::remove_cvref_t<decltype(op(a, b))>, A>(),
                  "warpfold: a __device__ lambda is taken to return its first argument's type, and "
                  "this one returns a wider one; make it __host__ __device__");
#endif
    return static_cast<A>(op(a, b));
  }

  WARPFOLD_HD constexpr state start() const { return state{}; }
  WARPFOLD_HD constexpr state state_of(const A& a) const { return state{a}; }
  WARPFOLD_HD constexpr state combine(const state& s, const state& t) const {
    if (!s.engaged()) return t;
    if (!t.engaged()) return s;
    return state{apply(s.value, t.value)};
  }
  WARPFOLD_HD constexpr const A& value(const state& s) const { return s.value; }
  WARPFOLD_HD constexpr value_fold<fold, A> of_values() const { return {*this}; }
};

/// Whether a fold's states may have seen nothing, and say so.
template <class Fold>
inline constexpr bool has_marks = requires(const Fold& f) { f.of_values(); };

/// An op that folds the states of several lanes all at once: `op.fold_states(states)`.
///
/// That is for ops that take long to combine two states and less to add up many. Of moments each pair takes a dozen steps
/// that wait for one another; all of a warp take two sums of what their means are apart from one of them, side by side. (An
/// H100, cold: moments of 16 MB 14.3 us, two by two 16.6; places of the greatest float of 64 KB 5.5, 7.0.)
/// `states` is collective/lane_states.hpp's: `first()`, `find(is)`, `projected(f)` and `fold(op)`. States that have seen
/// nothing are among them. Not asked of an op without an identity.
template <class Op, class States>
concept folds_states = requires(const Op& op, const States& states) { op.fold_states(states); };

}  // namespace warpfold
