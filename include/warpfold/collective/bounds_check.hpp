/// @file
/// Reports the first segment whose bounds are wrong to a host that waits.
///
/// - Idea: threads compare bounds that they have loaded anyway. Only threads with wrong bounds go
///   on. A word in the grid's memory keeps the least number of a wrong segment. A thread that
///   lowers it writes the segment to the host's memory, until the word and what it has written
///   agree.
/// - The host sets the word to zero again (policy/device.hpp).
#pragma once

#include <cstddef>

#include <warpfold/collective/grid_storage.hpp>
#include <warpfold/collective/memory_order.hpp>
#include <warpfold/view/chunk.hpp>
#include <warpfold/view/segments.hpp>

namespace warpfold::collective {

/// Reports segment `s` to `to`, unless one before it has been reported.
template <class Segments>
WARPFOLD_DEVICE void report_segment(warpfold::detail::wrong_segment* to, const Segments& segments,
                                    std::size_t s, const grid_storage& grid) {
  // The word holds the complement: zero is no segment.
  const auto exchanged = [&](unsigned long long x) { return ~atomicMax(grid.wrong(), ~x); };
  const global_loads bounds(caching::keep);
  unsigned long long own = s, least = own;
  if (exchanged(own) <= own) return;
  WARPFOLD_NO_UNROLL
  do {
    own = least;
    __threadfence();
    store_letter(&to->number, own);
    store_letter(&to->begin, static_cast<letter>(segments.begin(own, bounds)));
    store_letter(&to->end, static_cast<letter>(segments.end(own, bounds)));
    __threadfence();  // others may have written later than this thread, with an earlier number
    least = exchanged(own);
  } while (least != own);
}

/// Reports segment `s` if its bounds decrease or lie outside of the range, and a host waits.
template <class Segments>
WARPFOLD_DEVICE void check_bounds(const warpfold::detail::bounds_check& check,
                                  const Segments& segments, std::size_t s, std::size_t begin,
                                  std::size_t end, const grid_storage& grid) {
  if constexpr (warpfold::detail::may_be_wrong<Segments>) {
    if (begin > end || end > check.elements) [[unlikely]] {
      if (check.report != nullptr) report_segment(check.report, segments, s, grid);
    }
  }
}

}  // namespace warpfold::collective
