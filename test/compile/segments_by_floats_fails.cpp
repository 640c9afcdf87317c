// Offsets that are not integers.
// expect: the offsets of segments are not integers
#include <vector>

#include <warpfold/reduce_segments.hpp>

void call(const std::vector<float>& v, const std::vector<float>& offsets, std::vector<float>& out) {
  warpfold::reduce_segments(warpfold::seq, v, offsets, warpfold::plus{}, out);
}
