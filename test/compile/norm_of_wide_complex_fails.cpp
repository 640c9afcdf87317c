// Squares of long doubles fit no double.
// expect: norms are of numbers that a double holds
#include <complex>
#include <vector>

#include <warpfold/norm.hpp>

double length(const std::vector<std::complex<long double>>& v) {
  return warpfold::norm_2(warpfold::seq, v);
}
