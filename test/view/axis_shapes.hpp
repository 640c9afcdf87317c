// Shapes of arrays for the tests of folds along an axis.
#pragma once

#include <cstddef>
#include <vector>

#include <warpfold/view/axis_shape.hpp>

namespace test {

inline warpfold::detail::axis_shape shape(const std::vector<std::size_t>& extents,
                                          const std::vector<std::size_t>& strides) {
  warpfold::detail::axis_shape s;
  s.rank = static_cast<int>(extents.size());
  for (std::size_t d = 0; d < extents.size(); ++d) {
    s.extent[d] = extents[d];
    s.stride[d] = strides[d];
  }
  return s;
}

}  // namespace test
