/// @file
/// Traits of a caller's functions: their results, and whether they can run on the GPU.
#pragma once

#include <type_traits>

#include <warpfold/core/config.hpp>
#include <warpfold/core/tuple.hpp>

namespace warpfold::detail {

// False for every type: a static_assert on it fails only where its template is instantiated.
template <class T>
inline constexpr bool never = false;

// nvcc gives a __device__-only lambda no callable type on the host side, so its result type is
// unknown there.
template <class Op>
constexpr bool is_device_lambda() {
#if defined(__CUDACC_EXTENDED_LAMBDA__)
  return __nv_is_extended_device_lambda_closure_type(Op);
#else
  return false;
#endif
}

// How a function is called. Its call operator may be not const: each call then gets a copy of its
// own, as in Thrust. A function that does not take a tuple, the element of a zip, may take the
// tuple's elements as its arguments.
template <class F, class... X>
concept takes = std::is_invocable_v<const F&, X...>;
template <class F, class... X>
concept takes_by_copy =
    !takes<F, X...> && std::is_copy_constructible_v<F> && std::is_invocable_v<F&, X...>;
template <class F, class T>
inline constexpr bool takes_elements = false;
template <class F, class... Ts>
inline constexpr bool takes_elements<F, tuple<Ts...>> =
    takes<F, const Ts&...> || takes_by_copy<F, const Ts&...>;
template <class F, class... X>
inline constexpr bool unpacks = false;
template <class F, class X>
inline constexpr bool unpacks<F, X> =
    !takes<F, X> && !takes_by_copy<F, X> && takes_elements<F, std::remove_cvref_t<X>>;

// The type that a function returns; no member `type` if it cannot be called.
template <class F, class... X>
struct call_result {};
template <class F, class... X>
  requires takes<F, X...>
struct call_result<F, X...> : std::invoke_result<const F&, X...> {};
template <class F, class... X>
  requires takes_by_copy<F, X...>
struct call_result<F, X...> : std::invoke_result<F&, X...> {};
template <class F, class... Ts>
struct call_result_of_elements;
template <class F, class... Ts>
struct call_result_of_elements<F, tuple<Ts...>> : call_result<F, const Ts&...> {};
template <class F, class X>
  requires unpacks<F, X>
struct call_result<F, X> : call_result_of_elements<F, std::remove_cvref_t<X>> {};
template <class F, class... X>
using call_result_t = typename call_result<F, X...>::type;

// True if `call` can call a function with arguments of these types. The host does not know it of a
// __device__-only lambda.
template <class F, class... X>
concept callable = requires { typename call_result<F, X...>::type; };

/// The decayed type of op(a...). A __device__-only lambda is assumed to return its first argument's
/// type.
template <class Op, class A, class... Rest>
struct op_result {
  using type = std::remove_cvref_t<call_result_t<Op, A, Rest...>>;
};
template <class Op, class A, class... Rest>
  requires(is_device_lambda<Op>())
struct op_result<Op, A, Rest...> {
  using type = std::remove_cvref_t<A>;
};
template <class Op, class A, class... Rest>
using op_result_t = typename op_result<Op, A, Rest...>::type;

/// True if converting a `From` to `To` does not narrow a number. Checked for __device__-only
/// lambdas in device code, where their result types are known.
template <class From, class To>
constexpr bool keeps_value() {
  if constexpr (std::is_arithmetic_v<From> && std::is_arithmetic_v<To>) {
    return std::is_same_v<std::common_type_t<From, To>, To>;
  } else {
    return true;
  }
}

// True if the host knows the return type of `F`: `Known`. If not, an error says what to do.
template <class F, bool Known>
WARPFOLD_HD constexpr bool check_known_result() {
  static_assert(Known,
                "warpfold: the host does not know the type that this __device__ lambda returns; "
                "mark the lambda __host__ __device__, or use cuda::proclaim_return_type");
  return Known;
}

/// @cond  Doxygen does not find the definition of this
WARPFOLD_ANY_SIDE
template <class F, class... Ts, std::size_t... I>
WARPFOLD_HD constexpr decltype(auto) call_with_elements(const F& f, const tuple<Ts...>& x,
                                                        std::index_sequence<I...>);
/// @endcond

// Returns f(x...); the member of x if f points to a data member.
WARPFOLD_ANY_SIDE
template <class F, class... X>
WARPFOLD_HD constexpr decltype(auto) call(const F& f, const X&... x) {
  if constexpr (std::is_member_object_pointer_v<F>) {
    return (..., (x.*f));
  } else if constexpr (takes_by_copy<F, const X&...>) {
    F own = f;
    return static_cast<std::remove_cvref_t<call_result_t<F, const X&...>>>(own(x...));
  } else if constexpr (unpacks<F, const X&...>) {
    return (..., call_with_elements(f, x, std::make_index_sequence<std::tuple_size_v<X>>{}));
  } else {
    return f(x...);
  }
}

WARPFOLD_ANY_SIDE
template <class F, class... Ts, std::size_t... I>
WARPFOLD_HD constexpr decltype(auto) call_with_elements(const F& f, const tuple<Ts...>& x,
                                                        std::index_sequence<I...>) {
  return call(f, get<I>(x)...);
}

#if defined(__CUDACC__)
// True if a class can compute on the GPU. libstdc++'s std::complex, recognized by its `__rep()`,
// computes in _Complex, for which nvcc 13.0 generates no device code. With --expt-relaxed-constexpr
// it silently drops the addition of a sum.
template <class T>
WARPFOLD_HD constexpr bool computes_on_gpu() {
  constexpr bool is_standard_complex = requires(const T& x) { x.__rep(); };
  static_assert(!is_standard_complex,
                "warpfold: nvcc generates no device code for std::complex; use cuda::std::complex, "
                "which has the same layout");
  return !is_standard_complex;
}

template <class F, class... Ts, std::size_t... I>
WARPFOLD_DEVICE void name_call_with_elements(const F& f, const tuple<Ts...>& x,
                                             std::index_sequence<I...>);

// nvcc's error for a function without __device__ has no line of the caller's, but shows the name of
// the function that makes the call: the remedy.
template <class F, class... X>
WARPFOLD_DEVICE void mark_the_called_function_host_device(F& f, const X&... x) {
  (void)f(x...);
}

// Calls `f` where nvcc checks it: see kernel/body.hpp. A function object that forwards to
// the user's function calls that, with its own `name_user_functions`. Never executed.
template <class F, class... X>
WARPFOLD_DEVICE void name_call(const F& f, const X&... x) {
  if constexpr (requires { f.name_user_functions(x...); }) {
    f.name_user_functions(x...);
  } else if constexpr (takes_by_copy<F, const X&...>) {
    F own = f;
    mark_the_called_function_host_device(own, x...);
  } else if constexpr (unpacks<F, const X&...>) {
    (name_call_with_elements(f, x, std::make_index_sequence<std::tuple_size_v<X>>{}), ...);
  } else if constexpr (!std::is_member_object_pointer_v<F>) {
    mark_the_called_function_host_device(f, x...);
  }
}
template <class F, class... Ts, std::size_t... I>
WARPFOLD_DEVICE void name_call_with_elements(const F& f, const tuple<Ts...>& x,
                                             std::index_sequence<I...>) {
  name_call(f, get<I>(x)...);
}

// Calls the element's own conversion to the accumulator, if it has one.
template <class Accumulator, class T>
WARPFOLD_DEVICE void name_conversion(const T* x) {
  if constexpr (std::is_class_v<T> && !std::is_same_v<T, Accumulator> &&
                requires { static_cast<Accumulator>(*x); }) {
    (void)static_cast<Accumulator>(*x);
  }
}
#endif

// True if f(x) is a value that can be copied: neither void nor an array.
template <class F, class T>
concept gives_copyable =
    callable<F, const T&> && !std::is_member_function_pointer_v<F> &&
    std::is_copy_constructible_v<std::remove_cvref_t<call_result_t<F, const T&>>>;

}  // namespace warpfold::detail
