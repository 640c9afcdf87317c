/// @file
/// needs: cccl
/// The last argument of CUB's calls, a stream or an execution environment: its requirements, and
/// whether `wf::device` meets them.
///
/// Includes CCCL by design: the environments are CCCL's (3.1 and later). Older versions have none;
/// the argument is then a stream.
#pragma once

#include <warpfold/core/config.hpp>  // first: it reports a C++ older than C++20

#include <concepts>
#include <type_traits>

#if __has_include(<cuda/__execution/require.h>)
#include <cuda/__execution/determinism.h>
#include <cuda/__execution/require.h>
#include <cuda/__execution/tune.h>
#include <cuda/__memory_resource/get_memory_resource.h>
#include <cuda/__stream/get_stream.h>
#include <cuda/std/__execution/env.h>
/// Defined if CCCL has execution environments.
#define WARPFOLD_HAS_ENVIRONMENTS
#endif

#include <warpfold/core/callable.hpp>
#include <warpfold/core/error.hpp>
#include <warpfold/runtime/resource.hpp>
#include <warpfold/runtime/stream.hpp>

namespace warpfold::detail::cub_calls {

/// The environment of a call without one: the default stream.
struct no_environment {};

// 0, NULL and nullptr are streams in code for CUB.
template <class Env>
inline constexpr bool is_null_stream = std::is_integral_v<Env> || std::is_null_pointer_v<Env>;

/// True if `Env` is more than a stream.
template <class Env>
inline constexpr bool is_environment =
    !std::is_same_v<Env, no_environment> && !is_null_stream<Env> && !runtime::stream_like<Env>;

#if defined(WARPFOLD_HAS_ENVIRONMENTS)

template <class Env, class Query>
concept answers = requires(const Env& env) { env.query(Query{}); };

template <class Env>
concept has_stream = requires(const Env& env) { ::cuda::get_stream(env); };
template <class Env>
concept has_resource = !runtime::stream_like<Env> &&
                       requires(const Env& env) { ::cuda::mr::__get_memory_resource(env); };
template <class Env>
concept has_tuning = answers<Env, ::cuda::execution::__get_tuning_t>;
template <class Env>
concept has_determinism = answers<Env, ::cuda::execution::determinism::__get_determinism_t>;

// True for CCCL's classes of environments, and for classes that answer one of these queries.
template <class Env>
inline constexpr bool is_known =
    has_stream<Env> || has_resource<Env> || has_tuning<Env> || has_determinism<Env> ||
    answers<Env, ::cuda::execution::__get_requirements_t>;
template <class... Part>
inline constexpr bool is_known<::cuda::std::execution::env<Part...>> = true;
template <class Query, class Value>
inline constexpr bool is_known<::cuda::std::execution::prop<Query, Value>> = true;

/// What `cuda::execution::require` put into an environment; void if there is nothing.
template <class Env>
struct requirements {
  using type = void;
};
template <answers<::cuda::execution::__get_requirements_t> Env>
struct requirements<Env> {
  using type = std::remove_cvref_t<decltype(std::declval<const Env&>().query(
      ::cuda::execution::__get_requirements_t{}))>;
};

template <class Required>
inline constexpr bool requires_gpu_to_gpu = false;
template <has_determinism Required>
inline constexpr bool requires_gpu_to_gpu<Required> =
    std::is_same_v<std::remove_cvref_t<decltype(std::declval<const Required&>().query(
                       ::cuda::execution::determinism::__get_determinism_t{}))>,
                   ::cuda::execution::determinism::gpu_to_gpu_t>;

// True if determinism is all that is required.
template <class Required>
inline constexpr bool requires_determinism_only = std::is_void_v<Required>;
template <class... Required>
inline constexpr bool requires_determinism_only<::cuda::std::execution::env<Required...>> =
    (has_determinism<Required> && ...);

#else

template <class Env>
concept has_stream = false;
template <class Env>
concept has_resource = false;
template <class Env>
inline constexpr bool is_known = false;

#endif

/// Returns the stream of an environment; the default stream if it has none.
/// @throws invalid_argument for an integer other than 0
template <class Env>
runtime::stream_handle stream_of(const Env& env) {
  if constexpr (runtime::stream_like<Env>) {
    return runtime::handle_of(env);
  } else if constexpr (std::is_integral_v<Env>) {
    if (env != 0) {
      throw_error<invalid_argument>("warpfold: ", env,
                                    " is not a stream; pass a cudaStream_t or an environment");
    }
    return nullptr;
#if defined(WARPFOLD_HAS_ENVIRONMENTS)
  } else if constexpr (has_stream<Env>) {
    return ::cuda::get_stream(env).get();
#endif
  } else {
    return nullptr;
  }
}

/// True if `wf::device` offers what `Env` asks for. Otherwise reports one error, with the reason.
/// @tparam Exact whether the result has the same bits on every GPU
template <class Env, bool Exact>
constexpr bool check_environment() {
  constexpr bool known = !is_environment<Env> || is_known<Env>;
  static_assert(known,
                "warpfold: the last argument is neither a stream nor an execution environment of "
                "CCCL 3.1 or later; pass a cudaStream_t or an environment");
  if constexpr (!is_environment<Env> || !known) {
    return known;
  } else {
#if defined(WARPFOLD_HAS_ENVIRONMENTS)
    using required = typename requirements<Env>::type;
    constexpr bool untuned = !has_tuning<Env>;
    constexpr bool inside = !has_determinism<Env>;
    constexpr bool determinism_only = requires_determinism_only<required>;
    constexpr bool exact = Exact || !requires_gpu_to_gpu<required>;
    static_assert(untuned,
                  "warpfold: the environment has a tuning of CUB's kernels, but this call runs "
                  "other kernels; remove the tuning, or call ::cub itself");
    static_assert(inside || !untuned,
                  "warpfold: determinism has no effect here; pass "
                  "cuda::execution::require(determinism)");
    static_assert(determinism_only || !inside || !untuned,
                  "warpfold: the environment requires something other than determinism, which "
                  "this call does not offer; remove the requirement, or call ::cub itself");
    static_assert(exact || !determinism_only || !inside || !untuned,
                  "warpfold: the environment requires gpu_to_gpu determinism, but CUB itself runs "
                  "this call, and takes no environment beside temporary storage; call ::cub "
                  "itself, without temporary storage");
    return untuned && inside && determinism_only && exact;
#else
    return false;
#endif
  }
}

/// Calls `then(p)` with the GPU policy `policy` on the stream, and with the memory resource, of
/// `env`.
template <class Policy, class Env, class Then>
void with_environment(const Policy& policy, const Env& env, const Then& then) {
  const auto on_stream = policy.on(stream_of(env));
  if constexpr (has_resource<Env>) {
#if defined(WARPFOLD_HAS_ENVIRONMENTS)
    auto resource = ::cuda::mr::__get_memory_resource(env);  // a copy that may be changed
    then(on_stream.with(resource));
#endif
  } else {
    then(on_stream);
  }
}

}  // namespace warpfold::detail::cub_calls
