/// @file
/// Traits of a caller's functions: their results, and whether they can run on the GPU.
#pragma once

#include <type_traits>
#include <utility>

#include <warpfold/core/config.hpp>
#include <warpfold/core/number.hpp>
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
template <class F, class... Arg>
concept takes = std::is_invocable_v<const F&, Arg...>;
template <class F, class... Arg>
concept takes_by_copy =
    !takes<F, Arg...> && std::is_copy_constructible_v<F> && std::is_invocable_v<F&, Arg...>;
template <class F, class T>
inline constexpr bool takes_elements = false;
template <class F, class... Ts>
inline constexpr bool takes_elements<F, tuple<Ts...>> =
    takes<F, const Ts&...> || takes_by_copy<F, const Ts&...>;
template <class F, class... Arg>
inline constexpr bool unpacks = false;
template <class F, class Arg>
inline constexpr bool unpacks<F, Arg> =
    !takes<F, Arg> && !takes_by_copy<F, Arg> && takes_elements<F, std::remove_cvref_t<Arg>>;

// The type that a function returns; no member `type` if it cannot be called.
template <class F, class... Arg>
struct call_result {};
template <class F, class... Arg>
  requires takes<F, Arg...>
struct call_result<F, Arg...> : std::invoke_result<const F&, Arg...> {};
template <class F, class... Arg>
  requires takes_by_copy<F, Arg...>
struct call_result<F, Arg...> : std::invoke_result<F&, Arg...> {};
template <class F, class... Ts>
struct call_result_of_elements;
template <class F, class... Ts>
struct call_result_of_elements<F, tuple<Ts...>> : call_result<F, const Ts&...> {};
template <class F, class Arg>
  requires unpacks<F, Arg>
struct call_result<F, Arg> : call_result_of_elements<F, std::remove_cvref_t<Arg>> {};
template <class F, class... Arg>
using call_result_t = typename call_result<F, Arg...>::type;

// True if `call` can call a function with arguments of these types. On the host it is unknown for a
// __device__-only lambda.
template <class F, class... Arg>
concept callable = requires { typename call_result<F, Arg...>::type; };

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

// Selects a data member. Views and ops keep this in place of a pointer of type `Member Struct::*`.
// In the host's launch code, nvcc 13.0 writes `::member ::structure::*` for the pointer's type. If
// the member is of a class or enum type, the host's compiler reads the name `member::structure`.
template <class Struct, class Member>
struct selected_member {
  // An alias: nvcc writes the member for the host's compiler, which warns of the parentheses around
  // the name of a pointer to a member.
  using pointer_type = Member Struct::*;
  pointer_type pointer;

  WARPFOLD_HD constexpr const Member& operator()(const Struct& x) const { return x.*pointer; }
};

// True if a function only selects a part of its argument and computes nothing.
template <class F>
inline constexpr bool only_selects = std::is_member_object_pointer_v<F>;
template <class Struct, class Member>
inline constexpr bool only_selects<selected_member<Struct, Member>> = true;

// The function object that views and ops keep for the caller's function.
template <class F>
constexpr const F& as_function_object(const F& f) {
  return f;
}
template <class Struct, class Member>
  requires(!std::is_function_v<Member>)
constexpr selected_member<Struct, Member> as_function_object(Member Struct::*const& pointer) {
  return {pointer};
}
template <class F>
using function_object_t =
    std::remove_cvref_t<decltype(as_function_object(std::declval<const F&>()))>;

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
template <class F, class... Ts, std::size_t... At>
WARPFOLD_HD constexpr decltype(auto) call_with_elements(const F& f, const tuple<Ts...>& x,
                                                        std::index_sequence<At...>);
/// @endcond

// Returns f(x...); the member of x if f points to a data member.
WARPFOLD_ANY_SIDE
template <class F, class... Arg>
WARPFOLD_HD constexpr decltype(auto) call(const F& f, const Arg&... x) {
  if constexpr (std::is_member_object_pointer_v<F>) {
    return (..., (x.*f));
  } else if constexpr (takes_by_copy<F, const Arg&...>) {
    F own = f;
    return static_cast<std::remove_cvref_t<call_result_t<F, const Arg&...>>>(own(x...));
  } else if constexpr (unpacks<F, const Arg&...>) {
    return (..., call_with_elements(f, x, std::make_index_sequence<std::tuple_size_v<Arg>>{}));
  } else {
    return f(x...);
  }
}

