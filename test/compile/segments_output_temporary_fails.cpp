// An output that is gone when the call returns.
// expect: the output is a temporary container
#include <vector>

#include <warpfold/reduce_segments.hpp>

void call(const std::vector<float>& v, const std::vector<int>& offsets) {
  warpfold::reduce_segments(warpfold::seq, v, offsets, warpfold::plus{}, std::vector<float>(3));
}
