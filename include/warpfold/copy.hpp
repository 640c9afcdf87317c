/// @file
/// Elements from one range to another: `copy(policy, in, out)`.
#pragma once

#include <warpfold/transform.hpp>

namespace warpfold {

/// Gives back what it is given: the function of a copy.
struct unchanged {
  template <class T>
  WARPFOLD_HD constexpr const T& operator()(const T& x) const {
    return x;
  }
};

/// Writes element `i` of `in` to element `i` of `out`, converted to its type: `transform` with a function that
/// changes nothing. `in` may be a view, so this also writes down what a projection gives, or numbers counted.
/// Both must be reachable from the policy: between host and device, cudaMemcpy.
template <policy_like Policy, reducible_range Range, class Out>
void copy(const Policy& policy, const Range& in, Out&& out) {
  transform(policy, in, static_cast<Out&&>(out), unchanged{});
}

/// As above, without waiting; see `transform_async`.
template <policy_like Policy, reducible_range Range, class Out>
void copy_async(const Policy& policy, const Range& in, Out&& out) {
  transform_async(policy, in, static_cast<Out&&>(out), unchanged{});
}

WARPFOLD_REFUSE_MISUSE(copy)
WARPFOLD_REFUSE_MISUSE(copy_async)

}  // namespace warpfold
