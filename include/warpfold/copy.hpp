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

/// Writes element `i` of `in` to element `i` of `out`, without waiting.
///
/// @param policy,in,out as for `copy`. They must live until the stream has finished this work
///
/// Can be captured into a graph. Empty range, order, cost and errors: as `transform_async`.
///
/// ```cpp
/// std::vector<int> a{1, 2, 3}, b(a.size());
/// wf::copy_async(wf::seq, a, b);  // b is {1, 2, 3}
/// ```
template <policy_like Policy, reducible_range Range, class Out>
void copy_async(const Policy& policy, const Range& in, Out&& out) {
  transform_async(policy, in, static_cast<Out&&>(out), unchanged{});
}

/// Writes the elements in [first, last) to `out`, as `std::copy` and `thrust::copy` do.
///
/// @param policy who runs it, as for `transform`
/// @param first,last random-access iterators, or a pointer and a count
/// @param out a pointer or an iterator of contiguous elements, writable from the policy
/// @return the end of what it wrote
///
/// Empty range, stream, order, cost and errors: as `transform`.
///
/// ```cpp
/// std::vector<int> a{1, 2, 3}, b(4);
/// auto end = wf::copy(wf::seq, a.begin(), a.end(), b.begin());  // b.begin() + 3
/// ```
template <policy_like Policy, class It, class Last, class Out>
  requires(detail::ends<It, Last> && detail::unwrappable<Out>)
Out copy(const Policy& policy, It first, const Last& last, Out out) {
  return warpfold::transform(policy, first, last, out, unchanged{});
}

WARPFOLD_FORMS(copy, 1, 1, "copy(policy, range, output)")
WARPFOLD_FORMS(copy_async, 1, 1, "copy_async(policy, range, output)")

}  // namespace warpfold
