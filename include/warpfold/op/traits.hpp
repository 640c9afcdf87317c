/// @file
/// What the library must know of an op besides how to call it: its identity, the type it
/// accumulates in, and, for CUDA's 16-bit floats and small vectors, how to treat their parts.
#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include <warpfold/config.hpp>

// Declared here and not included: cuda_fp16.h and cuda_bf16.h cost a quarter of a second each, and
// whoever has such an element has included them.
struct __half;
struct __nv_bfloat16;

namespace warpfold {

/// True for CUDA's 16-bit floating-point elements, which are summed in `float`.
template <class T>
inline constexpr bool is_half_v = std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

/// True for a number of the language or a 16-bit float.
template <class T>
inline constexpr bool is_number_v = std::is_arithmetic_v<T> || is_half_v<T>;

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

// What an op requires of its operands. op/operand_check.hpp has the compiler error for each; `call`: only that the op can
// be called.
enum class operand_need {
  call,
  addition,
  multiplication,
  order,
  number,
  floating_point,
  integer,
  truth
};

// False for every type: a static_assert on it fails only where its template is instantiated.
template <class T>
inline constexpr bool never = false;

// nvcc gives a __device__-only lambda no callable type on the host side, so its result cannot be
// asked for there.
template <class Op>
constexpr bool is_device_lambda() {
#if defined(__CUDACC_EXTENDED_LAMBDA__)
  return __nv_is_extended_device_lambda_closure_type(Op);
#else
  return false;
#endif
}

/// What op(a...) gives, decayed. A __device__-only lambda is taken to give its first argument's type.
template <class Op, class A, class... Rest>
struct op_result {
  using type = std::remove_cvref_t<std::invoke_result_t<const Op&, A, Rest...>>;
};
template <class Op, class A, class... Rest>
  requires(is_device_lambda<Op>())
struct op_result<Op, A, Rest...> {
  using type = std::remove_cvref_t<A>;
};
template <class Op, class A, class... Rest>
using op_result_t = typename op_result<Op, A, Rest...>::type;

/// Whether every value of `From` that a fold meets is kept by `To`: a number does not become a narrower
/// one. Asked of __device__-only lambdas in device code, where at last their results are known.
template <class From, class To>
constexpr bool keeps_value() {
  if constexpr (std::is_arithmetic_v<From> && std::is_arithmetic_v<To>) {
    return std::is_same_v<std::common_type_t<From, To>, To>;
  } else {
    return true;
  }
}

// f(x), or of a data member that member of x.
WARPFOLD_ANY_SIDE
template <class F, class T>
WARPFOLD_HD constexpr decltype(auto) call(const F& f, const T& x) {
  if constexpr (std::is_member_object_pointer_v<F>) {
    return (x.*f);
  } else {
    return f(x);
  }
}

#if defined(__CUDACC__)
// Whether a class computes on the GPU. libstdc++'s std::complex, known by its `__rep()`, does so in _Complex, of which nvcc 13.0
// makes nothing in device code: with --expt-relaxed-constexpr a sum has no addition in it.
template <class T>
WARPFOLD_HD constexpr bool computes_on_gpu() {
  constexpr bool is_standard_complex = requires(const T& x) { x.__rep(); };
  static_assert(!is_standard_complex,
                "warpfold: nvcc makes nothing of std::complex's arithmetic on the GPU; use "
                "cuda::std::complex, which lies in memory alike");
  return !is_standard_complex;
}

// Calls `f` where nvcc looks at what it is: see runtime/device_side.hpp. A function object that only hands on to the
// user's names that, by a member of its own. Never executed.
template <class F, class... X>
WARPFOLD_DEVICE void name_call(const F& f, const X&... x) {
  if constexpr (requires { f.name_user_functions(x...); }) {
    f.name_user_functions(x...);
  } else if constexpr (!std::is_member_object_pointer_v<F>) {
    (void)f(x...);
  }
}
#endif

// Whether f(x) is a value that can be copied: neither nothing nor an array.
template <class F, class T>
concept gives_copyable =
    std::is_invocable_v<const F&, const T&> && !std::is_member_function_pointer_v<F> &&
    std::is_copy_constructible_v<std::remove_cvref_t<std::invoke_result_t<const F&, const T&>>>;

template <class Op, class T>
constexpr auto accumulator_of() {
  if constexpr (requires { typename Op::template accumulator<T>; }) {
    return std::type_identity<typename Op::template accumulator<T>>{};
  } else if constexpr (is_device_lambda<Op>() || std::is_invocable_v<const Op&, T, T>) {
    return std::type_identity<op_result_t<Op, T, T>>{};
  } else {
    return std::type_identity<T>{};  // not a fold: reduce says so
  }
}

}  // namespace detail

