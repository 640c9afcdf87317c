// A result that is to be written to a container, or into a reference.
// expect: where the result goes, is not a pointer; pass &result
// errors: 2
#include <vector>

#include <warpfold/transform_reduce.hpp>

float half(float x) { return x / 2; }

void call(const std::vector<float>& v, std::vector<float>& out) {
  warpfold::reduce_async(warpfold::seq, v, warpfold::plus{}, out);
  warpfold::transform_reduce_async(warpfold::seq, v, warpfold::plus{}, half, out[0]);
}
