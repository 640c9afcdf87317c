// Complex numbers have no order.
// expect: minimum and maximum need operator<
#include <complex>
#include <vector>

#include <warpfold/reduce.hpp>

auto least(const std::vector<std::complex<float>>& v) {
  return warpfold::reduce(warpfold::seq, v, warpfold::minimum{});
}
