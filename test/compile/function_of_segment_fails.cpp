// A function of the element alone.
// expect: the function cannot be called with an element of the range and the value of its segment
#include <vector>

#include <warpfold/transform_segments.hpp>

void call(const std::vector<float>& v, const std::vector<int>& offsets, std::vector<float>& out) {
  warpfold::transform_segments(warpfold::seq, v, offsets, v, out, [](float x) { return x; });
}
