// Wrong uses of compensated sums.
// alone
#include <complex>
#include <vector>

#include <warpfold/dot.hpp>
#include <warpfold/op/compensated.hpp>
#include <warpfold/reduce.hpp>

// expect: requires real floating-point elements
// The parts of complex numbers are sums of several products.
namespace compensated_dot_of_complex {
int main() {
  const std::vector<std::complex<double>> a(10);
  (void)warpfold::dot(warpfold::seq, a, a, warpfold::plus{}.compensated());
}
}  // namespace compensated_dot_of_complex

// expect: requires real floating-point elements
// Integers do not round.
namespace compensated_dot_of_integers {
int main() {
  const std::vector<int> a(10);
  (void)warpfold::dot(warpfold::seq, a, a, warpfold::plus{}.compensated());
}
}  // namespace compensated_dot_of_integers

// expect: the init of plus\{\}.compensated\(\) must be a compensated_sum
// A compensated sum starts from a compensated sum.
namespace compensated_init {
auto call(const std::vector<float>& v) {
  namespace wf = warpfold;
  const auto good =
      wf::reduce(wf::seq, v, wf::compensated_sum<float>{1, 0}, wf::plus{}.compensated());
  static_assert(std::is_same_v<decltype(good), const float>);
  return wf::reduce(wf::seq, v, 1.0f, wf::plus{}.compensated());
}
}  // namespace compensated_init

// expect: exact\(\) are for floating-point numbers
// Sums of integers do not round.
namespace compensated_integers {
int main() {
  const std::vector<int> v(10);
  (void)warpfold::reduce(warpfold::seq, v, warpfold::plus{}.compensated());
}
}  // namespace compensated_integers
