/// @file
/// needs: cccl
/// The op and the types of CUB's reductions, as an op of this library.
///
/// Includes CCCL by design: code for CUB passes function objects of `cuda::std` and `cuda`.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20

#include <concepts>
#include <type_traits>

#include <cuda/functional>
#include <cuda/std/functional>

#include <warpfold/core/callable.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/op/bitwise.hpp>
#include <warpfold/op/extrema.hpp>
#include <warpfold/op/ignoring_nan.hpp>
#include <warpfold/op/multiplies.hpp>
#include <warpfold/op/plus.hpp>

namespace warpfold::detail::cub_calls {

/// The type in which CUB reduces elements of type `T` from an init: the decayed type of
/// `op(init, x)`.
template <class Op, class T, class Init>
using cub_accumulator_t =
    std::remove_cvref_t<::warpfold::detail::call_result_t<Op, const Init&, const T&>>;

/// Any op of the caller, on values of type `A`. The op's own members do not count: only its call
/// does, as in CUB.
template <class Op, class A>
struct op_on {
  template <class>
  using accumulator = A;

  Op op;

  WARPFOLD_ANY_SIDE
  WARPFOLD_HD constexpr A operator()(const A& a, const A& b) const {
    return static_cast<A>(::warpfold::detail::call(op, a, b));
  }

#if defined(__CUDACC__)
  /// The caller's function: see kernel/body.hpp.
  WARPFOLD_DEVICE void name_user_functions(const A& a, const A& b) const {
    ::warpfold::detail::name_call_as<A>(op, a, b);
  }
#endif
};

/// As the newest CUB, minima and maxima of floating-point numbers ignore NaN.
template <class Extremum, class A>
using cub_extremum_t =
    std::conditional_t<std::is_integral_v<A>, Extremum, ignoring_nan_op<Extremum>>;

/// The same for `float`: one instruction on the GPU, which also orders -0 before +0.
template <class Extremum>
struct float_extremum : ignoring_nan_op<Extremum> {
  WARPFOLD_HD constexpr float operator()(float a, float b) const {
#if defined(__CUDA_ARCH__)
    float r;
    if constexpr (std::is_same_v<Extremum, minimum>) {
      asm("min.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    } else {
      asm("max.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
    }
    return r;
#else
    return ignoring_nan_op<Extremum>{}(a, b);
#endif
  }
};

/// An op of this library in place of the caller's.
template <class Op>
struct library_op {
  using type = Op;
  template <class Theirs>
  static constexpr Op make(const Theirs&) {
    return {};
  }
};

/// The op that reduces values of type `A` as `Op` does. For CCCL's function objects on numbers it
/// is the library's own op, which has faster kernels and an identity; otherwise it is `op_on<Op,
/// A>`.
template <class Op, class A>
struct cub_op {
  using type = op_on<Op, A>;
  static constexpr type make(const Op& op) { return {op}; }
};

// True if `Ours` returns the type that `plus<U>` and its like return for numbers of type `A`.
template <class Ours, class U, class A>
concept replaces = is_number_v<A> && (std::is_void_v<U> || std::is_same_v<U, A>) &&
                   std::is_same_v<::warpfold::detail::op_result_t<Ours, A, A>, A>;

template <class Extremum, class A>
using cub_extremum_op_t = std::conditional_t<std::is_same_v<A, float>, float_extremum<Extremum>,
                                             cub_extremum_t<Extremum, A>>;

template <class U, class A>
  requires replaces<plus, U, A>
struct cub_op<::cuda::std::plus<U>, A> : library_op<plus> {};
template <class U, class A>
  requires replaces<multiplies, U, A>
struct cub_op<::cuda::std::multiplies<U>, A> : library_op<multiplies> {};
template <class U, class A>
  requires replaces<minimum, U, A>
struct cub_op<::cuda::minimum<U>, A> : library_op<cub_extremum_op_t<minimum, A>> {};
template <class U, class A>
  requires replaces<maximum, U, A>
struct cub_op<::cuda::maximum<U>, A> : library_op<cub_extremum_op_t<maximum, A>> {};
template <class U, class A>
  requires(std::is_integral_v<A> && replaces<bit_and, U, A>)
struct cub_op<::cuda::std::bit_and<U>, A> : library_op<bit_and> {};
template <class U, class A>
  requires(std::is_integral_v<A> && replaces<bit_or, U, A>)
struct cub_op<::cuda::std::bit_or<U>, A> : library_op<bit_or> {};
template <class U, class A>
  requires(std::is_integral_v<A> && replaces<bit_xor, U, A>)
struct cub_op<::cuda::std::bit_xor<U>, A> : library_op<bit_xor> {};

}  // namespace warpfold::detail::cub_calls
