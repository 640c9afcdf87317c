// wf::device has no kernel for segments.
// expect: this policy does not reduce segments yet
#include <vector>

#include <warpfold/reduce_segments.hpp>

void call(const std::vector<float>& v, const std::vector<int>& offsets, std::vector<float>& out) {
  warpfold::reduce_segments(warpfold::device, v, offsets, warpfold::plus{}, out);
}
