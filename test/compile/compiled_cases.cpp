// Wrong uses of the calls of libwarpfold.
#include <complex>
#include <vector>

#include <warpfold/compiled.hpp>

namespace wfc = warpfold::compiled;

// expect: libwarpfold folds integers of 8 to 64 bits, floating-point and complex numbers
// errors: 1
// Elements that the library does not have.
namespace long_doubles {
auto call(const std::vector<long double>& v) { return wfc::sum(wfc::seq, v); }
}  // namespace long_doubles

// expect: complex numbers have no order, so they have no extrema and no log_sum_exp
// errors: 4
// An order of complex numbers: one error each.
namespace greatest_complex {
void call(const std::vector<std::complex<float>>& z) {
  (void)wfc::max(wfc::seq, z);
  (void)wfc::argmin(wfc::seq, z);
  (void)wfc::log_sum_exp(wfc::seq, z);
  (void)wfc::minmax(wfc::seq, z);
}
}  // namespace greatest_complex

// expect: requires floating-point elements; omit exact
// errors: 1
// An exact sum of integers.
namespace exact_integers {
auto call(const std::vector<int>& v) { return wfc::sum(wfc::seq, v, wfc::plus{}.exact()); }
}  // namespace exact_integers
