// NumPy's `ddof`, or a string, in the place of a variance_of: one error each.
// expect: is not a variance_of; pass wf::variance_of::population or wf::variance_of::sample
// errors: 3
#include <vector>

#include <warpfold/statistics.hpp>

void call(const std::vector<float>& v, float* out) {
  (void)warpfold::variance(warpfold::seq, v, 1);
  (void)warpfold::stddev(warpfold::seq, v, "sample");
  warpfold::kurtosis_async(warpfold::seq, v, 1, out);
}