/// The 64-bit type that sums integers of up to 64 bits, `float` for 16-bit floats, else `T`.
template <class T>
using wide_sum_t = typename detail::wide_sum<T>::type;

/// What the library knows of `Op` on elements of type `T`. Specialise it for an op that you cannot
/// change; an op of your own can say the same with members, all of them optional:
///
///     struct longest {
///       template <class T> using accumulator = T;              // the type to fold in
///       template <class T> T identity() const { return T{}; }  // op(identity, x) == x
///       __host__ __device__ T operator()(T a, T b) const;
///     };
///
/// - `accumulator`: the type of the fold and of the result when no init is given; without the
///   member, the type of `op(T, T)`.
/// - `has_identity`, `identity(op)`: without one, an empty range needs an init, else
///   `wf::empty_range` is thrown; everything else works just the same.
/// - `is_long`: whether the code of an `op(a, a)` is long; see op/fold.hpp.
///
/// An op that folds something else than elements has a member `lift(x)`, or `lift(x, i)` with the element's place, that
/// makes it of each (op/lift.hpp); the other members are then asked about what it makes, and `finish(a)`, if there is one,
/// makes the result that `reduce` gives.
template <class Op, class T>
struct op_traits {
  using accumulator = typename decltype(detail::accumulator_of<Op, T>())::type;
  static constexpr bool has_identity = requires(const Op& op) { op.template identity<T>(); };

  WARPFOLD_ANY_SIDE
  static WARPFOLD_HD constexpr T identity(const Op& op)
    requires has_identity
  {
    return op.template identity<T>();
  }
};

/// Whether an op never compares its operands. Computed elements of such an op need no guard (op/in_register.hpp). False by
/// default, which is always safe. Specialize it as true for an op of your own that only adds, for example.
template <class Op>
inline constexpr bool never_compares = false;

/// An op that says that runs of up to `partial_run` elements of type `T` may be folded in a type narrower
/// than the accumulator `A`: `plus::partial`.
template <class Op, class T, class A>
concept folds_partially = std::is_integral_v<A> && sizeof(A) == 8 && requires {
  requires std::is_same_v<typename Op::exactly, Op>;  // not an op derived from one that does
  typename Op::template partial<T>;
  Op::partial_run;
};

/// An op that says how many neighbours of type `T` it folds without loss in a type narrower than the accumulator `A`:
/// `multiplies::group`.
template <class Op, class T, class A>
concept folds_groups = std::is_integral_v<A> && sizeof(A) == 8 && requires {
  requires std::is_same_v<typename Op::exactly, Op>;
  typename Op::template group<T>;
  Op::template in_group<T>;
};

/// An op that can fold values of type `A`: `op(A, A)` gives something that converts to `A`.
template <class Op, class A>
concept reduction_op = detail::is_device_lambda<Op>() ||
                       requires(const Op& op, const A& a) { static_cast<A>(op(a, a)); };

/// Any callable, with an identity given beside it.
template <class Op, class T>
struct op_with_identity {
  template <class U>
  using accumulator = typename op_traits<Op, U>::accumulator;

  Op op;
  T value;

  template <class U>
    requires std::is_convertible_v<T, U>
  WARPFOLD_HD constexpr U identity() const {
    return static_cast<U>(value);
  }

  WARPFOLD_ANY_SIDE
  template <class A, class B>
  WARPFOLD_HD constexpr auto operator()(const A& a, const B& b) const -> decltype(op(a, b)) {
    return op(a, b);
  }

  WARPFOLD_ANY_SIDE
  template <class X, class O = Op>
    requires requires(const O& o, const X& x) { o.lift(x); }
  WARPFOLD_HD constexpr auto lift(const X& x) const {
    return op.lift(x);
  }
  WARPFOLD_ANY_SIDE
  template <class X, class O = Op>
    requires requires(const O& o, const X& x, std::size_t i) { o.lift(x, i); }
  WARPFOLD_HD constexpr auto lift(const X& x, std::size_t i) const {
    return op.lift(x, i);
  }
  WARPFOLD_ANY_SIDE
  template <class A, class O = Op>
    requires requires(const O& o, const A& a) { o.finish(a); }
  WARPFOLD_HD constexpr auto finish(const A& a) const {
    return op.finish(a);
  }
};

template <class Op, class T>
inline constexpr bool never_compares<op_with_identity<Op, T>> = never_compares<Op>;

/// Gives a lambda or functor an identity, and changes nothing else about it: `with_identity(longer, text{})`. An empty range then
/// yields that identity, and the kernels need not track which threads hold a value.
template <class Op, class T>
WARPFOLD_HD constexpr op_with_identity<Op, T> with_identity(Op op, T identity) {
  return {op, identity};
}

}  // namespace warpfold
