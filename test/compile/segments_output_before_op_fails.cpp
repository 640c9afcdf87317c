// The output of reduce_segments stands before the op.
// expect: an op or a function stands where the output goes; exchange them
#include <vector>

#include <warpfold/reduce_segments.hpp>

void call(const std::vector<float>& v, const std::vector<int>& offsets, std::vector<float>& out) {
  warpfold::reduce_segments(warpfold::seq, v, offsets, out, warpfold::plus{});
}
