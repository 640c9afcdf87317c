// A value instead of a pointer for the result.
// expect: where the result goes, is not a pointer; pass &result
// errors: 2
#include <vector>

#include <warpfold/transform_reduce.hpp>

float half(float x) { return x / 2; }

void call(const std::vector<float>& v, std::vector<float>& out) {
  warpfold::reduce_async(warpfold::seq, v, warpfold::plus{}, out[0]);
  warpfold::transform_reduce_async(warpfold::seq, v, warpfold::plus{}, half, out[0]);
}
