// Bounds that are gone when the call returns.
// expect: segments_between would refer to a temporary container
#include <vector>

#include <warpfold/reduce_segments.hpp>

void call(const std::vector<int>& ends) {
  (void)warpfold::segments_between(std::vector<int>(3), ends);
}
