/// @file
/// The op as the kernels see it: a state that every thread can start from, and how states combine.
#pragma once

#include <new>

#include <warpfold/config.hpp>
#include <warpfold/op/traits.hpp>

namespace warpfold {

/// Folds values of type `A` with `Op`. A kernel keeps a `state` per thread and asks for four things:
/// `start()`, a state that has seen nothing; `state_of(a)`, one that has seen the value `a`;
/// `combine(s, t)`; and, at the end, `value(s)`.
///
/// With an identity the state is the value itself and `start()` is the identity.
template <class Op, class A, bool HasIdentity = op_traits<Op, A>::has_identity>
struct fold {
  using state = A;
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

/// A value or nothing yet; trivially copyable, so it travels through shuffles and shared memory. Every byte
/// is written, padding too (the mark is as large as the alignment): libraries copy states word by word.
template <class A>
struct maybe {
  union {
    A value;
    unsigned char nothing[sizeof(A)];
  };
  unsigned char mark[alignof(A)];

  WARPFOLD_HD constexpr maybe() : nothing{}, mark{} {}
  WARPFOLD_HD constexpr explicit maybe(const A& a) : value(a), mark{1} {}

  WARPFOLD_HD constexpr bool engaged() const { return mark[0] != 0; }
};

/// Without an identity, one is adjoined: the state "nothing yet", which combines to the other state.
/// Only whole chunks are combined this way, so the test is paid once a chunk and not once an element.
template <class Op, class A>
struct fold<Op, A, false> {
  using state = maybe<A>;
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
};

}  // namespace warpfold
