/// @file
/// `packed(range)`: requires elements of one or two bytes that are loaded 16 bytes at a time.
#pragma once

#include <warpfold/view/as_view.hpp>
#include <warpfold/view/range_check.hpp>

namespace warpfold {

/// Returns a view of `range`, which must be a contiguous range of elements of one or two bytes.
///
/// Such ranges are always loaded 16 bytes at a time, and ops with `folds_packed` (sums of chars,
/// minima and maxima) fold them packed. `packed` only states this requirement: other ranges do not
/// compile.
///
/// @param range must outlive the view
/// @return the view that `as_view` returns
template <class Range>
  requires reducible_range<Range>
auto packed(Range&& range) {
  WARPFOLD_REQUIRE_LASTING("packed", Range);
  using base = view_of_t<Range>;
  constexpr bool side_by_side = requires { requires base::is_contiguous; };
  static_assert(side_by_side,
                "warpfold: packed takes elements that lie side by side in memory, such as a "
                "vector's or a span's; apply project or zip to what it returns");
  constexpr bool is_small = sizeof(typename base::value_type) <= 2;
  static_assert(is_small,
                "warpfold: packed takes elements of one or two bytes; leave it out for others");
  return as_view(range);
}

// Misuse of the above is one error; see view/range_check.hpp.
template <class Range = detail::braces>
  requires(!reducible_range<Range>)
auto packed(const Range&) {
  return detail::refuse_ranges<Range>();
}

}  // namespace warpfold
