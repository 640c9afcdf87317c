// Wrong uses of exact sums.
// alone
#include <vector>

#include <warpfold/dot.hpp>
#include <warpfold/norm.hpp>
#include <warpfold/op/exact.hpp>
#include <warpfold/policy/seq.hpp>
#include <warpfold/reduce.hpp>
#include <warpfold/statistics.hpp>

// expect: dot\(\.\.\., plus\{\}\.exact\(\)\) requires floating-point elements
// Integers do not round.
namespace exact_dot_of_integers {
int main() {
  const std::vector<int> a(10);
  (void)warpfold::dot(warpfold::seq, a, a, warpfold::plus{}.exact());
}
}  // namespace exact_dot_of_integers

// expect: the init of plus\{\}.exact\(\) must have the type of the sum
// An init of another type would be rounded.
namespace exact_init {
namespace wf = warpfold;

float sum(const std::vector<float>& v) { return wf::reduce(wf::seq, v, 1.0, wf::plus{}.exact()); }
}  // namespace exact_init

// expect: statistics with plus\{\}\.exact\(\) require elements of float
// Sums of integers do not round.
namespace exact_mean_of_integers {
int main() {
  const std::vector<int> a(10);
  (void)warpfold::mean(warpfold::seq, a, warpfold::plus{}.exact());
}
}  // namespace exact_mean_of_integers

// expect: norm_2\(\.\.\., plus\{\}\.exact\(\)\) requires floating-point or complex elements
// Squares of integers do not round.
namespace exact_norm_of_integers {
int main() {
  const std::vector<int> a(10);
  (void)warpfold::norm_2(warpfold::seq, a, warpfold::plus{}.exact());
}
}  // namespace exact_norm_of_integers

// expect: the op stands where the init goes, and the init where the op goes; exchange them
// The op stands before the init, and lifts its elements.
namespace exact_op_before_init {
auto call(const std::vector<double>& v) {
  return warpfold::reduce(warpfold::seq, v, warpfold::plus{}.exact(), 1.0);
}
}  // namespace exact_op_before_init

// expect: exact<To>\(\) rounds to float or double
// A sum rounds to a floating-point number.
namespace exact_to_integer {
int main() {
  const std::vector<float> a(10);
  (void)warpfold::reduce(warpfold::seq, a, warpfold::plus{}.exact<int>());
}
}  // namespace exact_to_integer

// expect: the argument after the range is not a variance_of
// Skewness has no exact form.
namespace skewness_exact {
int main() {
  const std::vector<float> a(10);
  (void)warpfold::skewness(warpfold::seq, a, warpfold::plus{}.exact());
}
}  // namespace skewness_exact
