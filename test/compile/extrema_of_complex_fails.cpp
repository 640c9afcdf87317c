// Named extrema of complex numbers: one error for each op.
// expect: minimum and maximum need operator<
// errors: 4
#include <complex>
#include <vector>

#include <warpfold/extrema.hpp>

void call(const std::vector<std::complex<float>>& v) {
  (void)warpfold::min(warpfold::seq, v);
  (void)warpfold::minmax(warpfold::seq, v);
  (void)warpfold::max(warpfold::seq, v);
  (void)warpfold::argmin(warpfold::seq, v);
  (void)warpfold::argmax(warpfold::seq, v);
  (void)warpfold::argminmax(warpfold::seq, v);
}
