/// @file
/// `sum` and `product` of a range.
///
/// Stream, order, cost and errors are those of `reduce`: one read, and one launch on a GPU.
#pragma once

#include <warpfold/reduce.hpp>

namespace warpfold {

/// Returns the sum of the elements: `reduce(policy, range, plus{})`.
///
/// @param policy,range as for `reduce`
/// @return the sum, with 64 bits for integers and as `float` for 16-bit floats; 0 for an empty
///     range
///
/// ```cpp
/// std::vector<int> v{1, 2, 3};
/// long long s = wf::sum(wf::seq, v);  // 6
/// ```
template <policy_like Policy, reducible_range Range>
auto sum(const Policy& policy, const Range& range) {
  return reduce(policy, range, plus{});
}

/// Returns the product of the elements: `reduce(policy, range, multiplies{})`.
///
/// @param policy,range as for `reduce`
/// @return the product, with 64 bits for integers and as `float` for 16-bit floats; 1 for an empty
///     range
template <policy_like Policy, reducible_range Range>
auto product(const Policy& policy, const Range& range) {
  return reduce(policy, range, multiplies{});
}

WARPFOLD_FORMS(sum, 0)
WARPFOLD_FORMS(product, 0)

}  // namespace warpfold
