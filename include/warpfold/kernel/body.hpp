/// @file
/// What the body of a kernel declares: the code of one thread, and what its launch depends on.
#pragma once

#include <concepts>
#include <cstddef>

#include <warpfold/core/config.hpp>

namespace warpfold::kernel {

namespace detail {

// A body that names the work whose user functions it calls.
template <class Body>
concept has_work = requires(const Body& b) {
  { b.work().size() } -> std::convertible_to<std::size_t>;
};
// A body that says that it calls none.
template <class Body>
concept calls_no_user_function = requires { requires !Body::calls_user_functions; };

}  // namespace detail

/// The body of a kernel: a function object, copied to the GPU as bytes. `body()` is what every thread runs.
///
/// | member | | who reads it |
/// |---|---|---|
/// | `max_block` | the most threads of a block | the launch: `__launch_bounds__`, and a check of the shape |
/// | `work()` | the `reduction`, `axis_reduction` or `transformation` that it computes | the launch: nvcc sees every user function \
/// |   | | that the work names, and refuses one that only the host can call |
/// | `calls_user_functions = false` | instead of `work()`: it calls no function of a user's | the launch |
/// | `min_architecture` | optional: 90 if it needs compute capability 9.0 | the launch: a check of what it was compiled for |
/// | `waits_for_launch_before` | optional: true if it may start early and waits (collective/launch_overlap.hpp) | the launch |
/// | `unroll` | optional: chunks that a thread has in flight | `explain`: loads are by chunks |
/// | `elements_a_load` | optional: elements of one load | `explain_axis` |
///
/// `work()` is asked for because the library's functions are for both sides and silence nvcc's check of sides
/// (WARPFOLD_ANY_SIDE). Without it, an op that only the host can call would be compiled to nothing, and the result be wrong.
template <class Body>
concept body = requires {
  { Body::max_block } -> std::convertible_to<int>;
} && (detail::has_work<Body> || detail::calls_no_user_function<Body>);

/// Fails to compile if `Body` is not the body of a kernel.
template <class Body>
constexpr void check_body() {
  static_assert(body<Body>,
                "warpfold: this is not the body of a kernel; it needs max_block, and work(), which "
                "returns the "
                "reduction whose functions it calls (or calls_user_functions = false)");
}

#if defined(__CUDACC__)
/// Lets nvcc look at the user functions that a body calls. Executes none: no range has that many elements.
template <class Body>
WARPFOLD_DEVICE void name_user_functions(const Body& b) {
  if constexpr (detail::has_work<Body>) {
    if (b.work().size() == static_cast<std::size_t>(-1)) b.work().name_user_functions();
  }
}
#endif

}  // namespace warpfold::kernel
