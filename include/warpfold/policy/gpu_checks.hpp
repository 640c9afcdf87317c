/// @file
/// needs: cuda
/// The checks that every GPU policy makes before it starts anything.
#pragma once

#include <warpfold/core/callable.hpp>
#include <warpfold/runtime/capture.hpp>
#include <warpfold/runtime/reachable.hpp>
#include <warpfold/runtime/stream.hpp>
#include <warpfold/runtime/workspace.hpp>
#include <warpfold/work/kinds.hpp>
#include <warpfold/work/reduction.hpp>

namespace warpfold {

namespace detail {

// True if `F` is the type of a lambda that nvcc does not accept in a kernel. nvcc has no trait for
// such a lambda, so this reads the type's name: the front end writes "F = lambda [](int)->int" for
// every lambda.
template <class F>
constexpr bool is_plain_lambda() {
#if defined(__CUDACC_EXTENDED_LAMBDA__)
  if (is_device_lambda<F>() || __nv_is_extended_host_device_lambda_closure_type(F)) return false;
#endif
  const char* at = __PRETTY_FUNCTION__;
  while (*at != '\0' && *at != '=') ++at;
  for (const char c : {'=', ' ', 'l', 'a', 'm', 'b', 'd', 'a', ' ', '['}) {
    if (*at++ != c) return false;
  }
  return true;
}

// The same for the arguments of a template: a view's projection, a part of wf::all.
template <class T>
inline constexpr bool has_plain_lambda = is_plain_lambda<T>();
template <template <class...> class Template, class... Ts>
inline constexpr bool has_plain_lambda<Template<Ts...>> = (has_plain_lambda<Ts> || ...);

/// True if nvcc accepts the functions of work in a kernel. Otherwise reports one error; nvcc itself
/// would report one for each kernel.
template <class Work>
constexpr bool check_lambdas() {
  constexpr bool marked = !detail::has_plain_lambda<Work>;
  static_assert(
      marked,
      "warpfold: the GPU cannot call this lambda; mark it [] __host__ __device__ (...) and "
      "compile with --extended-lambda, or pass a function object");
  return marked;
}

/// True if a call can return the result of a reduction to the host. Otherwise reports an error,
/// unless the state is too large, which has its own message.
template <class Reduction>
consteval bool check_returned() {
  static_assert(sizeof(typename Reduction::result_type) <= workspace::accumulator_bytes ||
                    sizeof(typename Reduction::state) > workspace::accumulator_bytes,
                "warpfold: a result of more than 1024 bytes cannot be returned to the host; use "
                "reduce_async into device memory");
  return true;
}

/// Like `check_gpu`, for a call that returns the result to the host.
/// @throws cuda_error if `stream` is being captured
template <class Reduction>
void check_gpu_with_value(const Reduction& r, runtime::stream_handle stream) {
  static_assert(check_returned<Reduction>());
  check_gpu(r);
  runtime::require_not_capturing(stream);
}

}  // namespace detail

}  // namespace warpfold
