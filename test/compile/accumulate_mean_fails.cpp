// A mean cannot be combined with a mean.
// expect: accumulate.out. is an init, and the function.s result must be a fold
#include <vector>

#include <warpfold/statistics.hpp>

void call(const std::vector<float>& v, float* out) {
  warpfold::mean_async(warpfold::seq, v, warpfold::accumulate(out));
}
