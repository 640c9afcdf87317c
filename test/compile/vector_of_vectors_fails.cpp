// A vector of vectors, in several functions: one error.
// expect: the range.s elements are ranges themselves
#include <string>
#include <vector>

#include <warpfold/extrema.hpp>
#include <warpfold/sum.hpp>

void call(const std::vector<std::vector<float>>& v, float* out) {
  (void)warpfold::reduce(warpfold::seq, v, warpfold::plus{});
  (void)warpfold::reduce(warpfold::seq, v, 0.0f, warpfold::plus{});
  (void)warpfold::reduce(warpfold::seq, v.begin(), v.end());
  warpfold::reduce_async(warpfold::seq, v, warpfold::plus{}, out);
  (void)warpfold::sum(warpfold::seq, v);
  (void)warpfold::min(warpfold::seq, v);
  (void)warpfold::minmax(warpfold::seq, v);
  (void)warpfold::argmin(warpfold::seq, v);
}
