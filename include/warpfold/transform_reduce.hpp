/// @file
/// What a function gives for every element, reduced and not written: `transform_reduce(policy, range, op, f)`.
#pragma once

#include <warpfold/reduce.hpp>

namespace warpfold {

namespace detail {

template <class Range, class F>
constexpr bool check_projection() {
  using T = typename view_of_t<Range>::value_type;
  constexpr bool callable = is_device_lambda<F>() || std::is_invocable_v<const F&, T>;
  static_assert(callable,
                "warpfold: the function cannot be called with an element of the range, or is not "
                "const (a mutable lambda?)");
  return callable;
}

}  // namespace detail

/// `reduce(policy, project(range, f), op)`: `f(x)` of every element `x` reduced with `op`, in one launch and one
/// read of the range. Everything said of `reduce` and `project` holds.
template <policy_like Policy, reducible_range Range, class Op, class F>
auto transform_reduce(const Policy& policy, const Range& range, Op op, F f) {
  if constexpr (detail::check_projection<Range, F>()) {
    return reduce(policy, project(range, f), op);
  } else {
    return detail::refused{};
  }
}

/// The same from `init` on, in the type of `op(init, f(x))`; an empty range yields `init`.
template <policy_like Policy, reducible_range Range, class Init, class Op, class F>
auto transform_reduce(const Policy& policy, const Range& range, Init init, Op op, F f) {
  if constexpr (detail::check_projection<Range, F>()) {
    return reduce(policy, project(range, f), init, op);
  } else {
    return detail::refused{};
  }
}

/// The first of these without waiting, into `*out`; see `reduce_async`.
template <policy_like Policy, reducible_range Range, class Op, class F, class Out>
void transform_reduce_async(const Policy& policy, const Range& range, Op op, F f, Out* out) {
  if constexpr (detail::check_projection<Range, F>()) {
    reduce_async(policy, project(range, f), op, out);
  }
}

}  // namespace warpfold
