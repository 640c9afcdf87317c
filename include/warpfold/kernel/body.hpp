/// @file
/// The members of a kernel's body: the code of one thread, and the properties that its launch
/// needs.
#pragma once

#include <concepts>
#include <cstddef>

#include <warpfold/core/config.hpp>

namespace warpfold::kernel {

namespace detail {

template <class Body>
concept has_work = requires(const Body& b) {
  { b.work().size() } -> std::convertible_to<std::size_t>;
};
template <class Body>
concept calls_no_user_function = requires { requires !Body::calls_user_functions; };

}  // namespace detail

/// The body of a kernel: a function object, copied to the GPU as bytes. Every thread runs `body()`.
///
/// Required members:
/// - `max_block`: the maximum number of threads of a block. The launch passes it to
///   `__launch_bounds__` and checks the shape against it.
/// - `work()`: what the body computes, for example a `reduction`. It has `size()` and
///   `name_user_functions()`. The launch lets nvcc see every user function that the work names;
///   nvcc rejects one that only the host can call. The library's own functions are for both sides
///   and suppress that check (WARPFOLD_ANY_SIDE): without `work()`, such an op would compile to
///   nothing.
/// - `calls_user_functions = false`, instead of `work()`: the body calls no user function.
///
/// Optional members:
/// - `min_blocks_per_multiprocessor`: blocks of `max_block` threads for which the registers of a
///   multiprocessor must suffice; 1 by default.
/// - `min_architecture`: 90 if the body needs compute capability 9.0. The launch refuses a kernel
///   that was compiled for less.
/// - `waits_for_launch_before`: true if the launch may start before the one before it has ended.
///   The body must then call `wait_for_launch_before` (collective/launch_overlap.hpp).
/// - `unroll`: the number of chunks that a thread has in flight. `explain` reports loads of chunks.
/// - `elements_a_load`: the number of elements of a load. `explain_axis` reports it.
template <class Body>
concept body = requires {
  { Body::max_block } -> std::convertible_to<int>;
} && (detail::has_work<Body> || detail::calls_no_user_function<Body>);

/// Fails to compile if `Body` is not the body of a kernel.
template <class Body>
consteval bool check_body() {
  static_assert(body<Body>,
                "warpfold: a kernel's body needs max_block, and either work() or "
                "calls_user_functions = false; see kernel/body.hpp");
  return true;
}

#if defined(__CUDACC__)
/// Lets nvcc see the user functions that a body calls. Never executes one.
template <class Body>
WARPFOLD_DEVICE void name_user_functions(const Body& b) {
  if constexpr (detail::has_work<Body>) {
    if (b.work().size() == static_cast<std::size_t>(-1)) b.work().name_user_functions();
  } else if constexpr (detail::calls_no_user_function<Body>) {
    (void)Body::calls_user_functions;  // otherwise nvcc warns that nothing refers to the member
  }
}
#endif

}  // namespace warpfold::kernel
