/// @file
/// What the library asks about a caller's functions: their results, and whether they can run on the GPU.
#pragma once

#include <type_traits>

#include <warpfold/core/config.hpp>

namespace warpfold::detail {

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

// Calls `f` where nvcc looks at what it is: see kernel/body.hpp. A function object that only hands on to the
// user's names that, by a member of its own. Never executed.
template <class F, class... X>
WARPFOLD_DEVICE void name_call(const F& f, const X&... x) {
  if constexpr (requires { f.name_user_functions(x...); }) {
    f.name_user_functions(x...);
  } else if constexpr (!std::is_member_object_pointer_v<F>) {
    (void)f(x...);
  }
}

// The conversion of an element's own, if it has one, to what is accumulated.
template <class Accumulator, class T>
WARPFOLD_DEVICE void name_conversion(const T* x) {
  if constexpr (std::is_class_v<T> && !std::is_same_v<T, Accumulator> &&
                requires { static_cast<Accumulator>(*x); }) {
    (void)static_cast<Accumulator>(*x);
  }
}
#endif

// Whether f(x) is a value that can be copied: neither nothing nor an array.
template <class F, class T>
concept gives_copyable =
    std::is_invocable_v<const F&, const T&> && !std::is_member_function_pointer_v<F> &&
    std::is_copy_constructible_v<std::remove_cvref_t<std::invoke_result_t<const F&, const T&>>>;

}  // namespace warpfold::detail
