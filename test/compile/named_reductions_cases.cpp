// Wrong uses of dot, mean, norm and their like.
// alone
#include <complex>
#include <vector>

#include <warpfold/count.hpp>
#include <warpfold/dot.hpp>
#include <warpfold/extrema.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/statistics.hpp>
#include <warpfold/sum.hpp>

// expect: count cannot compare the elements with the value by ==.*call count_if with a predicate
// errors: 3
// A string or a predicate in the place of the value: one error each.
namespace count_of_another_type {
bool is_odd(int x);

void call(const std::vector<int>& v, std::size_t* out) {
  (void)warpfold::count(warpfold::seq, v, "1");
  (void)warpfold::count(warpfold::seq, v, is_odd);
  warpfold::count_async(warpfold::seq, v, is_odd, out);
}
}  // namespace count_of_another_type

// expect: dot adds its products
namespace dot_of_maximum {
auto greatest(const std::vector<float>& v) {
  return warpfold::dot(warpfold::seq, v, v, warpfold::maximum{});
}
}  // namespace dot_of_maximum

// expect: minimum and maximum need operator<
// errors: 4
// Named extrema of complex numbers: one error for each op.
namespace extrema_of_complex {
void call(const std::vector<std::complex<float>>& v) {
  (void)warpfold::min(warpfold::seq, v);
  (void)warpfold::minmax(warpfold::seq, v);
  (void)warpfold::max(warpfold::seq, v);
  (void)warpfold::argmin(warpfold::seq, v);
  (void)warpfold::argmax(warpfold::seq, v);
  (void)warpfold::argminmax(warpfold::seq, v);
}
}  // namespace extrema_of_complex

// expect: multiplies needs operator\*
// The same with a product that is not given.
namespace inner_product_of_structs {
struct point {
  float x, y;
};

double length(const std::vector<point>& v) {
  return warpfold::inner_product(warpfold::seq, v, v, 0.0);
}
}  // namespace inner_product_of_structs

// expect: statistics are of numbers
// Statistics are of numbers.
namespace mean_of_structs {
struct point {
  float x, y;
};

double spread(const std::vector<point>& v) { return warpfold::stddev(warpfold::seq, v); }
}  // namespace mean_of_structs

// expect: skewness and kurtosis are of real numbers
// Complex numbers have a mean and a variance only.
namespace kurtosis_of_complex {
double peak(const std::vector<std::complex<double>>& v) {
  return warpfold::kurtosis(warpfold::seq, v);
}
}  // namespace kurtosis_of_complex

// expect: norms are of numbers that a double holds
// Squares of long doubles fit no double.
namespace norm_of_wide_complex {
double length(const std::vector<std::complex<long double>>& v) {
  return warpfold::norm_2(warpfold::seq, v);
}
}  // namespace norm_of_wide_complex

// expect: take no other op than plus\{\}\.exact\(\)
// Norms fold in double, or exactly.
namespace norm_with_another_op {
int main() {
  const std::vector<float> a(10);
  (void)warpfold::norm_2(warpfold::seq, a, warpfold::plus{}.compensated());
}
}  // namespace norm_with_another_op

// expect: sum takes plus\{\}, plus\{\}\.compensated\(\) or plus\{\}\.exact\(\)
// errors: 2
// Another op, and a number in the place of an op: one error each.
namespace sum_by_another_op {
void call(const std::vector<float>& v, float* out) {
  (void)warpfold::sum(warpfold::seq, v, warpfold::maximum{});
  warpfold::sum_async(warpfold::seq, v, 5, out);
}
}  // namespace sum_by_another_op

// expect: is not a variance_of; pass wf::variance_of::population or wf::variance_of::sample
// errors: 3
// NumPy's `ddof`, or a string, in the place of a variance_of: one error each.
namespace variance_of_a_number {
void call(const std::vector<float>& v, float* out) {
  (void)warpfold::variance(warpfold::seq, v, 1);
  (void)warpfold::stddev(warpfold::seq, v, "sample");
  warpfold::kurtosis_async(warpfold::seq, v, 1, out);
}
}  // namespace variance_of_a_number

// expect: take no other op than plus\{\}\.exact\(\)
// Statistics fold in double, or exactly.
namespace variance_with_another_op {
int main() {
  const std::vector<float> a(10);
  (void)warpfold::variance(warpfold::seq, a, warpfold::variance_of::sample, warpfold::plus{});
}
}  // namespace variance_with_another_op
