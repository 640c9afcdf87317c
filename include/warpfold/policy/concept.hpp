/// @file
/// What `reduce` asks of a policy, and how a foreign policy becomes one of ours.
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

/// Who runs a reduction, on which stream and memory. A value: cheap to copy, safe to share.
///
/// - `run(reduction)`: computes it, waits, and returns its `result_type`.
/// - `enqueue(reduction, out)`: computes it into `*out`; a policy with streams does not wait.
/// - `name()`: as it stands in plans, a `const char*` to text that lives as long as the program.
/// - `describe(reduction, plan)`, optional: fills the fields of a `plan` (see explain.hpp) that it knows.
///
/// A policy checks that it can read the view (`runtime::check_host_readable` or
/// `check_device_readable`) before it starts anything. A `run` that is a template counts as having
/// one: what it cannot do, it says when it is instantiated.
template <class P>
concept policy =
    std::copyable<P> && requires(const P& p, const detail::probe_reduction& r, int* out) {
      { p.name() } -> std::convertible_to<const char*>;
      p.run(r);
      p.enqueue(r, out);
    };

/// How a policy of another library is taken: specialise it with a static function `convert(p)` that
/// returns one of ours. `warpfold/drop_in.hpp` does so for Thrust's and the standard library's.
template <class P>
struct adopted_policy;

/// The policy to use for `p`: itself, or what `adopted_policy` makes of it.
template <class P>
auto as_policy(const P& p) {
  if constexpr (requires { adopted_policy<P>::convert(p); }) {
    return adopted_policy<P>::convert(p);
  } else {
    return p;
  }
}

/// Something `reduce` takes as its first argument.
template <class P>
concept policy_like =
    requires(const P& p) { adopted_policy<P>::convert(p); } || requires(const P& p) { p.name(); };

}  // namespace warpfold
