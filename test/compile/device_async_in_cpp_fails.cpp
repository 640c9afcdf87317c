// Likewise reduce_async.
// expect: this file is not compiled by nvcc
#include <vector>

#include <warpfold/reduce.hpp>

void sum(const std::vector<float>& v, float* out) {
  warpfold::reduce_async(warpfold::device, v, warpfold::plus{}, out);
}
