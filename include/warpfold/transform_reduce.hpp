/// @file
/// What a function gives for every element, reduced and not written: `transform_reduce(policy, range, op, f)`.
#pragma once

#include <warpfold/reduce.hpp>

namespace warpfold {

/// `reduce(policy, project(range, f), op)`: `f(x)` of every element `x` reduced with `op`, in one launch and one
/// read of the range. Everything said of `reduce` and `project` holds.
template <policy_like Policy, reducible_range Range, class Op, class F>
auto transform_reduce(const Policy& policy, const Range& range, Op op, F f) {
  return reduce(policy, project(range, f), op);
}

/// The same from `init` on, in the type of `op(init, f(x))`; an empty range yields `init`.
template <policy_like Policy, reducible_range Range, class Init, class Op, class F>
auto transform_reduce(const Policy& policy, const Range& range, Init init, Op op, F f) {
  return reduce(policy, project(range, f), init, op);
}

/// The first of these without waiting, into `*out`; see `reduce_async`.
template <policy_like Policy, reducible_range Range, class Op, class F, class Out>
void transform_reduce_async(const Policy& policy, const Range& range, Op op, F f, Out* out) {
  reduce_async(policy, project(range, f), op, out);
}

WARPFOLD_REFUSE_MISUSE(transform_reduce)
WARPFOLD_REFUSE_MISUSE(transform_reduce_async)

// The same for an output that is not a pointer.
template <policy_like Policy, reducible_range Range, class Op, class F, class Out>
  requires detail::lacks_pointer<Op, F, Out>
auto transform_reduce_async(const Policy&, const Range&, const Op&, const F&, const Out&) {
  return detail::refuse_output<Out>();
}

}  // namespace warpfold
