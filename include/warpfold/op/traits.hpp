/// @file
/// The properties of an op besides its call: its identity, its accumulator, and how it may be
/// folded.
#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include <warpfold/core/callable.hpp>
#include <warpfold/core/number.hpp>

namespace warpfold {

namespace detail {

template <class T, class = void>
struct wide_sum {
  using type = T;
};
template <class T>
struct wide_sum<T, std::enable_if_t<std::is_integral_v<T> && (sizeof(T) <= 8)>> {
  using type = std::conditional_t<std::is_signed_v<T> || std::is_same_v<T, bool>, long long,
                                  unsigned long long>;
};
template <class T>
struct wide_sum<T, std::enable_if_t<is_half_v<T>>> {
  using type = float;
};
// long and long long are distinct types of one size: a sum of long stays long.
template <>
struct wide_sum<long> {
  using type = long;
};
template <>
struct wide_sum<unsigned long> {
  using type = unsigned long;
};
template <class T>
struct wide_sum<T, std::enable_if_t<std::is_enum_v<T>>> : wide_sum<std::underlying_type_t<T>> {};

// The requirement of an op on its operands. op/operand_check.hpp has the compiler error for each;
// `call`: only that the op can be called; `nothing`: another error has been reported.
enum class operand_need {
  nothing,
  call,
  addition,
  multiplication,
  order,
  number,
  floating_point,
  integer,
  truth
};

template <class Op, class T>
constexpr auto accumulator_of() {
  if constexpr (requires { typename Op::template accumulator<T>; }) {
    return std::type_identity<typename Op::template accumulator<T>>{};
  } else if constexpr (is_device_lambda<Op>() || callable<Op, T, T>) {
    return std::type_identity<op_result_t<Op, T, T>>{};
  } else {
    return std::type_identity<T>{};  // reported by reduce
  }
}

}  // namespace detail

namespace detail {
// True if an identity of type `From` can be that of a fold in `To`. No integer is an infinity.
template <class From, class To>
inline constexpr bool converts_identity =
    std::is_convertible_v<From, To> &&
    !(std::is_floating_point_v<std::remove_cvref_t<From>> && std::is_integral_v<To>);
}  // namespace detail

/// The type that sums `T`: 64 bits for integers of up to 64 bits, `float` for 16-bit floats,
/// otherwise `T`.
template <class T>
using wide_sum_t = typename detail::wide_sum<T>::type;

/// The properties of `Op` on elements of type `T`. Specialize it for an op that you cannot change.
/// Your own op can state the same with optional members:
///
///     struct longest {
///       template <class T> using accumulator = T;  // the type to fold in
///       template <class T>
///       __host__ __device__ T identity() const { return T{}; }  // op(identity, x) == x
///       __host__ __device__ T operator()(T a, T b) const;
///     };
///
/// - `accumulator`: the type of the fold, and of the result if no init is given; the default is the
///   type of `op(T, T)`.
/// - `has_identity`, `identity(op)`: without an identity, an empty range needs an init or throws
///   `wf::empty_range`. An op for one type may have a member `identity()` that is not a template.
/// - `is_long`: true if the code of `op(a, a)` is long; see op/fold.hpp.
///
/// An op with a member `lift(x)`, or `lift(x, i)` with the element's index, folds the values that
/// `lift` returns (op/lift.hpp). The other members then apply to that type. If the op has
/// `finish(a)`, it computes the result that `reduce` returns.
template <class Op, class T>
struct op_traits {
  using accumulator = typename decltype(detail::accumulator_of<Op, T>())::type;
  static constexpr bool has_identity = requires(const Op& op) { op.template identity<T>(); } ||
                                       requires(const Op& op) { op.identity(); };