WARPFOLD_ANY_SIDE
template <class F, class... Ts, std::size_t... At>
WARPFOLD_HD constexpr decltype(auto) call_with_elements(const F& f, const tuple<Ts...>& x,
                                                        std::index_sequence<At...>) {
  return call(f, get<At>(x)...);
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

template <class F, class... Ts, std::size_t... At>
WARPFOLD_DEVICE void name_call_with_elements(const F& f, const tuple<Ts...>& x,
                                             std::index_sequence<At...>);

// nvcc's error for a function without __device__ has no line of the caller's, but shows the name of
// the function that makes the call: the remedy.
template <class F, class... Arg>
WARPFOLD_DEVICE void mark_the_called_function_host_device(F& f, const Arg&... x) {
  (void)f(x...);
}

// True if `f.name_user_functions(x...)` compiles. It must be a concept: nvcc can evaluate a
// `requires` expression in a __device__ function template to false (docs/compiler_bugs.md).
template <class F, class... Arg>
concept names_functions =
    requires(const std::remove_cvref_t<F>& f, const Arg&... x) { f.name_user_functions(x...); };

// Calls `f` where nvcc checks it: see kernel/body.hpp. A function object that forwards to
// the user's function calls that, with its own `name_user_functions`. Never executed.
template <class F, class... Arg>
WARPFOLD_DEVICE void name_call(const F& f, const Arg&... x) {
  if constexpr (names_functions<F, Arg...>) {
    f.name_user_functions(x...);
  } else if constexpr (takes_by_copy<F, const Arg&...>) {
    F own = f;
    mark_the_called_function_host_device(own, x...);
  } else if constexpr (unpacks<F, const Arg&...>) {
    (name_call_with_elements(f, x, std::make_index_sequence<std::tuple_size_v<Arg>>{}), ...);
  } else if constexpr (!std::is_member_object_pointer_v<F>) {
    mark_the_called_function_host_device(f, x...);
  }
}
template <class F, class... Ts, std::size_t... At>
WARPFOLD_DEVICE void name_call_with_elements(const F& f, const tuple<Ts...>& x,
                                             std::index_sequence<At...>) {
  name_call(f, get<At>(x)...);
}

// True if an expression of type `From` converts to `To` by a function that may be the user's.
// Conversions of 16-bit floats are CUDA's; their assembly would stay in the kernel.
template <class To, class From, class Value = std::remove_cvref_t<From>>
concept converts_by_function = ((std::is_class_v<To> && !is_number_v<To>) ||
                                (std::is_class_v<Value> && !is_number_v<Value>)) &&
                               !std::is_same_v<To, Value> && std::is_constructible_v<To, From>;

// Calls the user's conversion of an expression of type `From`, where nvcc checks it; see name_call.
template <class To, class From>
WARPFOLD_DEVICE void name_conversion(std::remove_reference_t<From>* x = nullptr) {
  if constexpr (converts_by_function<To, From>) (void)static_cast<To>(static_cast<From&&>(*x));
}

// The same for a function and the conversion of its result.
template <class To, class F, class... Arg>
WARPFOLD_DEVICE void name_call_as(const F& f, const Arg&... x) {
  name_call(f, x...);
  name_conversion<To, decltype(detail::call(f, x...))>();
}
#endif

// True if f(x) is a value that can be copied: neither void nor an array.
template <class F, class T>
concept gives_copyable =
    callable<F, const T&> && !std::is_member_function_pointer_v<F> &&
    std::is_copy_constructible_v<std::remove_cvref_t<call_result_t<F, const T&>>>;

// The function of transform_axis and transform_segments by default: the fold, called with the
// element.
struct call_fold {
  WARPFOLD_ANY_SIDE
  template <class T, class Fold>
    requires callable<const Fold&, const T&>
  WARPFOLD_HD constexpr auto operator()(const T& x, const Fold& folded) const {
    return folded(x);
  }
};

}  // namespace warpfold::detail
