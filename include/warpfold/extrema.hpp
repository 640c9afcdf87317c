/// @file
/// The least and the greatest element of a range, and where they are.
#pragma once

#include <warpfold/op/all.hpp>
#include <warpfold/op/arg.hpp>
#include <warpfold/reduce.hpp>

namespace warpfold {

/// The least and the greatest of some elements.
template <class T>
struct least_and_greatest {
  T min;
  T max;
};
template <class T>
least_and_greatest(T, T) -> least_and_greatest<T>;

namespace detail {

// What has no value in an empty range: an identity would be a value that is nowhere.
template <class Policy, class Range, class Op>
auto reduce_some(const Policy& policy, const Range& range, const char* what, const Op& op) {
  const auto view = as_view(range);
  if (view.size() == 0) throw empty_range("warpfold: an empty range has no ", what);
  return reduce(policy, view, op);
}

}  // namespace detail

/// The least element, of small vectors by component: `reduce(policy, range, minimum{})`, but an empty range has none.
///
/// NaN if any element is; -0 is less than +0: the same from every policy, in any order. Waits, costs and throws as
/// `reduce` does.
/// @throws empty_range  if the range is empty
template <policy_like Policy, reducible_range Range>
auto min(const Policy& policy, const Range& range) {
  return detail::reduce_some(policy, range, "least element", minimum{});
}

/// The greatest element; otherwise as `min`.
template <policy_like Policy, reducible_range Range>
auto max(const Policy& policy, const Range& range) {
  return detail::reduce_some(policy, range, "greatest element", maximum{});
}

/// Both in one read; otherwise as `min`.
template <policy_like Policy, reducible_range Range>
auto minmax(const Policy& policy, const Range& range) {
  const auto both =
      detail::reduce_some(policy, range, "least and greatest element", all(minimum{}, maximum{}));
  return least_and_greatest{get<0>(both), get<1>(both)};
}

/// The least element and the lowest index, 64 bits, at which it is: an `indexed<T>`. Of a matrix the index is that of the
/// order in memory.
///
/// A NaN, if there is one, is found before any number, and -0 is less than +0: the same from every policy, in any
/// order. One read of the range. Waits and throws as `reduce` does.
/// @throws empty_range  if the range is empty
template <policy_like Policy, reducible_range Range>
auto argmin(const Policy& policy, const Range& range) {
  return detail::reduce_some(policy, range, "least element", arg(minimum{}));
}

/// The greatest element and the lowest index at which it is; otherwise as `argmin`.
template <policy_like Policy, reducible_range Range>
auto argmax(const Policy& policy, const Range& range) {
  return detail::reduce_some(policy, range, "greatest element", arg(maximum{}));
}

/// Both in one read, as `least_and_greatest<indexed<T>>`; otherwise as `argmin`.
template <policy_like Policy, reducible_range Range>
auto argminmax(const Policy& policy, const Range& range) {
  const auto both = detail::reduce_some(policy, range, "least and greatest element",
                                        all(arg(minimum{}), arg(maximum{})));
  return least_and_greatest{get<0>(both), get<1>(both)};
}

WARPFOLD_REFUSE_MISUSE(min)
WARPFOLD_REFUSE_MISUSE(max)
WARPFOLD_REFUSE_MISUSE(minmax)
WARPFOLD_REFUSE_MISUSE(argmin)
WARPFOLD_REFUSE_MISUSE(argmax)
WARPFOLD_REFUSE_MISUSE(argminmax)

}  // namespace warpfold
