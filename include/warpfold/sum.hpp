/// @file
/// `sum` and `product` of a range.
#pragma once

#include <warpfold/reduce.hpp>

namespace warpfold {

/// `reduce(policy, range, plus{})`: 64 bits for integers, `float` for 16-bit floats; 0 of an empty range.
template <policy_like Policy, reducible_range Range>
auto sum(const Policy& policy, const Range& range) {
  return reduce(policy, range, plus{});
}

/// `reduce(policy, range, multiplies{})`: 64 bits for integers, `float` for 16-bit floats; 1 of an empty range.
template <policy_like Policy, reducible_range Range>
auto product(const Policy& policy, const Range& range) {
  return reduce(policy, range, multiplies{});
}

WARPFOLD_REFUSE_MISUSE(sum)
WARPFOLD_REFUSE_MISUSE(product)

}  // namespace warpfold
