/// @file
/// The `policy` concept, and how a policy of another library becomes one of this library.
#pragma once

#include <concepts>
#include <type_traits>

#include <warpfold/view/contiguous.hpp>
#include <warpfold/work/reduction.hpp>

namespace warpfold {

namespace detail {
struct probe_op {
  template <class T>
  WARPFOLD_HD T identity() const {
    return T{};
  }
  WARPFOLD_HD int operator()(int a, int) const { return a; }
};
using probe_reduction = reduction<contiguous_view<int>, probe_op, no_init>;
}  // namespace detail

/// A policy decides who runs a reduction, on which stream and with which memory. It is a value:
/// cheap to copy and safe to share between threads.
///
/// - `run(reduction)`: computes the reduction, waits, and returns its `result_type`.
/// - `enqueue(reduction, out)`: computes the reduction into `*out`; a policy with streams does not
///   wait.
/// - `name()`: the name in plans, a `const char*` to text that lives as long as the program.
/// - `transform(t)`, `enqueue_transform(t)`, optional: run a `transformation`.
/// - `run_axis(a)`, `enqueue_axis(a)`, `describe_axis(a, plan)`, optional: for an `axis_reduction`.
/// - `describe(reduction, plan)`, optional: fills the fields of a `plan` (see explain.hpp) that it
///   knows.
///
/// Before it starts anything, a policy checks that it can read the view
/// (`runtime::check_host_readable` or `check_device_readable`). The concept only checks that `run`
/// can be called. A template `run` reports unsupported reductions when it is instantiated.
template <class P>
concept policy =
    std::copyable<P> && requires(const P& p, const detail::probe_reduction& r, int* out) {
      { p.name() } -> std::convertible_to<const char*>;
      p.run(r);
      p.enqueue(r, out);
    };

/// Specialize this for a policy of another library, with a static function `convert(p)` that
/// returns a policy of this library. `warpfold/drop_in.hpp` does so for Thrust and the standard
/// library.
template <class P>
struct adopted_policy;

/// Returns the policy to use for `p`: the result of `adopted_policy`, or `p` itself.
template <class P>
auto as_policy(const P& p) {
  if constexpr (requires { adopted_policy<P>::convert(p); }) {
    return adopted_policy<P>::convert(p);
  } else {
    return p;
  }
}

/// A type that `reduce` accepts as its first argument.
template <class P>
concept policy_like =
    requires(const P& p) { adopted_policy<P>::convert(p); } || requires(const P& p) { p.name(); };

}  // namespace warpfold