  WARPFOLD_ANY_SIDE
  static WARPFOLD_HD constexpr T identity(const Op& op)
    requires has_identity
  {
    if constexpr (requires { op.template identity<T>(); }) {
      return op.template identity<T>();
    } else {
      constexpr bool converts = detail::converts_identity<decltype(op.identity()), T>;
      static_assert(converts,
                    "warpfold: the op's identity() does not convert to the type that the op "
                    "folds in; return that type, or make identity a template of it");
      if constexpr (converts) {
        return static_cast<T>(op.identity());
      } else {
        __builtin_unreachable();
      }
    }
  }
};

#if defined(__CUDACC__)
namespace detail {
// Calls the user's function that gives the identity, where nvcc checks it: see kernel/body.hpp.
template <class A, class Op>
WARPFOLD_DEVICE void name_identity(const Op& op) {
  if constexpr (requires { op.template identity<A>(); }) {
    (void)op.template identity<A>();
    name_conversion<A, decltype(op.template identity<A>())>();
  } else if constexpr (requires { op.identity(); }) {
    (void)op.identity();
    name_conversion<A, decltype(op.identity())>();
  } else if constexpr (op_traits<Op, A>::has_identity) {
    (void)op_traits<Op, A>::identity(op);
  }
}
// Defined in op/lift.hpp.
template <class Op, class T>
WARPFOLD_DEVICE void name_lift(const Op& op, const T& x);
template <class Op, class A>
WARPFOLD_DEVICE void name_finish(const Op& op, const A& a);
}  // namespace detail
#endif

/// True if an op never compares its operands. Computed elements of such an op need no guard
/// (op/in_register.hpp). False by default, which is always safe. Specialize it as true for your own
/// op that only adds, for example.
template <class Op>
inline constexpr bool never_compares = false;

/// True if folds of `A`s by `Op` have the same result in any order: sums of integers, minima,
/// maxima. Such folds take the fastest order, others the declared one (op/fold_order.hpp). False by
/// default, which is always safe. Specialize it as true for such an op of your own.
template <class Op, class A>
inline constexpr bool same_in_any_order = false;

namespace detail {

// True if an op has a member `fold_batch` (op/lift.hpp), also a template.
// `&named_twice<Op>::fold_batch` is then ambiguous.
struct has_fold_batch {
  void fold_batch();
};
template <class Op>
struct named_twice : Op, has_fold_batch {};

template <class Op>
inline constexpr bool names_fold_batch = [] {
  if constexpr (std::is_class_v<Op> && !std::is_final_v<Op>) {
    return !requires { &named_twice<Op>::fold_batch; };
  } else {
    return false;
  }
}();
template <class Op>
  requires requires { requires !std::is_same_v<typename Op::exactly, Op>; }
inline constexpr bool names_fold_batch<Op> = false;  // it inherits that of another op

}  // namespace detail

/// An op that may fold up to `partial_batch` elements of type `T` in a type narrower than the
/// accumulator `A`: `plus::partial`.
template <class Op, class T, class A>
concept folds_partially = std::is_integral_v<A> && sizeof(A) == 8 && requires {
  requires std::is_same_v<typename Op::exactly, Op>;  // not an op derived from one that does
  typename Op::template partial<T>;
  Op::partial_batch;
};

/// An op that folds a group of adjacent elements of type `T` without loss in a type narrower than
/// the accumulator `A`: `multiplies::group`.
template <class Op, class T, class A>
concept folds_groups = std::is_integral_v<A> && sizeof(A) == 8 && requires {
  requires std::is_same_v<typename Op::exactly, Op>;
  typename Op::template group<T>;
  Op::template in_group<T>;
};

/// Any callable together with an identity.
template <class Op, class T>
struct op_with_identity {
  template <class U>
  using accumulator = typename op_traits<Op, U>::accumulator;

  Op op;
  T value;

  template <class U>
  WARPFOLD_HD constexpr U identity() const {
    constexpr bool converts = detail::converts_identity<T, U>;
    static_assert(converts,
                  "warpfold: with_identity was given a value that does not convert to the op's "
                  "accumulator; pass a value of the type that the op returns");
    if constexpr (converts) {
      return static_cast<U>(value);
    } else {
      __builtin_unreachable();
    }
  }

  WARPFOLD_ANY_SIDE
  template <class A, class B>
  WARPFOLD_HD constexpr auto operator()(const A& a, const B& b) const
    requires detail::callable<Op, const A&, const B&>
  {
    return detail::call(op, a, b);
  }

  WARPFOLD_ANY_SIDE
  template <class Element, class Lifting = Op>
    requires requires(const Lifting& o, const Element& x) { o.lift(x); }
  WARPFOLD_HD constexpr auto lift(const Element& x) const {
    return op.lift(x);
  }
  WARPFOLD_ANY_SIDE
  template <class Element, class Lifting = Op>
    requires requires(const Lifting& o, const Element& x, std::size_t i) { o.lift(x, i); }
  WARPFOLD_HD constexpr auto lift(const Element& x, std::size_t i) const {
    return op.lift(x, i);
  }
  WARPFOLD_ANY_SIDE
  template <class A, class Lifting = Op>
    requires requires(const Lifting& o, const A& a) { o.finish(a); }
  WARPFOLD_HD constexpr auto finish(const A& a) const {
    return op.finish(a);
  }

#if defined(__CUDACC__)
  template <class A>
  WARPFOLD_DEVICE void name_user_functions(const A& a, const A& b) const {
    detail::name_call(op, a, b);
    detail::name_conversion<A, const T&>();
  }
  template <class Element>
  WARPFOLD_DEVICE void name_lift(const Element& x) const {
    detail::name_lift(op, x);
  }
  template <class A>
  WARPFOLD_DEVICE void name_finish(const A& a) const {
    detail::name_finish(op, a);
  }
#endif
};

template <class Op, class T>
inline constexpr bool never_compares<op_with_identity<Op, T>> = never_compares<Op>;
template <class Op, class T, class A>
inline constexpr bool same_in_any_order<op_with_identity<Op, T>, A> = same_in_any_order<Op, A>;

/// Returns an op that calls `op` and has the identity `identity`: `with_identity(longer, text{})`.
/// An empty range then returns the identity, and kernels need not track which threads hold a value.
///
/// Does not compile if `identity` does not convert to the accumulator.
///
/// @param op a lambda or function object
/// @param identity a value with `op(identity, x) == x` for all x
template <class Op, class T>
WARPFOLD_HD constexpr op_with_identity<Op, T> with_identity(Op op, T identity) {
  static_assert(!std::is_arithmetic_v<Op>,
                "warpfold: a number stands where the op goes; call with_identity(op, value)");
  return {op, identity};
}

}  // namespace warpfold
