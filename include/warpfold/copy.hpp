/// @file
/// `copy` and `copy_async`: write the elements of one range to another.
#pragma once

#include <warpfold/transform.hpp>

namespace warpfold {

/// The identity function: returns its argument.
struct unchanged {
  template <class T>
  WARPFOLD_HD constexpr const T& operator()(const T& x) const {
    return x;
  }
};

/// Writes element `i` of `in` to element `i` of `out`, converted to the output's element type.
///
/// `copy` is `transform` with the identity function. `in` may be any view, so `copy` also writes
/// out a projection or a counting range. It does not copy between host and device memory: use
/// `cudaMemcpy` for that.
///
/// @param policy who runs it, as for `transform`
/// @param in the elements; readable from the policy
/// @param out writable from the policy, with at least as many elements as `in`
///
/// Empty range, stream, order, cost and errors: as `transform`.
///
/// ```cpp
/// std::vector<int> a{1, 2, 3};
/// std::vector<double> b(a.size());
/// wf::copy(wf::seq, a, b);  // b is {1.0, 2.0, 3.0}
/// ```
template <policy_like Policy, reducible_range Range, class Out>
void copy(const Policy& policy, const Range& in, Out&& out) {
  transform(policy, in, static_cast<Out&&>(out), unchanged{});
}

/// Like `copy`, but does not wait; lifetimes and capture as for `transform_async`.
template <policy_like Policy, reducible_range Range, class Out>
void copy_async(const Policy& policy, const Range& in, Out&& out) {
  transform_async(policy, in, static_cast<Out&&>(out), unchanged{});
}

/// Like `copy` of the elements in [first, last). Returns the end of what it wrote, as `std::copy`
/// and `thrust::copy` do.
template <policy_like Policy, class It, class Last, class Out>
  requires(detail::ends<It, Last> && detail::unwrappable<Out>)
Out copy(const Policy& policy, It first, const Last& last, Out out) {
  return warpfold::transform(policy, first, last, out, unchanged{});
}

WARPFOLD_FORMS(copy, 1, 1, "copy(policy, range, output)")
WARPFOLD_FORMS(copy_async, 1, 1, "copy_async(policy, range, output)")

}  // namespace warpfold
