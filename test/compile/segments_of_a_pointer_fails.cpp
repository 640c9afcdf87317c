// Offsets without a size.
// expect: a pointer is not a range, because it has no size
#include <vector>

#include <warpfold/reduce_segments.hpp>

void call(const std::vector<float>& v, const int* offsets, std::vector<float>& out) {
  warpfold::reduce_segments(warpfold::seq, v, offsets, warpfold::plus{}, out);
}
