// expect: accumulate.out. is an init, and the function.s result must be a fold: pass no other init
#include <vector>

#include <warpfold/reduce.hpp>

void call(const std::vector<float>& v, float* out) {
  warpfold::reduce_async(warpfold::seq, v, 1.0f, warpfold::plus{}, warpfold::accumulate(out));
}
