// Shapes of arrays for tests.
#pragma once

#include <cstddef>
#include <vector>

#include <warpfold/view/layout.hpp>

namespace test {

inline warpfold::detail::array_shape shape(const std::vector<std::size_t>& extents,
                                           const std::vector<std::size_t>& strides) {
  warpfold::detail::array_shape s;
  s.rank = static_cast<int>(extents.size());
  for (std::size_t d = 0; d < extents.size(); ++d) {
    s.extent[d] = extents[d];
    s.stride[d] = strides[d];
  }
  return s;
}

/// The shapes of arrays of the same extents, with the strides of each.
inline std::vector<warpfold::detail::array_shape> shapes(
    const std::vector<std::size_t>& extents, const std::vector<std::vector<std::size_t>>& strides) {
  std::vector<warpfold::detail::array_shape> all;
  for (const auto& own : strides) all.push_back(shape(extents, own));
  return all;
}

}  // namespace test
