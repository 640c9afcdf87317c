// expect: the op or the pointer to the result is missing
#include <vector>

#include <warpfold/reduce.hpp>

void call(const std::vector<float>& v, float* out) {
  warpfold::reduce_async(warpfold::seq, v, out);
}
